"""Real .xlsx files of sheets that were built in memory."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from shipments.manifests.cells import Sheet
from shipments.manifests.manifest import FlightFields, ParsedManifest
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from shipments.manifests.xlsx.opening import reading


def save(sheets: Iterable[Sheet], path: Path) -> None:
    """Write sheets with openpyxl, each cell at its place, behind a hidden sheet that says something else."""
    workbook = Workbook()
    hidden = workbook.worksheets[0]
    hidden.append(["MAWB", "123-11111111"])
    hidden.sheet_state = "hidden"
    for sheet in sheets:
        worksheet = workbook.create_sheet(sheet.name)
        for number, cells in sheet.rows:
            for column, cell in enumerate(cells, start=1):
                value = ILLEGAL_CHARACTERS_RE.sub("", cell) if isinstance(cell, str) else cell
                worksheet.cell(number, column).value = value
        for first_row, first_column, last_row, last_column in sheet.merged:
            worksheet.merge_cells(
                start_row=first_row, start_column=first_column + 1, end_row=last_row, end_column=last_column + 1
            )
    workbook.active = 1
    workbook.save(path)


def edit(path: Path, edits: Mapping[str, Callable[[str], str | bytes]], *, without: str = "") -> None:
    """Change parts of a file, and leave one out."""
    with ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist() if name != without}
    with ZipFile(path, "w", ZIP_DEFLATED) as package:
        for name, content in parts.items():
            changed = edits[name](content.decode()) if name in edits else content
            package.writestr(name, changed)


def read_file(path: Path) -> ParsedManifest:
    """A file read as an upload is: opened, surveyed, and read as a manifest for Chile."""
    with reading(path) as workbook:
        return read_survey("CL", survey(workbook), FlightFields())
