"""The filled columns that no field reads: kept in the guides' extra data, each under its own key."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from openpyxl.utils import get_column_letter

from shipments.manifests.cells import Cell
from shipments.manifests.sheets.candidates import values_of
from shipments.manifests.sheets.row_reader import ASKED
from shipments.manifests.sheets.surveys import Columns, Doubt
from shipments.manifests.words import WORDS
from shipments.manifests.words.headings import UNKNOWN, Heading
from shipments.manifests.words.lexicon import has, may_be_personal, without_articles, words_of
from shipments.manifests.words.spelling import fold

_LONGEST_KEY = 48
_OWN = "x_"
"""Begins the key of a heading that has no fixed one, so that it is no key of a rule, a marketplace or a carrier."""


def kept_columns(
    columns: Columns, doubts: Sequence[Doubt], headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]]
) -> dict[int, str]:
    """Column -> the key of extra data under which its cells are kept, the columns in doubt first.

    All columns with a heading that serve nothing, since a value may stand below the sample; and those without one that
    are filled, unless it is a box beside the guides.
    """
    serving = columns.all_serving() - columns.unread()
    keys = {column: key for column, key in columns.rules.keys.items() if column not in serving}
    for doubt in doubts:
        for column in doubt.columns:
            if column not in serving:
                keys.setdefault(column, f"{ASKED}{doubt.field}_{get_column_letter(column + 1)}")
    for column in sorted({*headings, *_unheaded(headings, sample)} - serving - keys.keys()):
        if column in headings or column not in keys:
            keys[column] = _free(key_of(headings.get(column, UNKNOWN).text, column), keys)
    return keys


def _free(key: str, keys: Mapping[int, str]) -> str:
    taken, number = set(keys.values()), 2
    found = key
    while found in taken:
        found, number = f"{key}_{number}", number + 1
    return found


def _unheaded(headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]]) -> Iterator[int]:
    """The filled columns without a heading. Right of the headings, fewer cells than half of the guides are a box."""
    last = max(headings, default=0)
    for column in range(max(map(len, sample), default=0)):
        values = () if column in headings else values_of(sample, column)
        if values and (column < last or len(values) * 2 > len(sample)):
            yield column


def key_of(heading: str, column: int) -> str:
    """The key for a heading: a fixed one for what customs asks for, else one of its own words.

    A heading that may be a person's data gives none: the key stands in the guides of others, too.
    """
    words = () if may_be_personal(heading) else words_of(heading)
    plain = tuple(word for word in without_articles(words) if not has((word,), "remark")) or words
    if key := _fixed_keys().get(plain):
        return key
    own = "_".join(words) or f"column_{get_column_letter(column + 1)}"
    return (_OWN + own)[:_LONGEST_KEY]


@cache
def _fixed_keys() -> Mapping[tuple[str, ...], str]:
    return {
        without_articles(fold(phrase)): key for key, phrases in WORDS["kept"].items() for phrase in phrases.split(",")
    }
