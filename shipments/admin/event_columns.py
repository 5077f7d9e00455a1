"""The question about an event file whose headings are not understood: which columns are which."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from base.admin.pages import FormPage
from shipments.admin.bulk_moves import MovePage
from shipments.errors import EventFileUnreadable
from shipments.manifests.cells import Cell, text_of
from shipments.models import BulkMove, Carrier, EventHeadings, Guide, MoveState
from shipments.tracking.bulk import begin_import
from shipments.tracking.event_files.column_headings import proposed, told_header
from shipments.tracking.event_files.event_rows import read_rows
from shipments.tracking.event_files.importing import find_guides
from shipments.tracking.event_files.words import folded_heading

_SAMPLES = 3
_LONGEST = 60


def fingerprint_of(cells: Sequence[Cell]) -> str:
    return hashlib.sha256(json.dumps([folded_heading(text_of(cell)) for cell in cells]).encode()).hexdigest()


def remembered(cells: Sequence[Cell]) -> Mapping[str, int] | None:
    """Return what was remembered of these headings; None if nothing was, or different things of several carriers."""
    kept = EventHeadings.objects.filter(fingerprint=fingerprint_of(cells)).order_by("-remembered_at")
    found: list[Mapping[str, int]] = [each.columns for each in kept]
    return found[0] if found and all(each == found[0] for each in found) else None


def read_told(move: BulkMove, told: Mapping[str, int], operator: User) -> None:
    """Preview the file of `move` with its columns as they were told. Call it in a transaction.

    Raises `EventFileUnreadable`.
    """
    number, cells = move.table[0]
    header = told_header(number, cells, told)
    rows = read_rows(((number, cells) for number, cells in move.table), header)
    if not rows:
        raise EventFileUnreadable(gettext("There are no rows below the headings."))
    found = find_guides(rows, Guide.objects.visible_to(operator))
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
        empty_label=_("Not in the list"), help_text=_("Whose files have these headings."),
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
        places = list(self.told.values())
        if len(set(places)) < len(places):
            raise forms.ValidationError(gettext("Two of these are the same column; choose another one for each."))
        if "time" in self.told and "date" not in self.told:
            self.add_error("date", gettext("A time of day needs its date."))
        return cleaned

    @property
    def told(self) -> dict[str, int]:
        """Return what was chosen, as `column_headings.told_header` takes it."""
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
        return {**(remembered(cells) or proposed(cells)), "remember": True}

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401  # as in FormPage
        return FormPage.form_valid(self, form)

    @transaction.atomic
    def saved(self, form: ColumnsForm) -> HttpResponse:
        operator = cast("User", self.request.user)
        move = BulkMove.objects.select_for_update(of=("self",)).get(pk=self.move.pk)
        if move.state in {MoveState.ASKING, MoveState.WAITING}:
            read_told(move, form.told, operator)
            if form.cleaned_data["remember"]:
                EventHeadings.objects.update_or_create(
                    fingerprint=fingerprint_of(move.table[0][1]),
                    carrier=form.cleaned_data.get("carrier"),
                    defaults={"columns": form.told, "remembered_by": operator.get_username()},
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
