"""What a finding says, before it is put into words: the key of a sentence and its parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Params = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of `shipments.wording.rendering` by its key, with its parameters; never a consignee's data."""

    sentence: str
    params: Params = field(default_factory=dict)


class InvalidValue(ValueError):
    """A value that cannot be accepted, and why."""

    def __init__(self, sentence: str, **params: str | int) -> None:
        super().__init__(sentence)
        self.reason = Reason(sentence, params)
