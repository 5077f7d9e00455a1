"""What a workbook of unknown layout contains: its guide tables, and what it says about the MAWB and the flight."""

from dataclasses import dataclass

from shipments.manifests.cells import Sheet, text_of
from shipments.manifests.manifest import Notice
from shipments.manifests.places import read_destination
from shipments.manifests.sheets.columns import Columns
from shipments.manifests.sheets.headers import HeaderBlock
from shipments.manifests.words.labels import LabelledValues

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


@dataclass(frozen=True, slots=True)
class Destination:
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
