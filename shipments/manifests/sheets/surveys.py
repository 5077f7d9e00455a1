"""What a workbook of unknown layout contains: its guide tables, and what it says about the MAWB and the flight."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time

from shipments.errors import MawbNotFoundInFile
from shipments.manifests.cells import Cell, Sheet, text_of
from shipments.manifests.manifest import Notice
from shipments.manifests.sheets.columns import Columns
from shipments.manifests.sheets.headers import HeaderBlock
from shipments.manifests.words.lexicon import Field


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


_LONGEST_QUOTED = 80


@dataclass(frozen=True, slots=True)
class FoundMawbs:
    """The different MAWBs of a workbook, by how reliable their labels are, in the order found.

    master: labelled as the master, beside the cell or over the column. hinted: labelled `AWB` or `GUIA`. loose: not
    labelled, but written with the hyphen. unread: text beside a label of the master that is not a MAWB. bare: cells
    (`B3`) with eleven digits and no label.
    """

    master: tuple[str, ...] = ()
    hinted: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()

    def the_one(self) -> str:
        """The workbook's MAWB.

        Raises MawbNotFoundInFile, naming the closest candidate, when there is none or when equally reliable ones
        disagree.
        """
        for mawbs in (self.master, self.hinted, self.loose):
            if len(mawbs) > 1:
                raise MawbNotFoundInFile(
                    f"The workbook names more than one MAWB: {' and '.join(mawbs[:5])}. Send one MAWB per workbook."
                )
            if mawbs:
                return mawbs[0]
        if self.unread:
            raise MawbNotFoundInFile(
                f"{self.unread[0][:_LONGEST_QUOTED]!r}, which is next to the MAWB's label, is not a MAWB: enter "
                "three digits, a hyphen and eight digits, such as 045-12345675."
            )
        if self.bare:
            raise MawbNotFoundInFile(
                f"Cell {self.bare[0]} has eleven digits, which may be a MAWB or a tax number, and no label says that "
                "they are the MAWB: write MAWB beside them, or the hyphen after the first three digits."
            )
        raise MawbNotFoundInFile


@dataclass(frozen=True, slots=True)
class NearHeadings:
    """The row most similar to the headings of a guide table, what it lacks, and its headings.

    hint: why there are none that can be read, if that is known.
    """

    sheet: str
    row: int
    lacks: tuple[str, ...]
    headings: tuple[str, ...] = ()
    hint: str = ""

    def has_no_house(self) -> bool:
        """Whether only the HAWB is missing."""
        return self.lacks == ("HAWB",)


@dataclass(frozen=True, slots=True)
class Destination:
    """What the labels of a workbook say about its destination.

    countries: alpha-2, without repetition. quoted: the cells they were read from. unread: cells beside a destination's
    label that do not name a known place.
    """

    countries: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of surveying a workbook.

    sheets: those with guide tables, in order; empty when there are none. unread: why guides would be left unread, empty
    when none would. flight: field -> cells, best first, that can be read as its value. unread_flight: field -> cells
    beside its label that cannot. clocks: field of a time typed as text -> whose clock it shows, if a format says it: an
    end of the flight or an IANA time zone. has_headings: whether any sheet has a row of known headings, with or without
    guides. unknown_headings: the headings of such rows that are not understood. near: the row most similar to headings
    when there are none. times: field of a moment -> a time of day of its own.
    """

    sheets: tuple[SheetTables, ...]
    unread_guides: str
    mawbs: FoundMawbs
    flight: Mapping[Field, tuple[Cell, ...]]
    unread: Mapping[Field, tuple[Cell, ...]]
    destination: Destination
    notices: tuple[Notice, ...]
    has_headings: bool
    unknown_headings: tuple[str, ...]
    near: NearHeadings | None
    clocks: Mapping[Field, str] = field(default_factory=dict)
    times: Mapping[Field, time] = field(default_factory=dict)

    @property
    def table(self) -> GuideTable | None:
        """The first guide table, or None."""
        return next((table for sheet in self.sheets for table in sheet.guide_tables()), None)
