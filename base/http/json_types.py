"""Types for the JSON that webhooks and the API send.

`Annotated` adds what the OpenAPI document needs beyond a Python type: a text is the description, `Keywords` are
further keywords of JSON Schema.
"""

from collections.abc import Iterable
from typing import Annotated

KNOWN_WORDS = "x-extensible-enum"
"""The keyword of lists that may grow: a closed `enum` would break careful clients."""


class Keywords:
    """Keywords of JSON Schema. Not a plain dict, because members of a union must be hashable."""

    def __init__(self, **keywords: object) -> None:
        self.keywords = keywords


def known_words(known: Iterable[str]) -> Keywords:
    """Return a schema for words in use today; more may be added."""
    return Keywords(**{KNOWN_WORDS: [str(word) for word in known]})


Uuid = Annotated[str, Keywords(format="uuid")]
Moment = Annotated[str, Keywords(format="date-time")]
"""ISO 8601 with `Z` or an offset."""
Count = Annotated[int, Keywords(minimum=0)]
PositiveCount = Annotated[int, Keywords(minimum=1)]
