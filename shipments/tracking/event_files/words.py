"""The words of event files, from `words.toml`: the names of columns, and the words for statuses and sources."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from shipments.manifests.words.lexicon import CLASSES
from shipments.manifests.words.spelling import fold
from shipments.statuses import GuideStatus, Source

Column = Literal[
    "tracking_code",
    "mawb",
    "hawb",
    "guide",
    "status",
    "occurred_at",
    "time",
    "event_time",
    "source",
    "internal_note",
    "client_note",
]
"""`time`: the time of day, if it has its own column. `guide` and `event_time` are resolved to another column by the
headings next to them."""


def fold_word(text: str) -> str:
    """Return a word in the form used for comparison: `Fecha y hora` and `FECHA_HORA` are equal."""
    return " ".join(token for token in fold(text) if token not in CLASSES["article"])


def fold_heading(text: str) -> str:
    """Fold a heading, in which `N°`, `No` and `Nro.` mean "number" and are dropped. In a status, `No` is kept."""
    return " ".join(word for word in fold_word(text).split() if word != "numero")


_WORDS: Mapping[str, Mapping[Any, str]] = tomllib.loads(
    (Path(__file__).parent / "words.toml").read_text(encoding="utf-8")
)


def _split(words: str) -> list[str]:
    return [fold_word(word) for word in words.split(",")]


HEADINGS: Mapping[str, Column] = {
    word: column for column, words in _WORDS["columns"].items() for word in (fold_heading(column), *_split(words))
}
"""Folded heading -> column."""

STATUSES: Mapping[str, GuideStatus] = {
    word: GuideStatus(status)
    for status, words in _WORDS["statuses"].items()
    for word in (fold_word(status), str(GuideStatus(status).code), *_split(words))
}
"""Folded word or status code -> status."""

SOURCES: Mapping[str, Source] = {
    word: Source(source) for source, words in _WORDS["sources"].items() for word in (fold_word(source), *_split(words))
}
"""Folded word -> source."""
