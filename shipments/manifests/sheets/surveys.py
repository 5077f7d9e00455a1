"""What a workbook of unknown layout contains: its guide tables, and what it says about the MAWB and the flight."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, NamedTuple

from openpyxl.utils import get_column_letter

from shipments.manifests.cells import Cell, Sheet, cell_at, shape_of, text_of, tokens
from shipments.manifests.findings import MAX_QUOTED
from shipments.manifests.manifest import AskedColumn, Notice, Question
from shipments.manifests.places import read_destination
from shipments.manifests.sheets.answers import NOTHING_TOLD, Told
from shipments.manifests.sheets.evidence import Strength
from shipments.manifests.sheets.headers import HeaderBlock
from shipments.manifests.sheets.measures import Measures
from shipments.manifests.sheets.table import Table
from shipments.manifests.words.headings import UNKNOWN, Heading
from shipments.manifests.words.labels import LabelledValues
from shipments.manifests.words.lexicon import Field

_DOCUMENT = frozenset({"consignee_document", "consignee_document_type", "consignee_rut"})


def normal_value(text: str) -> str:
    """A text of a table of values, in the form in which cells are compared with it."""
    return " ".join(text.split()).upper()


@dataclass(frozen=True, slots=True)
class CellRules:
    """How cells are read where a person has said more than the headings. Columns are from 0.

    decimals: field -> as in `Answer`.
    values: column -> text in capitals -> its meaning. keys: column -> its key in extra data. weights: further columns
    that are added to the weight -> their unit. month_first: fields of moments whose texts have the month first.
    zones: field of a moment -> whose clock its texts show, an end of the flight or an IANA time zone.
    """

    decimals: Mapping[Field, str] = field(default_factory=dict)
    values: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    keys: Mapping[int, str] = field(default_factory=dict)
    weights: Mapping[int, str] = field(default_factory=dict)
    month_first: frozenset[Field] = frozenset()
    zones: Mapping[Field, str] = field(default_factory=dict)


DoubtReason = Literal["weak_heading", "rival", "no_column", "unit_unknown", "values_unlike"]
"""Why a field is asked: nothing names it outright; two columns may be it; no heading says so; nothing tells the unit or
the currency; the values are of another kind."""


class Doubt(NamedTuple):
    """A question to a person: are these columns the field? It is not read until somebody answers."""

    field: Field
    columns: tuple[int, ...]
    reason: DoubtReason

    def question(self, headings: Mapping[int, Heading], values: Mapping[int, Sequence[Cell]]) -> Question:
        """The question that it is. values: column -> its first cells."""
        is_shown = self.field in _SHOWN
        columns = []
        for column in self.columns[:MOST_ASKED]:
            texts = map(text_of, values.get(column, ())[:_MOST_SAMPLED])
            samples = dict.fromkeys((text if is_shown else shape_of(text))[:_LONGEST_SAMPLE] for text in texts)
            heading = text_of(headings.get(column, UNKNOWN).text)[:MAX_QUOTED]
            columns.append(AskedColumn(get_column_letter(column + 1), heading, tuple(samples)[:_SAMPLES]))
        return Question(self.field, self.reason, tuple(columns))


MOST_ASKED = 10
"""Columns of one question."""
_SHOWN = tokens("weight_kg fob_usd product_value packages_count hs_code")
"""Fields of which samples are values; of all others they are shapes, which say nothing of a person."""
_SAMPLES, _MOST_SAMPLED, _LONGEST_SAMPLE = 3, 50, 40


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are used, from 0.

    single: field -> its only column. names: the columns to join to the consignee's name, and others to use when
    those are empty. address: the columns to join; the destination's is the last, for values that are not just a
    place. mawb: every column that may carry the MAWB. measures: the unit of the weights, the currency of the
    values. loose: columns with a heading that are not used. doubts: what is asked. kept: column -> its key in extra
    data. strengths: of the evidence for a column. house_beside: the HAWB of a second table beside the first, which is
    not read. cancelled: one that marks some guides as such. dated: how many HAWBs are dates. rules: what a person
    has said of their cells. counts_goods: whether quantities are of goods.
    houses: those of the first guides. lacks_check_digits: whether most documents that are digits alone are no RUTs, so
    that those which are may be so by chance. spoilt: identifiers that all end in `.0`. once: measures whose headings
    say that they are a shipment's or a total, so that rows of one guide repeat them.
    """

    single: Mapping[Field, int]
    names: tuple[tuple[int, ...], ...]
    address: tuple[int, ...]
    mawb: tuple[int, ...]
    measures: Measures
    loose: tuple[int, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    kept: Mapping[int, str] = field(default_factory=dict)
    strengths: Mapping[int, Strength] = field(default_factory=dict)
    rules: CellRules = CellRules()
    house_beside: int | None = None
    cancelled: int | None = None
    dated: int = 0
    counts_goods: bool = False
    houses: tuple[str, ...] = ()
    lacks_check_digits: bool = False
    spoilt: frozenset[Field] = frozenset()
    once: frozenset[Field] = frozenset()

    def unread_measures(self) -> tuple[Field, ...]:
        """The weight and the values that have a column and cannot be read, as their unit or currency is not known."""
        weight = ["weight_kg"] if "weight_kg" in self.single and not self.measures.has_unit() else []
        return (*weight, *(name for name in ("fob_usd", "product_value") if name in self.measures.foreign))

    def unread(self) -> frozenset[int]:
        """The columns of measures that cannot be read."""
        return frozenset(self.single[name] for name in self.unread_measures() if name in self.single)

    def all_serving(self) -> frozenset[int]:
        """Every column that serves a field, or helps to read one."""
        several = chain(*self.names, self.address, self.mawb, self.measures.columns(), self.rules.weights)
        return frozenset(self.single.values()).union(several)

    def serving(self, name: Field) -> tuple[int, ...]:
        """The columns that a field is read from; empty if there are none. name: as in a warning."""
        if name == "consignee_name":
            return self.names[0] if self.names else ()
        if name == "consignee_address":
            number = [self.single["address_number"]] if "address_number" in self.single else []
            return (*self.address[:1], *number, *self.address[1:])
        if name in self.single and name != "consignee_document":
            return (self.single[name],)
        # The contract's name of a RUT, and a type that no column gives: both come from the document.
        parts = ("consignee_document", "check_digit") if name in _DOCUMENT else ()
        return tuple(self.single[part] for part in parts if part in self.single)


_LONGEST_NAME = 40
_SAMPLED = 100


@dataclass(frozen=True, slots=True)
class GuideTable:
    """Guides under headings, with the columns that are used.

    seen: the headings with the cells of the first guides. heading_rows: rows that repeat the headings (numbers as
    shown).
    """

    sheet: Sheet
    header: HeaderBlock
    columns: Columns
    seen: Table
    heading_rows: frozenset[int] = frozenset()

    def values(self, column: int) -> list[Cell]:
        """The filled cells of a column among the first guides."""
        return [cell for cells in self.seen.sample[:_SAMPLED] if text_of(cell := cell_at(cells, column))]

    def heading(self, column: int) -> str:
        return text_of(self.header.texts.get(column))


@dataclass(frozen=True, slots=True)
class OtherTable:
    """Rows under headings that are not for guides; none of them is read.

    guide_row: the first row that looks like a guide anyway, or None.
    """

    header: HeaderBlock
    guide_row: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SheetTables:
    """A sheet and its tables in order. The first one holds guides.

    hawbs: contents of the HAWB columns. names_consignees: false for a summary.
    """

    sheet: Sheet
    tables: tuple[GuideTable | OtherTable, ...]
    hawbs: frozenset[str] = frozenset()
    names_consignees: bool = True

    def guide_tables(self) -> tuple[GuideTable, ...]:
        return tuple(table for table in self.tables if isinstance(table, GuideTable))

    def short_name(self) -> str:
        return text_of(self.sheet.name)[:_LONGEST_NAME]


class Destination(NamedTuple):
    """What the labels of a workbook say about its destination.

    countries: alpha-2, without repetition. quoted: the cells they were read from, as a refusal quotes them. unread:
    those beside a destination's label that do not name a known place.
    """

    countries: tuple[str, ...]
    quoted: tuple[str, ...]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of surveying a workbook.

    sheets: those with guide tables, in order; empty when there are none. unread_guides: why guides would be left
    unread, empty when none would. labelled: what it says about the MAWB and the flight. unknown_headings: the headings
    that are not understood. why_no_table: the reason when there are no sheets. asked: a table of guides in which nobody
    can tell the HAWB, if that is all that is missing; questions: which column it is. mawb_questions: which columns may
    have the MAWB; asked if there is not one. told: what a person has said of the layout, as the rows are read, too.
    """

    sheets: tuple[SheetTables, ...]
    unread_guides: str
    labelled: LabelledValues
    notices: tuple[Notice, ...]
    unknown_headings: tuple[str, ...]
    why_no_table: str
    asked: GuideTable | None = None
    questions: tuple[Question, ...] = ()
    mawb_questions: tuple[Question, ...] = ()
    told: Told = NOTHING_TOLD

    @property
    def table(self) -> GuideTable | None:
        """The first guide table, or None."""
        return next((table for sheet in self.sheets for table in sheet.guide_tables()), None)

    @property
    def destination(self) -> Destination:
        """What the labels and columns for the destination say."""
        places = [
            (place.country, text_of(cell))
            for cell in self.labelled.flight.get("destination", ())
            if (place := read_destination(cell))
        ]
        unread = (text_of(cell) for cell in self.labelled.unread.get("destination", ()) if isinstance(cell, str))
        return Destination(
            countries=tuple(dict.fromkeys(country for country, _ in places)),
            quoted=tuple(dict.fromkeys(self.labelled.quote(text) for _, text in places)),
            unread=tuple(dict.fromkeys(map(self.labelled.quote, unread))),
        )
