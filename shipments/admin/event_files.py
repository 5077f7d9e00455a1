"""Files of events in the admin: the upload, which begins a bulk move, the question which columns are which where the
headings are not understood, and the workbook template to fill in.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from base.admin.pages import AdminPage, FormPage, UploadField
from base.admin.spreadsheets import XLSX_CONTENT_TYPE
from shipments.admin.bulk_moves import MovePage
from shipments.errors import EventFileUnreadable, ParserBusy
from shipments.labels import SOURCE_LABELS, STATUS_LABELS
from shipments.manifests.cells import Cell, text_of
from shipments.models import BulkMove, Carrier, EventHeadings, Guide, MoveState
from shipments.statuses import COMES_FROM, GuideStatus, Source
from shipments.tracking.bulk import ask, begin_import
from shipments.tracking.event_files.column_headings import header_as_chosen, propose_columns
from shipments.tracking.event_files.event_rows import read_rows
from shipments.tracking.event_files.importing import find_moves
from shipments.tracking.event_files.reading import read_event_file
from shipments.tracking.event_files.words import fold_heading
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

    def save(self, form: EventFileForm) -> HttpResponse:
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
            return self._recall_or_ask(refused, upload.name or "", user)
        if not rows:
            raise EventFileUnreadable(gettext("There are no rows below the headings."))
        with transaction.atomic():
            found = find_moves(rows, Guide.objects.visible_to(user))
            move = begin_import(found, upload.name or "", user, unread=unread)
        return HttpResponseRedirect(reverse("admin:shipments_bulkmove_change", args=[move.pk]))

    @transaction.atomic
    def _recall_or_ask(self, refused: EventFileUnreadable, name: str, user: User) -> HttpResponse:
        """Read the file as such files were remembered, or ask."""
        move, columns = ask(refused.table, name, user), recall_columns(refused.table[0][1])
        if columns is None:
            return HttpResponseRedirect(reverse("import-events-columns", args=[move.pk]))
        preview_with(columns, move, user)
        return HttpResponseRedirect(reverse("admin:shipments_bulkmove_change", args=[move.pk]))


# --- which columns are which --------------------------------------------------------------------------------------

_SAMPLES = 3
_LONGEST = 60


def fingerprint_of(cells: Sequence[Cell]) -> str:
    return hashlib.sha256(json.dumps([fold_heading(text_of(cell)) for cell in cells]).encode()).hexdigest()


def recall_columns(cells: Sequence[Cell]) -> Mapping[str, int] | None:
    """Return what was remembered of these headings; None if nothing was, or different things of several carriers."""
    kept = EventHeadings.objects.filter(fingerprint=fingerprint_of(cells)).order_by("-remembered_at")
    found: list[Mapping[str, int]] = [each.columns for each in kept]
    return found[0] if found and all(each == found[0] for each in found) else None


def preview_with(columns: Mapping[str, int], move: BulkMove, operator: User) -> None:
    """Preview the file of `move`, of which an operator said which columns are which. Call it in a transaction.

    Raises `EventFileUnreadable`.
    """
    number, cells = move.table[0]
    header = header_as_chosen(number, cells, columns)
    rows = read_rows(((number, cells) for number, cells in move.table), header)
    if not rows:
        raise EventFileUnreadable(gettext("There are no rows below the headings."))
    found = find_moves(rows, Guide.objects.visible_to(operator))
    begin_import(found, move.original_name, operator, unread=header.unread, asked=move)


class ColumnsForm(forms.Form):
    """Which column is which. Each is a place in the heading."""

    code = forms.TypedChoiceField(label=_("Code"), coerce=int, widget=UnfoldAdminSelectWidget)
    status = forms.TypedChoiceField(label=_("Status"), coerce=int, widget=UnfoldAdminSelectWidget)
    date = forms.TypedChoiceField(
        label=_("Date"), coerce=int, required=False, empty_value=None, widget=UnfoldAdminSelectWidget,
        help_text=_("Of the event. Without a date: now."),
    )  # fmt: skip
    time = forms.TypedChoiceField(
        label=_("Time"), coerce=int, required=False, empty_value=None, widget=UnfoldAdminSelectWidget,
        help_text=_("If it has a column of its own. Without an offset it is local time at the destination."),
    )  # fmt: skip
    remember = forms.BooleanField(
        label=_("Remember"), required=False, initial=True, widget=UnfoldBooleanSwitchWidget,
        help_text=_("Files with these headings are then read so, without this question."),
    )  # fmt: skip
    carrier = forms.ModelChoiceField(
        label=_("Carrier or courier"), required=False, queryset=Carrier.objects.none(), widget=UnfoldAdminSelectWidget,
        empty_label=_("Not in the list"), help_text=_(
            "The carrier or customs system that sends files with these headings."
        ),
    )  # fmt: skip

    def __init__(self, cells: Sequence[Cell], operator: User, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*arguments, **named)
        headings = [(place, text_of(cell)[:_LONGEST]) for place, cell in enumerate(cells) if text_of(cell)]
        for name in ("code", "status", "date", "time"):
            field: Any = self.fields[name]
            field.choices = [("", _("Choose…") if field.required else _("None")), *headings]
        carriers: Any = self.fields["carrier"]
        carriers.queryset = Carrier.objects.visible_to(operator).order_by("name")
        if not carriers.queryset.exists():
            del self.fields["carrier"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        places = list(self.columns.values())
        if len(set(places)) < len(places):
            raise forms.ValidationError(gettext("Two of these are the same column; choose another one for each."))
        if "time" in self.columns and "date" not in self.columns:
            self.add_error("date", gettext("A time of day needs its date."))
        return cleaned

    @property
    def columns(self) -> dict[str, int]:
        """Return what was chosen, as `column_headings.header_as_chosen` takes it."""
        chosen = {name: self.cleaned_data.get(name) for name in ("code", "status", "date", "time")}
        return {name: place for name, place in chosen.items() if place not in {None, ""}}


class ColumnsPage(MovePage):
    """Asks, and previews the file with the answer; until it is confirmed, the answer can be changed."""

    template_name = "shipments/event_columns.html"
    title = _("Which columns are these?")
    form_class = ColumnsForm

    def dispatch(self, request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's signature
        if self.has_permission() and not (self.move.table and self.may_confirm):
            return HttpResponseRedirect(reverse("admin:shipments_bulkmove_change", args=[self.move.pk]))
        return super().dispatch(request, *args, **named)

    def get(self, *_args: object, **_named: object) -> HttpResponse:
        return self.render_to_response(self.get_context_data())

    def get_form_kwargs(self) -> dict[str, Any]:
        (_number, cells), *_rows = self.move.table
        return {**super().get_form_kwargs(), "cells": cells, "operator": self.request.user}

    def get_initial(self) -> dict[str, Any]:
        (_number, cells), *_rows = self.move.table
        return {**(recall_columns(cells) or propose_columns(cells)), "remember": True}

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401  # as in FormPage
        return FormPage.form_valid(self, form)

    @transaction.atomic
    def save(self, form: ColumnsForm) -> HttpResponse:
        operator = cast("User", self.request.user)
        move = BulkMove.objects.select_for_update(of=("self",)).get(pk=self.move.pk)
        if move.state in {MoveState.ASKING, MoveState.WAITING}:
            preview_with(form.columns, move, operator)
            if form.cleaned_data["remember"]:
                EventHeadings.objects.update_or_create(
                    fingerprint=fingerprint_of(move.table[0][1]),
                    carrier=form.cleaned_data.get("carrier"),
                    defaults={"columns": form.columns, "remembered_by": operator.get_username()},
                )
        return HttpResponseRedirect(reverse("admin:shipments_bulkmove_change", args=[move.pk]))

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        (_number, cells), *rows = self.move.table
        shown = {
            "move": self.move,
            "headings": [text_of(cell)[:_LONGEST] for cell in cells],
            "samples": [[text_of(cell)[:_LONGEST] for cell in row] for _place, row in rows[:_SAMPLES]],
            "way_back": reverse("import-events"),
        }
        return FormPage.get_context_data(self, **{"title": self.title, **shown, **context})


# --- the template -----------------------------------------------------------------------------------------------


class TemplateDownload(AdminPage):
    """The workbook template. It contains no personal data."""

    permission_required = "shipments.change_guide"

    def get(self, _request: HttpRequest, *_args: Any, **_named: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        headers = {"Content-Disposition": f'attachment; filename="{FILENAME}"'}
        return HttpResponse(event_template(), content_type=XLSX_CONTENT_TYPE, headers=headers)


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
    sheet.append([str(heading) for heading in _HEADINGS])
    for position, width in enumerate(_HEADINGS.values(), start=1):
        sheet.cell(1, position).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(position)].width = width
    for letter in "ABCE":  # as text: numbers would lose leading zeros, dates their offset
        sheet.column_dimensions[letter].number_format = "@"
    sheet.freeze_panes = "A2"
    for text in (
        gettext("Identify each guide by its tracking code, or by its MAWB and HAWB."),
        gettext("Enter the date and time of the event, such as 2026-11-20 14:30 or 2026-11-20T14:30:00-03:00."),
        gettext("A time without an offset is local time at the destination. If it is empty: now."),
        gettext("If the source is empty: operator."),
        gettext("The internal note is for operators only; the client note is sent to the client."),
        gettext("Each of the two has at most 255 characters."),
        gettext("A file may be imported twice: events that a guide already has are ignored."),
    ):
        notes.append([text])
    notes.column_dimensions["A"].width = 40
    statuses = [STATUS_LABELS[status] for status in GuideStatus if COMES_FROM[status]]
    _offer_choices(sheet, "D", _write_list(notes, gettext("Statuses"), statuses))
    sources = [SOURCE_LABELS[source] for source in Source if source != Source.PRE_ALERT]
    _offer_choices(sheet, "F", _write_list(notes, gettext("Sources"), sources))
    output = BytesIO()
    book.save(output)
    output.seek(0)
    return output


def _write_list(notes: Worksheet, title: str, words: Iterable[str | Promise]) -> str:
    """Write the words below the notes, and return the range of their cells."""
    notes.append([])
    notes.append([title])
    first = notes.max_row + 1
    for word in words:
        notes.append([str(word)])
    name = notes.title.replace("'", "''")
    return f"'{name}'!$A${first}:$A${notes.max_row}"


def _offer_choices(sheet: Worksheet, letter: str, cells: str) -> None:
    """Let the column's cells choose from other cells: Excel limits a list of words to 255 characters."""
    choice = DataValidation(type="list", formula1=cells, allow_blank=True)
    sheet.add_data_validation(choice)
    choice.add(f"{letter}2:{letter}{_LAST_ROW}")
