"""An empty workbook with a format's labels and headings, for a client to fill in."""

from io import BytesIO

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from shipments.manifests.cells import text_of
from shipments.manifests.mapped.spec import FormatSpec


def empty_workbook(spec: FormatSpec) -> bytes:
    """The .xlsx: the labels above, then the headings in the order of the format. Texts never become formulas."""
    book = Workbook()
    sheet = book.worksheets[0]
    if spec.sheet:
        sheet.title = "".join(letter for letter in spec.sheet if letter not in "[]:*?/\\")[:31] or "1"
    labels = spec.labels()
    for number, label in enumerate(labels, start=1):
        _write(sheet, number, 1, f"{label}:")
    row = len(labels) + spec.header_rows + (1 if labels else 0)
    group = ""
    for place, column in enumerate(spec.columns, start=1):
        if column.group and column.group != group:
            _write(sheet, row - 1, place, column.group)
        group = column.group
        _write(sheet, row, place, column.heading)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _write(sheet: Worksheet, row: int, column: int, text: str) -> None:
    text = text_of(text)
    if not text:
        return
    cell = sheet.cell(row, column)
    if isinstance(cell, Cell):
        cell.value, cell.data_type, cell.font = text, "s", Font(bold=True)
