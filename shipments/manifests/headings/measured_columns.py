"""The unit of the weights and the currency of the values in a table."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from shipments.manifests.headings.candidates import are_mostly
from shipments.manifests.headings.guide_words import Field, tokens
from shipments.manifests.headings.headers import Heading
from shipments.manifests.headings.heading_measures import (
    NO_FOB,
    UNREADABLE,
    VALUE_NOUNS,
    VOLUMETRIC,
    WEIGHT_NOUNS,
    currency_named,
    is_currency_word,
    is_unit_word,
    unit_named,
)
from shipments.manifests.headings.heading_spelling import fold
from shipments.manifests.workbook.amounts import is_dollars, unit_of
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.xlsx.opening import Cell, Row

_FARTHEST = 2
"""Columns between a measure and the column of its unit when that column has no heading, or an unclear one."""
_LONGEST_STATEMENT = 300
_UNIT_LABELS = tokens("medida uom um unidad unidades unit units peso pesos weight weights measure")
_CURRENCY_LABELS = tokens("currency divisa moneda")
_RATES = tokens("cambio exchange rate tasa tipo")


@dataclass(frozen=True, slots=True)
class Stated:
    """The unit of weight and the currency stated above a table; empty for none, `UNREADABLE` for several."""

    unit: str = ""
    currency: str = ""


NOTHING_STATED = Stated()


@dataclass(frozen=True, slots=True)
class Measures:
    """How to read the weights and values of a table.

    unit: a key of `amounts.UNITS`, or `UNREADABLE` when no weight can be read. unit_column: gives the unit of each row;
    `unit` applies to rows that leave it empty. currency: of the FOB values; empty for dollars that are not stated.
    currency_column: gives the currency of each row. is_in_dollars: whether a row that leaves it empty is in dollars.
    foreign: fields whose values are not, or may not be, in dollars.
    """

    unit: str = "kg"
    unit_column: int | None = None
    currency: str = ""
    currency_column: int | None = None
    is_in_dollars: bool = True
    foreign: frozenset[Field] = frozenset()

    def columns(self) -> list[int]:
        """The columns it reads."""
        return [column for column in (self.unit_column, self.currency_column) if column is not None]

    def is_mixed(self) -> bool:
        """Whether the unit differs from row to row."""
        return self.unit_column is not None and self.unit == UNREADABLE

    def has_unit(self) -> bool:
        """Whether weights can be read."""
        return self.unit != UNREADABLE or self.unit_column is not None


def measures_of(
    single: Mapping[Field, int],
    headings: Mapping[int, Heading],
    taken: Collection[int],
    sample: Sequence[Sequence[Cell]],
    stated: Stated,
) -> Measures:
    """Determine the unit and currency of the chosen columns.

    single: field -> its column. taken: columns already used for a field. stated: the unit and currency stated above the
    table.
    """
    table = _Table(headings, taken, sample)
    unit, unit_column = "kg", None
    if "weight_kg" in single:
        unit, unit_column = _unit(table, single["weight_kg"], stated)
    currency, currency_column, is_in_dollars = "", None, True
    foreign: set[Field] = set()
    if "fob_usd" in single:
        heading = headings[single["fob_usd"]]
        currency_column = table.telling("currency", single["fob_usd"], is_currency_word)
        currency = heading.currency or ("" if currency_column is not None else stated.currency)
        texts = table.texts(currency_column) if currency_column is not None else set()
        is_in_dollars = currency == "USD" or all(is_dollars(text) for text in texts)
    for name in ("fob_usd", "product_value"):
        if name in single and (
            headings[single[name]].currency or ("" if currency_column is not None else stated.currency)
        ) not in {"", "USD"}:
            foreign.add(name)
    return Measures(unit, unit_column, currency, currency_column, is_in_dollars, frozenset(foreign))


def _unit(table: "_Table", weight: int, stated: Stated) -> tuple[str, int | None]:
    named = table.headings[weight].unit
    column = table.telling("weight_unit", weight, is_unit_word)
    if column is None:
        return named or stated.unit or "kg", None
    units = {unit for text in table.texts(column) if (unit := unit_of(text))}
    if named not in {"", UNREADABLE}:
        return (named, column) if units <= {named} else (UNREADABLE, None)
    return (units.pop() if len(units) == 1 else UNREADABLE), column


@dataclass(frozen=True, slots=True)
class _Table:
    headings: Mapping[int, Heading]
    taken: Collection[int]
    sample: Sequence[Sequence[Cell]]

    def values(self, column: int) -> list[Cell]:
        return [row[column] for row in self.sample if column < len(row) and text_of(row[column])]

    def texts(self, column: int) -> set[str]:
        return {text_of(value) for value in self.values(column)}

    def telling(self, name: Field, measure: int, test: Callable[[str], bool]) -> int | None:
        """The column nearest to a measure whose heading or values give the unit or currency of that measure."""

        def passes(value: Cell) -> bool:
            return isinstance(value, str) and test(value)

        headed = [
            column
            for column, heading in self.headings.items()
            if column not in self.taken and name in heading.fields() and self.values(column)
        ]
        if not headed:
            width = max((len(row) for row in self.sample), default=0)
            near = range(max(0, measure - _FARTHEST), min(width, measure + _FARTHEST + 1))
            headed = [
                column
                for column in near
                if column not in self.taken
                and self._may_tell(column)
                and are_mostly(values := self.values(column), passes)
                and all(map(passes, values))
            ]
        return min(headed, key=lambda column: (abs(column - measure), column < measure), default=None)

    def _may_tell(self, column: int) -> bool:
        heading = self.headings.get(column)
        return heading is None or heading.fields() <= {"unused", "weight_unit", "currency", "packages_count"}


# --- stated above the table -----------------------------------------------------------------------------------------


def stated_in(rows: Iterable[Row]) -> Stated:
    """The unit and the currency that rows above a table state, as a label (`Unidad: LB`) or in a sentence."""
    units: set[str] = set()
    currencies: set[str] = set()
    for _, cells in rows:
        texts = [text_of(cell) if isinstance(cell, str) else "" for cell in cells]
        for position, text in enumerate(texts):
            if text and len(text) <= _LONGEST_STATEMENT:
                beside = next((following for following in texts[position + 1 :] if following.strip(": ")), "")
                units.add(_stated_unit(text, beside))
                currencies.add(_stated_currency(text, beside))
    return Stated(_agreed(units), _agreed(currencies))


def _stated_unit(text: str, beside: str) -> str:
    words = fold(text)
    is_about_weight = not WEIGHT_NOUNS.isdisjoint(words) and VOLUMETRIC.isdisjoint(words)
    if words and set(words) <= _UNIT_LABELS and is_unit_word(beside):
        return unit_of(beside) or ""
    label, colon, value = text.partition(":")
    if colon and set(fold(label)) <= _UNIT_LABELS and is_unit_word(value):
        return unit_of(value) or ""
    if not is_about_weight:
        return ""
    unit = unit_named(words)
    # `Peso total: 264 LB` gives a sum; kilograms agree with the default anyway.
    return unit if unit in {"", "kg"} or not any(word.isdigit() for word in words) else UNREADABLE


def _stated_currency(text: str, beside: str) -> str:
    words = fold(text)
    if not _RATES.isdisjoint(words) or not (NO_FOB - _CURRENCY_LABELS).isdisjoint(words):
        return ""
    if not _CURRENCY_LABELS.isdisjoint(words) and len(words) <= _LONGEST_LABEL:
        named = currency_named(words)
        return named or (currency_named(fold(beside)) if is_currency_word(beside) else "")
    return currency_named(words) if not VALUE_NOUNS.isdisjoint(words) and len(words) > 1 else ""


_LONGEST_LABEL = 5


def _agreed(said: set[str]) -> str:
    said.discard("")
    return said.pop() if len(said) == 1 else UNREADABLE if said else ""
