"""The unit of the weights and the currency of the values in a table."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from shipments.manifests.cells import Cell, Row, cell_at, text_of, tokens
from shipments.manifests.sheets.candidates import values_of
from shipments.manifests.words.amounts import is_dollars, reads_as_number, unit_of
from shipments.manifests.words.headings import UNKNOWN, Heading
from shipments.manifests.words.lexicon import (
    CELL_WORDS,
    CLASSES,
    CURRENCIES,
    CURRENCY_CODES,
    NOUNS,
    UNITS,
    Field,
    Meaning,
    has,
    words_of,
)
from shipments.manifests.words.nouns import UNREADABLE, currency_named, is_currency_word, is_unit_word, unit_named
from shipments.manifests.words.spelling import fold

_FARTHEST = 2
"""Columns between a measure and the column of its unit when that column has no heading, or an unclear one."""
_LONGEST_STATEMENT = 300
_OTHER_WEIGHTS = CLASSES["volumetric"] | CLASSES["limit"] | CLASSES["rate"]
_MAY_TELL: frozenset[Field] = tokens("unused weight_unit currency packages_count weight_kg fob_usd")
_IN_INCHES = re.compile(r"[(\[](?:in|inch|inches|pulg|pulgadas)\.?[)\]]", re.IGNORECASE)
_LONGEST_LABEL = 5
_FEWEST_VALUES = 2
_MOST_STATED = 3
"""Texts of a column that repeats what holds for all rows, or for each of a few kinds."""


class Statement(NamedTuple):
    """A unit, a currency or terms of delivery named outside the guides, in the sheet's name or the same on every row.

    field: `weight_unit`, `currency` or `terms`. value: as a heading gives it. text: the cell. is_of_all: whether it is
    about all rows; a sum may be given in another unit than they are.
    """

    field: Field
    value: str
    text: str
    is_of_all: bool


def _agree(named: str, statements: Sequence[Statement]) -> tuple[str, str]:
    """The unit or currency that headings and statements agree on, and the statement that contradicts, if any.

    named: by the headings; empty for none. Without a contradiction, what the headings name comes first.
    """
    if named == UNREADABLE:
        return named, ""
    if named:
        other = next((each.text for each in statements if each.is_of_all and each.value != named), "")
        return (UNREADABLE if other else named), other
    values = {each.value for each in statements}
    if len(values) == 1 and UNREADABLE not in values:
        return values.pop(), ""
    return (UNREADABLE, statements[-1].text) if values else ("", "")


@dataclass(frozen=True, slots=True)
class Measures:
    """How to read the weights and values of a table.

    unit: a key of `amounts.UNITS`, or `UNREADABLE` when no weight can be read. unit_column: gives the unit of each row;
    `unit` applies to rows that leave it empty. currency: of the FOB values; empty for dollars that are not stated.
    currency_column: gives the currency of each row. is_in_dollars: whether a row that leaves it empty is in dollars.
    foreign: fields whose values are not, or may not be, in dollars or FOB. against_unit, against_currency, terms: the
    text that contradicts what was read, so that no weight or no value is.
    """

    unit: str = "kg"
    unit_column: int | None = None
    currency: str = ""
    currency_column: int | None = None
    is_in_dollars: bool = True
    foreign: frozenset[Field] = frozenset()
    against_unit: str = ""
    against_currency: str = ""
    terms: str = ""

    def columns(self) -> list[int]:
        """The columns it reads."""
        return [column for column in (self.unit_column, self.currency_column) if column is not None]

    def named_unit(self) -> str:
        """The unit of all weights; empty if they cannot be read, or it differs from row to row."""
        return "" if self.unit == UNREADABLE else self.unit

    def has_unit(self) -> bool:
        """Whether weights can be read."""
        return self.unit != UNREADABLE or self.unit_column is not None


def measures_of(
    single: Mapping[Field, int],
    headings: Mapping[int, Heading],
    taken: Collection[int],
    sample: Sequence[Sequence[Cell]],
    stated: Sequence[Statement],
) -> Measures:
    """Determine the unit and currency of the chosen columns.

    single: field -> its column. taken: columns already used for a field. stated: outside the table.
    """
    # Rows without a HAWB, such as totals, may have their label in the column of units.
    hawb = single.get("hawb")
    guides = [cells for cells in sample if hawb is None or text_of(cell_at(cells, hawb))]
    table = _Table(headings, taken, guides)
    unit_column = table.telling("weight_unit", single.get("weight_kg"), is_unit_word)
    currency_column = table.telling("currency", single.get("fob_usd"), is_currency_word)
    stated = (*stated, *table.find_stated({unit_column, currency_column}))
    units = [each for each in stated if each.field == "weight_unit"]
    measures = Measures(currency_column=currency_column)
    if "weight_kg" in single:
        unit, unit_column, against = _unit(table, single["weight_kg"], unit_column, units)
        measures = replace(measures, unit=unit, unit_column=unit_column, against_unit=against)
    return _with_values(measures, table, single, stated) if "fob_usd" in single else measures


def _with_values(
    measures: Measures, table: "_Table", single: Mapping[Field, int], stated: Sequence[Statement]
) -> Measures:
    heading, column = table.headings[single["fob_usd"]], measures.currency_column
    currencies = [each for each in stated if each.field == "currency"]
    texts = table.texts(column) if column is not None else set()
    named = heading.currency or ("USD" if texts and all(map(is_dollars, texts)) else "")
    currency, against = _agree(named, currencies if column is None or named else ())
    is_fob = "fob" in words_of(heading.text) or Meaning("fob_usd", 0) in heading.meanings  # or told so
    of_terms = () if is_fob else (each.text for each in stated if each.field == "terms")
    terms = next(iter(of_terms), "")
    foreign = {
        name
        for name in ("fob_usd", "product_value")
        if name in single
        and _agree(table.headings[single[name]].currency, currencies if column is None else ())[0] not in {"", "USD"}
    }
    return replace(
        measures,
        currency=currency,
        is_in_dollars=currency == "USD" or all(map(is_dollars, texts)),
        foreign=frozenset(foreign | ({"fob_usd"} if against or terms else set())),
        against_currency=against,
        terms=terms,
    )


def _unit(table: "_Table", weight: int, column: int | None, stated: Sequence[Statement]) -> tuple[str, int | None, str]:
    named = table.headings[weight].unit
    if column is None:
        unit, against = _agree(named, stated)
        if not unit and table.has_units_of_length():
            unit = UNREADABLE  # inches go with pounds
        return unit or "kg", None, against
    units = {known for text in table.texts(column) if (known := unit_of(text))}
    against = next((each.text for each in stated if each.is_of_all and units and each.value not in units), "")
    if against or (named not in {"", UNREADABLE} and not units <= {named}):
        return UNREADABLE, None, against
    if named not in {"", UNREADABLE}:
        return named, column, ""
    return (units.pop() if len(units) == 1 else UNREADABLE), column, ""


@dataclass(frozen=True, slots=True)
class _Table:
    headings: Mapping[int, Heading]
    taken: Collection[int]
    sample: Sequence[Sequence[Cell]]

    def texts(self, column: int) -> set[str]:
        return {text_of(value) for value in values_of(self.sample, column)}

    def find_stated(self, telling: Collection[int | None]) -> Iterator[Statement]:
        """What columns that serve nothing state in a few words, mostly the same on every row: `Moneda: EUR`, `CIF`."""
        for column in range(max((len(row) for row in self.sample), default=0)):
            heading = self.headings.get(column, UNKNOWN)
            if column in self.taken or column in telling or heading.fields() & {"currency", "weight_unit"}:
                continue
            values = values_of(self.sample, column)
            texts = set(map(text_of, values))
            if 0 < len(texts) <= _MOST_STATED and all(isinstance(value, str) for value in values):
                first = {fold(text)[:1] for text in texts}
                are_terms = all(has(word, "terms") or word == ("fob",) for word in first)
                are_codes = CURRENCY_CODES.issuperset(map(str.casefold, texts)) and not has(
                    words_of(heading.text), "charge"
                )
                label = "Incoterm" if are_terms else "Moneda" if are_codes else heading.text
                yield from find_statements((column, (label, text)) for text in texts)

    def telling(self, name: Field, measure: int | None, test: Callable[[str], bool]) -> int | None:
        """The column nearest to a measure whose heading or values give the unit or currency of that measure."""
        if measure is None:
            return None

        def passes(value: Cell) -> bool:
            return isinstance(value, str) and test(value)

        headed = [
            column
            for column, heading in self.headings.items()
            if column not in self.taken and name in heading.fields() and self.texts(column)
        ]
        if not headed:
            width = max((len(row) for row in self.sample), default=0)
            headed = [
                column
                for column in range(width)
                if column not in self.taken
                and (heading := self.headings.get(column, UNKNOWN)).fields() <= _MAY_TELL
                and (
                    abs(column - measure) <= _FARTHEST
                    or (name == "weight_unit" and has(words_of(heading.text), "unit_word"))
                )
                and (values := values_of(self.sample, column))
                and all(map(passes, values))
            ]
        return min(headed, key=lambda column: (abs(column - measure), column < measure), default=None)

    def has_units_of_length(self) -> bool:
        """Whether a heading is in inches, or a column of units, of whatever measure, holds units of length."""
        if any(_IN_INCHES.search(heading.text) for heading in self.headings.values()):
            return True
        headed = (column for column, heading in self.headings.items() if has(words_of(heading.text), "unit_word"))
        columns = (column for column in headed if column not in self.taken)
        return any(has(fold(text), "length_unit") for column in columns for text in self.texts(column))


def find_changes(
    rows: Iterable[Row], single: Mapping[Field, int], headings: Mapping[int, Heading]
) -> Iterator[Statement]:
    """The units and currencies that stand below the headings in the columns of weights and values, between the guides.

    One that the heading does not name contradicts it, as the rows above have another.
    """
    for name, measure, is_named in (
        ("weight_unit", "weight_kg", is_unit_word),
        ("currency", "fob_usd", is_currency_word),
    ):
        column = single.get(measure)
        for cell in () if column is None else (cell_at(cells, column) for _, cells in rows):
            if isinstance(cell, str) and is_named(text := text_of(cell).strip("()[] ")):
                heading = headings[column]  # type: ignore[index]  # the column is known here
                if name == "weight_unit":
                    is_other = unit_of(text) != (heading.unit or "kg")
                else:
                    is_other = currency_named(fold(text)) != (heading.currency or "USD")
                if is_other:
                    yield Statement(name, UNREADABLE, text, is_of_all=True)


# --- stated outside the headings ------------------------------------------------------------------------------------


def find_statements(rows: Iterable[Row], sheet_name: str = "") -> tuple[Statement, ...]:
    """The units and currencies that rows outside the guides state, as a label (`Unidad: LB`) or in a sentence.

    sheet_name: may be a statement, too (`Manifiesto LBS`): its single words, without those that mean other things.
    """
    words = fold(sheet_name)
    unit = unit_named(word for word in words if UNITS.get(word) in {"kg", "lb", "oz"})
    currency = next((code for word in words if word in CURRENCY_CODES and (code := currency_named([word]))), "")
    terms = _find_terms(sheet_name, "")
    found = [(f, v, sheet_name, True) for f, v in (("weight_unit", unit), ("currency", currency), ("terms", terms))]
    for _, cells in rows:
        if len(cells) - cells.count(None) > _FEWEST_VALUES and any(map(reads_as_number, cells)):
            continue  # products of a guide
        for position, cell in enumerate(cells):
            text = text_of(cell).replace("：", ":") if isinstance(cell, str) else ""
            if not text or len(text) > _LONGEST_STATEMENT:
                continue
            following = [each for each in cells[position + 1 :] if text_of(each).strip(": ")]
            beside = next((text_of(each) for each in following if isinstance(each, str)), "")
            has_number = any(map(reads_as_number, following[:1]))
            is_of_all = not has_number and not any(map(str.isdigit, text))
            found.append(("weight_unit", _find_unit(text, beside), text, is_of_all))
            found.append(("currency", _find_currency(text, beside), text, is_of_all))
            terms = "" if has_number else _find_terms(text, beside)
            found.append(("terms", terms, text if has(fold(text), "terms") else f"{text} {beside}", True))
    return tuple(Statement(*each) for each in found if each[1])


def _lists_units(words: Sequence[str]) -> bool:
    """Whether a text is a label for units with several of them: `Unidades: kg / CLP`."""
    named = [word for word in words if (word in UNITS or word in CURRENCIES) and word not in NOUNS["weight_kg"]]
    others = [word for word in words if word not in named]
    return (
        len(named) > 1
        and has(others, "unit_word")
        and all(has((word,), "unit_word", "connective", "article") for word in others)
    )


def _find_unit(text: str, beside: str) -> str:
    words = fold(text)
    if _lists_units(words):
        return unit_named(words)
    label, colon, inside = text.partition(":")
    for labelling, value in (*([(words, beside)] if words else []), *([(fold(label), inside)] if colon else [])):
        if all(word in CELL_WORDS["unit_labels"] or has((word,), "connective", "article") for word in labelling):
            if is_unit_word(value):
                return unit_of(value) or ""
            if has(labelling, "unit_word") and has(fold(value), "length_unit"):
                return UNREADABLE
    are_units = all(word in UNITS or has((word,), "connective", "article") for word in words)
    if len(words) > 1 and (are_units or (words[-1] in UNITS and words[-2] == "en")):
        return unit_named(words)  # `en libras`, `Desde aquí en libras`
    if NOUNS["weight_kg"].isdisjoint(words) or not _OTHER_WEIGHTS.isdisjoint(words):
        return ""
    words += fold(beside) if reads_as_number(beside) else ()
    unit = unit_named(words)
    # `Peso total: 264 LB` gives a sum; kilograms agree with the default anyway.
    return unit if unit in {"", "kg"} or not any(word.isdigit() for word in words) else UNREADABLE


def _find_currency(text: str, beside: str) -> str:
    words = fold(text)
    if unit_named(words):
        words = tuple(word for word in words if word not in NOUNS["weight_kg"])  # `pesos en kg, valores en USD`
    if not CELL_WORDS["rates"].isdisjoint(words) or has(words, "charge", "date", "code"):
        return ""
    if _lists_units(words):
        return currency_named(words)
    if has(words, "currency_word") and len(words) <= _LONGEST_LABEL:
        named = currency_named(words)
        return named or (currency_named(fold(beside)) if is_currency_word(beside) else "")
    are_currencies = all(word in CURRENCIES or has((word,), "connective", "article") for word in words)
    is_in_one = words[-2:-1] == ("en",) and words[-1] in CURRENCIES.keys() - NOUNS["weight_kg"]
    if len(words) > 1 and (are_currencies or is_in_one):
        return currency_named(words)  # `en euros`, `Desde aquí en euros`
    return currency_named(words) if not NOUNS["fob_usd"].isdisjoint(words) and len(words) > 1 else ""


def _find_terms(text: str, beside: str) -> str:
    """Terms of delivery other than FOB, which a label or a text about values names: `Incoterm: CIF`, `Valores CIF`."""
    words = fold(text)
    if has(words, "terms_word") and len(words) <= _LONGEST_LABEL:
        words += fold(beside)
    elif NOUNS["fob_usd"].isdisjoint(words) or any(map(str.isdigit, text)):
        return ""
    return "" if "fob" in words else next((word for word in words if has((word,), "terms")), "")
