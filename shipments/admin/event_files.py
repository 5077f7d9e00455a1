"""Files of events in the admin: the upload, which begins a bulk move, and the workbook template to fill in."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet
from unfold.widgets import UnfoldAdminFileFieldWidget

from base.admin.pages import AdminPage, FormPage, UploadField
from base.admin.spreadsheets import XLSX_CONTENT_TYPE
from shipments.admin.event_columns import ColumnsPage, read_told, remembered
from shipments.errors import EventFileUnreadable, ParserBusy
from shipments.labels import SOURCE_LABELS, STATUS_LABELS
from shipments.models import Guide
from shipments.statuses import COMES_FROM, GuideStatus, Source
from shipments.tracking.bulk import ask, begin_import
from shipments.tracking.event_files.importing import find_guides
from shipments.tracking.event_files.reading import read_event_file
from shipments.trouble import reports_missing_files


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("", view(reports_missing_files(UploadPage.as_view())), name="import-events"),
        path("<uuid:move_id>/columns/", view(ColumnsPage.as_view()), name="import-events-columns"),
        path("template.xlsx", view(TemplateDownload.as_view()), name="import-events-template"),
    ]


class EventFileForm(forms.Form):
    file = UploadField(
        label=_("Event file"),
        help_text=_("CSV or XLSX, at most 20 MB and 50 000 rows."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".csv,.txt,.xlsx"}),
    )


class UploadPage(FormPage):
    """Reads the uploaded file, and redirects to the page of its move, which previews it."""

    permission_required = "shipments.change_guide"
    template_name = "shipments/import_events.html"
    title = _("Import events")
    form_class = EventFileForm

    def saved(self, form: EventFileForm) -> HttpResponse:
        """Begin the move, or ask which columns are which. Raises `EventFileUnreadable`."""
        upload, user = form.cleaned_data["file"], cast("User", self.request.user)
        try:
            rows, unread = read_event_file(Path(upload.temporary_file_path()))
        except ParserBusy:
            text = gettext("Too many workbooks are being read at once; try again in a moment.")
            raise EventFileUnreadable(text) from None
        except EventFileUnreadable as refused:
            if not refused.table:
                raise
            return self._unclear(refused, upload.name or "", user)
        if not rows:
            raise EventFileUnreadable(gettext("There are no rows below the headings."))
        with transaction.atomic():
            found = find_guides(rows, Guide.objects.visible_to(user))
            move = begin_import(found, upload.name or "", user, unread=unread)
        return HttpResponseRedirect(reverse("admin:shipments_bulkmove_change", args=[move.pk]))

    @transaction.atomic
    def _unclear(self, refused: EventFileUnreadable, name: str, user: User) -> HttpResponse:
        """Read the file as such files were remembered, or ask."""
        move, told = ask(refused.table, name, user), remembered(refused.table[0][1])
        if told is None:
            return HttpResponseRedirect(reverse("import-events-columns", args=[move.pk]))
        read_told(move, told, user)
        return HttpResponseRedirect(reverse("admin:shipments_bulkmove_change", args=[move.pk]))


class TemplateDownload(AdminPage):
    """The workbook template. It contains no personal data."""

    permission_required = "shipments.change_guide"

    def get(self, _request: HttpRequest, *_args: Any, **_named: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        headers = {"Content-Disposition": f'attachment; filename="{FILENAME}"'}
        return HttpResponse(event_template(), content_type=XLSX_CONTENT_TYPE, headers=headers)


# --- the template -----------------------------------------------------------------------------------------------

FILENAME = "events.xlsx"
_HEADINGS: Mapping[str | Promise, int] = {
    _("Tracking code"): 24,
    "MAWB": 16,
    "HAWB": 20,
    _("Status"): 28,
    _("Date and time"): 22,
    _("Source"): 16,
    _("Internal note"): 40,
    _("Note to the client"): 40,
}
"""Heading -> width in characters. `words.toml` has them, and the labels of statuses and sources, in both languages."""

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
    _offer(
        sheet, "D", _listed(notes, gettext("Statuses"), (STATUS_LABELS[one] for one in GuideStatus if COMES_FROM[one]))
    )
    _offer(
        sheet,
        "F",
        _listed(notes, gettext("Sources"), (SOURCE_LABELS[one] for one in Source if one != Source.PRE_ALERT)),
    )
    output = BytesIO()
    book.save(output)
    output.seek(0)
    return output


def _write_headings(sheet: Worksheet) -> None:
    sheet.append([str(heading) for heading in _HEADINGS])
    for position, width in enumerate(_HEADINGS.values(), start=1):
        sheet.cell(1, position).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(position)].width = width
    for letter in "ABCE":  # as text: numbers would lose leading zeros, dates their offset
        sheet.column_dimensions[letter].number_format = "@"
    sheet.freeze_panes = "A2"


def _listed(notes: Worksheet, title: str, words: Iterable[str | Promise]) -> str:
    """Write the words below the notes, and return the range of their cells."""
    notes.append([])
    notes.append([title])
    first = notes.max_row + 1
    for word in words:
        notes.append([str(word)])
    name = notes.title.replace("'", "''")
    return f"'{name}'!$A${first}:$A${notes.max_row}"


def _offer(sheet: Worksheet, letter: str, cells: str) -> None:
    """Let the column's cells choose from other cells: Excel limits a list of words to 255 characters."""
    choice = DataValidation(type="list", formula1=cells, allow_blank=True)
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
    notes.column_dimensions["A"].width = 40
