"""Findings in words, from one catalogue of sentences, in the language of the reader: client or operator."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PARAMETER = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in English, to be translated. without: the same without its parameters; empty if there is none."""

    text: str
    without: str = ""

    @property
    def parameters(self) -> frozenset[str]:
        """Return the names of the parameters."""
        return frozenset(_PARAMETER.findall(self.text))


Sentences = Mapping[str, Sentence | tuple[Sentence, ...]]
"""Key -> its sentence or sentences."""
