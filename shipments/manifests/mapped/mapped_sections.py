"""Split a sheet into tables under a format's headings. Rows under other headings are never read by the format."""

from collections.abc import Iterable, Sequence

from shipments.manifests.cells import Row, Sheet
from shipments.manifests.mapped.mapped_columns import columns_of, header_of
from shipments.manifests.mapped.recognise import Match, repeats
from shipments.manifests.sheets.columns import Columns
from shipments.manifests.sheets.headers import HeaderBlock, with_remarks
from shipments.manifests.sheets.sections import Cutter, Section
from shipments.manifests.sheets.survey import TableFinder
from shipments.manifests.sheets.tables import Surroundings


class FormatFinder(TableFinder):
    """Finds tables by a format on the sheets that have it, and by the vocabulary on all others.

    Guides on other sheets are not read; if there are any, the workbook is refused.
    """

    def __init__(self, matches: Iterable[Match]) -> None:
        self._matches = {match.sheet: match for match in matches}

    def header(self, sheet: Sheet, head: Sequence[Row]) -> HeaderBlock | None:
        """The format's headings with the rows of remarks directly below them; None or others on other sheets."""
        match = self._matches.get(sheet.name)
        return with_remarks(header_of(match), head) if match else super().header(sheet, head)

    def sections(self, sheet: Sheet, header: HeaderBlock, rows: Iterable[Row], around: Surroundings) -> list[Section]:
        """The tables of the sheet."""
        match = self._matches.get(sheet.name)
        if match is None:
            return super().sections(sheet, header, rows, around)
        return MappedCutter(match, sheet, header, around).cut(rows)


class MappedCutter(Cutter):
    """Begins a table at each repetition of the format's headings, and ends it at any others."""

    def __init__(self, match: Match, sheet: Sheet, header: HeaderBlock, around: Surroundings) -> None:
        super().__init__(sheet, header, around)
        self._match = match
        self._mapped = columns_of(match)
        self.found = [_section(sheet, header, around, self._mapped)]

    def _headings_in(self, row: Row) -> HeaderBlock | None:
        if repeats(row[1], self._match):
            return HeaderBlock(row[0], row[0], self._first.headings, self._first.texts)
        return super()._headings_in(row)

    def _begin(self, block: HeaderBlock) -> None:
        if block.headings is self._first.headings:
            section = _section(self._sheet, block, self._around, self._mapped)
        else:
            section = Section(self._sheet, block, self._around, is_further=True, is_others=True)
        self._append(section)


def _section(sheet: Sheet, header: HeaderBlock, around: Surroundings, columns: Columns) -> Section:
    section = Section(sheet, header, around)
    section.read_by(columns)
    return section
