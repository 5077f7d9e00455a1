"""Findings in words, from one catalogue of sentences, in the language of the reader: client or operator."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PARAMETER = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in English, to be translated. without: the same without its parameters; empty if there is none.
    advice: what to do, said after it.
    """

    text: str
    without: str = ""
    advice: str = ""

    @property
    def parameters(self) -> frozenset[str]:
        return frozenset(_PARAMETER.findall(self.text))


Sentences = Mapping[str, str | Sentence | tuple[str | Sentence, ...]]
"""Key -> its sentence or sentences. Those without parameters are plain texts."""
