"""The account of a table's columns: each filled one is read, kept or asked; and what else is to be known of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import chain, count

from openpyxl.utils import get_column_letter

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.documents import check_rut
from shipments.manifests.sheets.candidates import is_spoilt
from shipments.manifests.sheets.row_kinds import count_staying
from shipments.manifests.sheets.row_reader import ASKED
from shipments.manifests.sheets.surveys import Columns, Doubt
from shipments.manifests.sheets.table import Table
from shipments.manifests.words import WORDS
from shipments.manifests.words.headings import UNKNOWN, Heading
from shipments.manifests.words.lexicon import has, may_be_personal, without_articles, words_of
from shipments.manifests.words.nouns import UNREADABLE
from shipments.manifests.words.spelling import fold

_FEWEST_REPEATED = 3
"""Headings that a second table beside the first one repeats."""


def account_for_columns(columns: Columns, table: Table) -> Columns:
    """The columns with what is to be known of them besides the field that each serves."""
    single, headings = columns.single, table.headings
    doubts = (*columns.doubts, *_doubtful_measures(columns, headings))

    def values(name: str) -> Sequence[Cell]:
        return table.values_in(single[name]) if name in single else ()

    # One in eleven documents of digits alone is a RUT by chance.
    bare = [t for value in values("consignee_document") if (t := text_of(value).replace(".", "")).isdigit()]
    ruts = [text for text in bare if not check_rut(text).problem]
    return replace(
        columns,
        doubts=doubts,
        kept=find_kept_columns(columns, doubts, table),
        house_beside=_house_beside(columns, table),
        cancelled=_find_cancelled(columns, table),
        houses=tuple(text_of(value).upper() for value in values("hawb")),
        lacks_check_digits="check_digit" not in single and len(bare) > 1 and len(ruts) * 2 < len(bare),
        dated=sum(isinstance(value, date) for value in values("hawb")),
        spoilt=frozenset(n for n in ("hawb", "consignee_document") if (v := values(n)) and all(map(is_spoilt, v))),
        once=frozenset(
            name
            for name in ("fob_usd", "product_value")
            if name in single
            and has(words := words_of(headings[single[name]].text), "of_guide")
            and not has(words, "item")
            and not columns.counts_goods
        ),
    )


def _doubtful_measures(columns: Columns, headings: Mapping[int, Heading]) -> Iterator[Doubt]:
    """The weight and the value whose unit or currency nobody can tell. One that is known to be another is not asked."""
    for name in columns.unread_measures():
        column = columns.single[name]
        currency = headings[column].currency
        if name == "weight_kg" or (name == "fob_usd" and currency in {"", "USD", UNREADABLE}):
            yield Doubt(name, (column,), "unit_unknown")


def _house_beside(columns: Columns, table: Table) -> int | None:
    """The HAWB column of a second table beside this one: the same headings again, above other HAWBs."""
    headings = table.headings
    texts = Counter(heading.text.casefold() for heading in headings.values() if heading.meanings)
    house = columns.single.get("hawb")
    if house is None or sum(count > 1 for count in texts.values()) < _FEWEST_REPEATED:
        return None
    known, named = set(map(text_of, table.values[house])), headings[house].text.casefold()
    for column, heading in sorted(headings.items()):
        values = table.values[column] if column != house and heading.text.casefold() == named else ()
        if values:
            return None if known.intersection(map(text_of, values)) else column
    return None


def _find_cancelled(columns: Columns, table: Table) -> int | None:
    """A column that marks some guides as left behind: one that serves nothing, or of texts of the guides."""
    goods, house, region = map(columns.single.get, ("description_original", "hawb", "consignee_region"))
    texts = {goods, house, region, *chain.from_iterable(columns.names)}
    serving = columns.all_serving() - texts
    for column in range(max(map(len, table.sample), default=0)):
        values = () if column in serving else table.values_in(column)
        marks = [text for text in map(text_of, values) if column != house or any(map(str.isdigit, text))]
        marked = count_staying(marks, is_goods=column == goods)
        if 0 < marked < len(table.sample):
            return column
    return None


# --- kept ---------------------------------------------------------------------------------------------------------

_LONGEST_KEY = 48
_OWN = "x_"
"""Begins the key of a heading that has no fixed one, so that it is no key of a rule, a marketplace or a carrier."""


def find_kept_columns(columns: Columns, doubts: Sequence[Doubt], table: Table) -> dict[int, str]:
    """Column -> the key of extra data under which its cells are kept, the columns in doubt first.

    All columns with a heading that serve nothing, since a value may stand below the sample; and those without one that
    are filled, unless it is a box beside the guides.
    """
    serving, headings = columns.all_serving() - columns.unread(), table.headings
    keys = {column: key for column, key in columns.rules.keys.items() if column not in serving}
    for doubt in doubts:
        for column in doubt.columns:
            if column not in serving:
                keys.setdefault(column, f"{ASKED}{doubt.field}_{get_column_letter(column + 1)}")
    last = max(headings, default=0)
    for column in range(max(last + 1, *map(len, table.sample), 0)):
        values = () if column in headings else table.values_in(column)
        # Right of the headings, fewer cells than half of the guides are a box.
        is_table = column in headings or (values and (column < last or len(values) * 2 > len(table.sample)))
        if is_table and column not in serving and column not in keys:
            key = key_of(headings.get(column, UNKNOWN).text, column)
            numbered = chain([key], (f"{key}_{number}" for number in count(2)))
            keys[column] = next(each for each in numbered if each not in keys.values())
    return keys


def key_of(heading: str, column: int) -> str:
    """The key for a heading: a fixed one for what customs asks for, else one of its own words.

    A heading that may be a person's data gives none: the key stands in the guides of others, too.
    """
    words = () if may_be_personal(heading) else words_of(heading)
    plain = tuple(word for word in without_articles(words) if not has((word,), "remark")) or words
    if key := _load_fixed_keys().get(plain):
        return key
    own = "_".join(words) or f"column_{get_column_letter(column + 1)}"
    return (_OWN + own)[:_LONGEST_KEY]


@cache
def _load_fixed_keys() -> Mapping[tuple[str, ...], str]:
    return {
        without_articles(fold(phrase)): key for key, phrases in WORDS["kept"].items() for phrase in phrases.split(",")
    }
