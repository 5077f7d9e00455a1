"""Real .xlsx files of sheets that were built in memory."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from shipments.manifests.cells import Cell, Row, Sheet
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


def save_rows(path: Path, rows: Iterable[Iterable[Cell]], **formats: str) -> Path:
    """Write one sheet. formats: the number format of columns, by their letters, in all rows but the first two."""
    workbook = Workbook()
    worksheet = workbook.worksheets[0]
    for cells in rows:
        worksheet.append(list(cells))
    for column, number_format in formats.items():
        for number in range(3, worksheet.max_row + 1):
            worksheet[f"{column}{number}"].number_format = number_format
    workbook.save(path)
    return path


def utf_16(text: str) -> bytes:
    """A part of a workbook in another encoding."""
    return re.sub(r"^<\?xml[^>]*\?>", "", text).encode("utf-16")


def edit(path: Path, edits: Mapping[str, Callable[[str], str | bytes]], *, without: str = "") -> None:
    """Change parts of a file, and leave one out."""
    with ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist() if name != without}
    with ZipFile(path, "w", ZIP_DEFLATED) as package:
        for name, content in parts.items():
            changed = edits[name](content.decode()) if name in edits else content
            package.writestr(name, changed)


def rows_of(path: Path) -> list[list[Row]]:
    """The rows of each sheet of a file."""
    with reading(path) as book:
        return [list(sheet.rows) for sheet in book.sheets]


def read_file(path: Path) -> ParsedManifest:
    """A file read as an upload is: opened, surveyed, and read as a manifest for Chile."""
    with reading(path) as workbook:
        return read_survey("CL", survey(workbook), FlightFields())
