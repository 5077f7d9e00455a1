"""What a workbook of unknown layout contains: its guide tables, and what it says about the MAWB and the flight."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from shipments.manifests.cells import Sheet, text_of
from shipments.manifests.manifest import Notice
from shipments.manifests.places import read_destination
from shipments.manifests.sheets.headers import HeaderBlock
from shipments.manifests.sheets.measures import Measures
from shipments.manifests.words.labels import LabelledValues
from shipments.manifests.words.lexicon import Field

_DOCUMENT = frozenset({"consignee_document", "consignee_document_type", "consignee_rut"})


def normal_value(text: str) -> str:
    """A text of a table of values, in the form in which cells are compared with it."""
    return " ".join(text.split()).upper()


@dataclass(frozen=True, slots=True)
class CellRules:
    """How the cells of a client's own format are read, where it says more than the headings. Columns are from 0.

    empty: column -> texts, in capitals, that mean an empty cell. decimals: field -> `,` or `.`, the decimal mark of its
    texts, or `numeric` where texts are not read. values: column -> text in capitals -> its meaning.
    extra: column -> the key under which its text is kept as extra data.
    """

    empty: Mapping[int, frozenset[str]] = field(default_factory=dict)
    decimals: Mapping[Field, str] = field(default_factory=dict)
    values: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    extra: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are used, from 0.

    single: field -> its only column. names: the columns to join to the consignee's name, and others to use when
    those are empty. address: the columns to join; the destination's is the last, for values that are not just a
    place. mawb: every column that may carry the MAWB. measures: the unit of the weights, the currency of the
    values. loose: columns with a heading that are not used. not_understood: those of them that have values and an
    unknown heading. spare: those that have values and are understood, and the column that serves instead, or None.
    unheaded: columns with values and no heading. house_instead: a column that may be the HAWB, which was read from
    an order number. house_beside: the HAWB of a second table beside the first, which is not read. cancelled: one
    that marks some guides as such. dated: how many HAWBs are dates. is_of_one: whether the
    value may be the price of one piece. alike: field -> columns with the same heading, so that none of them is used.
    rules: of a client's own format; None for columns chosen by their headings.
    spoilt: identifiers that all end in `.0`. once: measures whose headings say that they are a shipment's or a total,
    so that rows of one guide repeat them.
    """

    single: Mapping[Field, int]
    names: tuple[tuple[int, ...], ...]
    address: tuple[int, ...]
    mawb: tuple[int, ...]
    measures: Measures
    loose: tuple[int, ...] = ()
    not_understood: tuple[int, ...] = ()
    alike: Mapping[Field, tuple[int, ...]] = field(default_factory=dict)
    rules: CellRules | None = None
    spare: tuple[tuple[int, int | None], ...] = ()
    unheaded: tuple[int, ...] = ()
    house_instead: int | None = None
    house_beside: int | None = None
    cancelled: int | None = None
    dated: int = 0
    is_of_one: bool = False
    spoilt: frozenset[Field] = frozenset()
    once: frozenset[Field] = frozenset()

    def all_serving(self) -> frozenset[int]:
        """Every column that serves a field, or helps to read one."""
        several = chain(*self.names, self.address, self.mawb, self.measures.columns())
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


@dataclass(frozen=True, slots=True)
class GuideTable:
    """Guides under headings, with the columns that are used.

    heading_rows: rows that repeat the headings (numbers as shown). documents: those of the first guides.
    """

    sheet: Sheet
    header: HeaderBlock
    columns: Columns
    heading_rows: frozenset[int] = frozenset()
    documents: tuple[str, ...] = ()

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

    def is_mapped(self) -> bool:
        """Whether a client's own format chose the columns."""
        return any(table.columns.rules is not None for table in self.guide_tables())

    def short_name(self) -> str:
        return text_of(self.sheet.name)[:_LONGEST_NAME]


class Destination(NamedTuple):
    """What the labels of a workbook say about its destination.

    countries: alpha-2, without repetition. quoted: the cells they were read from. unread: cells beside a destination's
    label that do not name a known place.
    """

    countries: tuple[str, ...]
    quoted: tuple[str, ...]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of surveying a workbook.

    sheets: those with guide tables, in order; empty when there are none. unread_guides: why guides would be left
    unread, empty when none would. labelled: what it says about the MAWB and the flight. unknown_headings: the headings
    that are not understood. why_no_table: the reason when there are no sheets.
    """

    sheets: tuple[SheetTables, ...]
    unread_guides: str
    labelled: LabelledValues
    notices: tuple[Notice, ...]
    unknown_headings: tuple[str, ...]
    why_no_table: str

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
            quoted=tuple(dict.fromkeys(text for _, text in places)),
            unread=tuple(dict.fromkeys(unread)),
        )
