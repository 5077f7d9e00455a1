"""Workbooks to fill in: the house's layouts, which clients download and our examples are."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from io import BytesIO

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from shipments.manifests.house.house_layouts import LAYOUTS, MOMENT, TEXT, WHOLE, TemplateColumn, TemplateLayout

_FIRST_LABEL_ROW = 3
_HEADINGS_ROW = 9
_LAST_VALIDATED_ROW = 50_000

_INK, _PAPER, _SOFT = "FFFFFF", "1F3864", "DDE6F3"
_SIDE = Side(style="thin", color="B4C2D9")
_BORDER = Border(left=_SIDE, right=_SIDE, top=_SIDE, bottom=_SIDE)


@cache
def template(country: str) -> bytes:
    """A country's template as an .xlsx: labels and headings in Spanish, valid examples, a sheet of instructions.

    country: alpha-2. Uploaded unchanged, it causes no warning and no notice.
    """
    layout = LAYOUTS[country]
    return fill_template(country, layout.labels, layout.guides)


def fill_template(
    country: str, labels: Mapping[str, str | date], guides: Sequence[Sequence[str | float | None]]
) -> bytes:
    """A manifest in the template's layout, as an .xlsx.

    labels: value of each label above the table, by the label's text; omitted ones stay empty.
    guides: one sequence for each row, in the order of the template's columns.
    """
    layout = LAYOUTS[country]
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "Manifiesto"
    _write_labels(sheet, layout, labels)
    _write_headings(sheet, layout)
    for number, guide in enumerate(guides, start=_HEADINGS_ROW + 1):
        for index, (column, value) in enumerate(zip(layout.columns, guide, strict=True), start=1):
            sheet.cell(number, index, None if value == "" else value).number_format = column.number_format
    instructions = workbook.create_sheet("Instrucciones")
    instructions.column_dimensions["A"].width = 110
    for number, text in enumerate(layout.instructions, start=1):
        cell = instructions.cell(number, 1, text)
        cell.alignment = Alignment(wrap_text=True, vertical="top")
        cell.font = Font(bold=number == 1, size=12 if number == 1 else 11)
    file = BytesIO()
    workbook.save(file)
    return file.getvalue()


def _write_labels(sheet: Worksheet, layout: TemplateLayout, labels: Mapping[str, str | date]) -> None:
    sheet["A1"] = layout.title
    sheet["A1"].font = Font(bold=True, size=14, color=_PAPER)
    for number, label in enumerate(layout.labels, start=_FIRST_LABEL_ROW):
        name, cell = sheet.cell(number, 1, label), sheet.cell(number, 2, labels.get(label))
        name.font = Font(bold=True)
        name.fill = PatternFill("solid", start_color=_SOFT)
        cell.number_format = MOMENT if isinstance(layout.labels[label], date) else TEXT
        cell.alignment = Alignment(horizontal="left")
        cell.border = name.border = _BORDER


def _write_headings(sheet: Worksheet, layout: TemplateLayout) -> None:
    for index, column in enumerate(layout.columns, start=1):
        letter = get_column_letter(index)
        sheet.column_dimensions[letter].width = column.width
        sheet.column_dimensions[letter].number_format = column.number_format
        cell = sheet.cell(_HEADINGS_ROW, index, f"{column.heading} *" if column.is_required else column.heading)
        cell.font = Font(bold=True, color=_INK)
        cell.fill = PatternFill("solid", start_color=_PAPER)
        cell.alignment = Alignment(wrap_text=True, vertical="center")
        cell.border = _BORDER
        cell.comment = Comment(column.hint, "Pre-Alerts")
        if column.number_format != TEXT:
            _validate(sheet, letter, column)
    sheet.row_dimensions[_HEADINGS_ROW].height = 32
    sheet.freeze_panes = f"B{_HEADINGS_ROW + 1}"


def _validate(sheet: Worksheet, letter: str, column: TemplateColumn) -> None:
    is_whole = column.number_format == WHOLE
    validation = DataValidation(
        type="whole" if is_whole else "decimal",
        operator="greaterThanOrEqual",
        formula1="1" if is_whole else "0",
        errorTitle=column.heading,
        error=column.hint,
        showErrorMessage=True,
    )
    validation.add(f"{letter}{_HEADINGS_ROW + 1}:{letter}{_LAST_VALIDATED_ROW}")
    sheet.add_data_validation(validation)
