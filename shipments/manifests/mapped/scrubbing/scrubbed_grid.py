"""A sample's grid with every value that may be a person's replaced by an invented one of the same shape."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from random import Random
from string import ascii_uppercase
from typing import Any, TypeVar

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.countries import rules_for
from shipments.manifests.mapped.kept_grid import cell_as_json
from shipments.manifests.mapped.mapped_rows import meaning_of
from shipments.manifests.mapped.recognise import Match, repeats
from shipments.manifests.mapped.scrubbing.dealing import Dealing
from shipments.manifests.mapped.scrubbing.shapes import (
    mawb_pattern,
    redrawn,
    redrawn_document,
    redrawn_mawb,
    redrawn_wording,
    with_digits,
)
from shipments.manifests.mapped.spec import MappedColumn
from shipments.manifests.mapped.spec_values import normal_value
from shipments.manifests.sheets.row_kinds import names_sums
from shipments.manifests.words.amounts import reads_as_number
from shipments.manifests.words.headings import is_currency_word, is_unit_word
from shipments.manifests.words.labels import FLIGHT_FIELDS, reads

MEASURES = frozenset({"weight_kg", "fob_usd", "product_value", "packages_count", "hs_code"})
_CODES = frozenset({"weight_unit", "currency", "consignee_document_type", "category"})
_SMALL = 1_000
"""A smaller number without a field is a count or a size; a larger one may be a telephone number or a document."""
_MOST_TRIES = 100
_FARTHEST_DAYS = 300

_UNREAD = MappedColumn("")

Drawn = TypeVar("Drawn")


@dataclass(frozen=True, slots=True)
class Sample:
    """A grid as it is read. mawb: in the normal form. hawbs: of its guides. wording: values that the flight was read
    from, and the format's own labels, which stay. kinds: row number -> what must be equal for rows to exchange their
    numbers."""

    cells: Sequence[Sequence[Cell]]
    match: Match
    mawb: str
    hawbs: frozenset[str]
    wording: frozenset[str]
    kinds: Mapping[int, Hashable]


class ScrubbedGrid:
    """The replacements for one sample: equal values have equal ones. Rows are numbered from 1."""

    def __init__(self, sample: Sample, rng: Random) -> None:
        self._sample = sample
        self._rng = rng
        self._country = sample.match.spec.country
        columns = sample.match.spec.columns
        self._columns = {place: columns[index] for index, place in sample.match.places.items()}
        self._places = {column.field: place for place, column in self._columns.items()}
        kinds = rules_for(self._country).documents
        self._document_kinds = {name for kind in kinds for name in (kind.name, *kind.aliases)}
        self._mawb = redrawn_mawb(sample.mawb, rng)
        self._spelled = mawb_pattern(sample.mawb)
        shuffled = rng.sample(ascii_uppercase, len(ascii_uppercase))
        self._cipher = dict(zip(shuffled, [*shuffled[1:], shuffled[0]], strict=True))
        self._drawn: dict[tuple[str, object], Any] = {}
        self._used: dict[int, list[tuple[str, object]]] = {}
        self._goods = self._goods_rows()
        self._types: dict[tuple[str, str], dict[str, None]] = {}
        for number in sorted(self._goods):
            cells = sample.cells[number - 1]
            self._types.setdefault(self._document_of(cells), {})[self._type_of(cells)] = None
        self._dealing = self._deal()

    def grid(self) -> list[list[Any]]:
        """The grid as JSON."""
        self._used = {}
        return [
            [cell_as_json(cell) for cell in self._row(number, cells)]
            for number, cells in enumerate(self._sample.cells, start=1)
        ]

    def redraw(self, rows: Iterable[int]) -> None:
        """Replace the values of these rows by others."""
        for number in rows:
            for key in self._used.get(number, ()):
                self._drawn.pop(key, None)
            self._dealing.redraw(number)

    def undeal(self, rows: Iterable[int]) -> None:
        """Give these rows their own numbers back, for good."""
        for number in rows:
            self._dealing.give_back(number)

    # --- rows -------------------------------------------------------------------------------------------------------

    def _goods_rows(self) -> frozenset[int]:
        """The rows of guides and of their further products."""
        match, house = self._sample.match, self._places["hawb"]
        goods = set()
        for number, cells in enumerate(self._sample.cells, start=1):
            if number <= match.last_row or not cells or repeats(cells, match):
                continue
            hawb = _hawb_of(cells[house]) if house < len(cells) else ""
            is_total = any(isinstance(cell, str) and names_sums(text_of(cell)) for cell in cells)
            has_text = any(isinstance(cell, str) and not reads_as_number(cell) for cell in cells)
            if hawb in self._sample.hawbs or (not hawb and has_text and not is_total):
                goods.add(number)
        return frozenset(goods)

    def _deal(self) -> Dealing:
        """Deal the numbers of each column among rows of the same kind, between two rows that are not goods."""
        groups: dict[tuple[int, object], list[int]] = {}
        segment = 0
        for number, cells in enumerate(self._sample.cells, start=1):
            if number not in self._goods:
                segment += 1
                continue
            for column, cell in enumerate(cells):
                if self._is_dealt(self._columns.get(column, _UNREAD), cell):
                    kind = (segment, self._sample.kinds.get(number), isinstance(cell, str))
                    groups.setdefault((column, kind), []).append(number)
        return Dealing(groups, self._rng)

    def _row(self, number: int, cells: Sequence[Cell]) -> Sequence[Cell]:
        if number in self._goods:
            return [self._of_guide(number, column, cells) for column in range(len(cells))]
        match = self._sample.match
        if match.first_row <= number <= match.last_row or repeats(cells, match):
            return [self._without_mawb(cell) for cell in cells]
        is_below = number > match.last_row
        return [
            self._of_form(number, cell, self._columns.get(column, _UNREAD), is_below=is_below)
            for column, cell in enumerate(cells)
        ]

    def _of_form(self, number: int, cell: Cell, column: MappedColumn, *, is_below: bool) -> Cell:
        """A cell outside of guides: labels, flight, totals, notes."""
        replaced = self._without_mawb(cell)
        if replaced != cell or cell is None or isinstance(cell, bool | date | time):
            return replaced
        if isinstance(cell, str):
            draw = partial(redrawn_wording, cell, self._sample.wording, self._rng)
            return self._once(number, "form", cell, draw)
        if (is_below and column.field in MEASURES) or text_of(cell) in self._sample.wording or abs(cell) < _SMALL * 100:
            return cell
        return self._number(number, cell)

    # --- cells of guides --------------------------------------------------------------------------------------------

    def _of_guide(self, number: int, place: int, cells: Sequence[Cell]) -> Cell:
        cell, column = cells[place], self._columns.get(place, _UNREAD)
        if cell is None or isinstance(cell, bool | time) or self._stays(cell, column):
            return cell
        replaced = self._without_mawb(cell)
        if replaced != cell:
            return replaced
        if column.field in {"consignee_document", "check_digit"}:
            return self._document(number, place, cells)
        if column.field == "hawb":
            return _like(cell, self._once(number, "hawb", _hawb_of(cell), lambda: self._hawb(text_of(cell))))
        if donor := self._dealing.donor(number, place):
            return self._sample.cells[donor - 1][place]
        if isinstance(cell, date):
            return self._once(number, "date", cell, lambda: cell + self._days())
        if isinstance(cell, int | float):
            return self._number(number, cell)
        if column.field in MEASURES:
            return self._once(number, "form", cell, lambda: redrawn_wording(str(cell), (), self._rng))
        return self._once(number, "text", cell, lambda: redrawn(str(cell), self._rng))

    def _stays(self, cell: Cell, column: MappedColumn) -> bool:
        """Whether a cell of a guide says nothing about a person: a code, a flight, a mark for nothing."""
        text = normal_value(text_of(cell))
        if text in set(map(normal_value, column.empty)) or not text:
            return True
        if column.field in FLIGHT_FIELDS:
            return reads(column.field, cell)
        if column.field not in _CODES:
            return False
        is_known = text in column.values or text in self._document_kinds or len(text) == 1
        return is_known or is_unit_word(text) or is_currency_word(text)

    @staticmethod
    def _is_dealt(column: MappedColumn, cell: Cell) -> bool:
        if column.field in MEASURES:
            return reads_as_number(cell)
        is_small = isinstance(cell, int | float) and not isinstance(cell, bool) and abs(cell) < _SMALL
        return is_small and column.field in {"", "extra_data"}

    def _document(self, number: int, place: int, cells: Sequence[Cell]) -> Cell:
        """The document or its check digit; where they are in two columns, both are drawn together."""
        document = self._document_of(cells)
        drawn = self._once(number, "document", document, partial(self._drawn_document, *document))
        return _like(cells[place], drawn[0] if place == self._places.get("consignee_document") else drawn[1])

    def _document_of(self, cells: Sequence[Cell]) -> tuple[str, str]:
        """The texts of the document and of its check digit."""
        whole, digit = (self._places.get(name) for name in ("consignee_document", "check_digit"))
        return tuple(text_of(cells[at]) if at is not None and at < len(cells) else "" for at in (whole, digit))  # type: ignore[return-value]  # two

    def _drawn_document(self, document: str, digit: str) -> tuple[str, str]:
        """Another document that means the same under each type that rows give this one."""
        identify = rules_for(self._country).identify
        types = [*self._types[document, digit]]

        def verdict(text: str) -> list[tuple[object, ...]]:
            found = [identify(kind, text) for kind in types]
            return [
                (each.document_type, [problem.reason.sentence for problem in each.problems], each.review_reasons)
                for each in found
            ]

        wanted = verdict(document + digit)
        if any(reasons for *_rest, reasons in wanted):  # a placeholder, such as 11111111-1, is nobody's
            return document, digit
        drawn = redrawn_document(
            document + digit, lambda text: verdict(text) == wanted, self._document_kinds, self._rng
        ) or redrawn(document + digit, self._rng)
        return (drawn[: len(document)], drawn[len(document) :]) if digit else (drawn, "")

    def _type_of(self, cells: Sequence[Cell]) -> str:
        place = self._places.get("consignee_document_type")
        text = normal_value(text_of(cells[place])) if place is not None and place < len(cells) else ""
        values = self._columns[place].values if place is not None else {}
        return meaning_of("consignee_document_type", text, values) if values else text

    def _hawb(self, text: str) -> str:
        """A HAWB of no other guide. Equal letters stay equal, so that HAWBs keep what they have in common."""
        taken = {drawn for (role, _), drawn in self._drawn.items() if role == "hawb"}
        drawn = text
        for _ in range(_MOST_TRIES):
            drawn = "".join(map(self._letter, redrawn(text, self._rng), text))
            if drawn not in taken:
                break
        return drawn

    def _letter(self, drawn: str, original: str) -> str:
        cipher = self._cipher.get(original.upper())
        return drawn if cipher is None else cipher if original.isupper() else cipher.lower()

    def _number(self, number: int, cell: float) -> Cell:
        if not math.isfinite(cell):
            return cell
        plain = format(Decimal(repr(cell)), "f")  # without an exponent
        return _like(cell, self._once(number, "number", cell, lambda: redrawn(plain, self._rng)))

    def _days(self) -> timedelta:
        return timedelta(days=self._rng.choice([-1, 1]) * self._rng.randrange(1, _FARTHEST_DAYS))

    def _without_mawb(self, cell: Cell) -> Cell:
        if cell is None or isinstance(cell, bool | date | time):
            return cell
        text = cell if isinstance(cell, str) else text_of(cell)
        digits = self._mawb.replace("-", "")
        found = self._spelled.sub(lambda match: with_digits(match[0], digits), text)
        return cell if found == text else _like(cell, found)

    def _once(self, number: int, role: str, value: object, draw: Callable[[], Drawn]) -> Drawn:
        """What replaces a value in this role, drawn the first time that it is asked for."""
        key = (role, value)
        self._used.setdefault(number, []).append(key)
        if key not in self._drawn:
            self._drawn[key] = draw()
        drawn: Drawn = self._drawn[key]
        return drawn


def _hawb_of(cell: Cell) -> str:
    return text_of(cell).lstrip("'`\u2019").upper()


def _like(cell: Cell, text: str) -> Cell:
    """The text as a cell of the same type, if it can be one."""
    if isinstance(cell, str):
        return text
    try:
        return int(text) if isinstance(cell, int) else float(text)
    except ValueError:
        return text
