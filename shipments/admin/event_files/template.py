"""The workbook template for event imports, which operators, couriers and customs agents download."""

from collections.abc import Iterable
from io import BytesIO

from django.utils.translation import gettext
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from shipments.labels import SOURCE_LABELS, STATUS_LABELS
from shipments.statuses import COMES_FROM, GuideStatus, Source

FILENAME = "events.xlsx"

_HEADINGS = {
    "tracking_code": 20,
    "mawb": 16,
    "hawb": 20,
    "status": 28,
    "occurred_at": 22,
    "source": 16,
    "internal_note": 40,
    "client_note": 40,
}
"""Column -> width in characters. The names are the contract's and are not translated."""

_LAST_ROW = 50_001


def event_template() -> BytesIO:
    """Return an .xlsx with the headings, choices for status and source, and a sheet that explains them.

    The explanations are in the active language. There is no example row, because it would be imported.
    """
    book = Workbook()
    sheet, notes = book.worksheets[0], book.create_sheet(gettext("How to fill it in"))
    sheet.title = gettext("Events")
    _write_headings(sheet)
    _write_notes(notes)
    _offer(sheet, "D", (status for status in GuideStatus if COMES_FROM[status]))
    _offer(sheet, "F", (source for source in Source if source is not Source.PRE_ALERT))
    output = BytesIO()
    book.save(output)
    output.seek(0)
    return output


def _write_headings(sheet: Worksheet) -> None:
    sheet.append(list(_HEADINGS))
    for position, width in enumerate(_HEADINGS.values(), start=1):
        sheet.cell(1, position).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(position)].width = width
    for letter in "ABCE":  # as text: numbers would lose leading zeros, dates their offset
        sheet.column_dimensions[letter].number_format = "@"
    sheet.freeze_panes = "A2"


def _offer(sheet: Worksheet, letter: str, words: Iterable[str]) -> None:
    """Let the column's cells choose from `words`. Excel limits the list to 255 characters."""
    choice = DataValidation(type="list", formula1=f'"{",".join(words)}"', allow_blank=True)
    sheet.add_data_validation(choice)
    choice.add(f"{letter}2:{letter}{_LAST_ROW}")


def _write_notes(notes: Worksheet) -> None:
    lines = [
        gettext("Identify each guide by its tracking code, or by its MAWB and HAWB."),
        gettext("Enter the date and time of the event, such as 2026-11-20 14:30 or 2026-11-20T14:30:00-03:00."),
        gettext("A time without an offset is local time at the destination. If it is empty: now."),
        gettext("If the source is empty: operator."),
        gettext("The internal note is for operators only; the client note is sent to the client."),
        gettext("Each of the two has at most 255 characters."),
        gettext("A file may be imported twice: events that a guide already has are ignored."),
    ]
    for line in lines:
        notes.append([line])
    notes.append([])
    notes.append([gettext("Statuses")])
    for status, label in STATUS_LABELS.items():
        notes.append([status.value, str(label)])
    notes.append([])
    notes.append([gettext("Sources")])
    for source, source_label in SOURCE_LABELS.items():
        notes.append([source.value, str(source_label)])
    notes.column_dimensions["A"].width = 32
    notes.column_dimensions["B"].width = 40
