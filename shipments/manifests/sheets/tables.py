"""The tables of a sheet, with their columns chosen, and what cells outside say about them."""

from collections.abc import Collection
from dataclasses import dataclass

from shipments.manifests.cells import Sheet, text_of
from shipments.manifests.sheets.columns import Columns
from shipments.manifests.sheets.headers import HeaderBlock


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What cells outside a sheet's tables say about the tables.

    mawbs: texts labelled as a MAWB.
    """

    mawbs: Collection[str] = ()


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
        """A column's heading as written."""
        return text_of(self.header.texts.get(column))


@dataclass(frozen=True, slots=True)
class OtherTable:
    """Rows under headings that are not for guides; none of them is read.

    guide_row: the first row that looks like a guide anyway, or None.
    """

    header: HeaderBlock
    guide_row: int | None = None


@dataclass(frozen=True, slots=True)
class SheetTables:
    """A sheet and its tables in order. The first one holds guides."""

    sheet: Sheet
    tables: tuple[GuideTable | OtherTable, ...]

    def guide_tables(self) -> tuple[GuideTable, ...]:
        """The tables that are read."""
        return tuple(table for table in self.tables if isinstance(table, GuideTable))

    def is_mapped(self) -> bool:
        """Whether a client's own format chose the columns."""
        return any(table.columns.rules is not None for table in self.guide_tables())
