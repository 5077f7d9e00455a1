"""Outgoing layouts: made of a broker's empty workbook, said column by column; and the download on a manifest's page."""

from pathlib import Path
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy as _
from unfold import widgets

from base.admin.pages import AdminPage, UploadField
from base.admin.scoped_admin import ScopedAdmin
from base.admin.stale_forms import StaleCheck
from base.errors import ValidationFailed
from companies.models import Company
from companies.scope import scope_of
from shipments import outgoing
from shipments.admin.field_labels import field_label
from shipments.errors import ParserBusy, WorkbookUnreadable
from shipments.manifests.cells import text_of
from shipments.manifests.countries import rules_for
from shipments.manifests.words.amounts import UNITS
from shipments.manifests.xlsx import opening
from shipments.models import Guide, Manifest, OutgoingLayout

_MOST_COLUMNS = 120  # with seven fields each nearly as many as a request may have


class NewLayoutForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Whose manifests it is for, and the broker's empty workbook."""

    workbook = UploadField(
        label=_("The broker's empty workbook"),
        help_text=_("XLSX. The headings are those of row 1 of the first sheet, from A1."),
        widget=widgets.UnfoldAdminFileFieldWidget(attrs={"accept": ".xlsx"}),
    )

    def clean_workbook(self) -> Any:  # noqa: ANN401  # the upload
        upload = self.cleaned_data["workbook"]
        try:
            with opening.reading(Path(upload.temporary_file_path())) as book:
                name = book.sheets[0].name if book.sheets else ""
                row = next(iter(book.sheets[0].rows), None) if book.sheets else None
        except ParserBusy:
            text = gettext("Too many workbooks are being read at once; try again in a moment.")
            raise forms.ValidationError(text) from None
        except WorkbookUnreadable:
            text = gettext("The workbook is damaged, too large or protected by a password; save it as .xlsx again.")
            raise forms.ValidationError(text) from None
        if row is None or row[0] != 1 or not text_of(row[1][0]):
            raise forms.ValidationError(gettext("A1 of the first sheet is empty: the headings have to begin there."))
        if len(row[1]) > _MOST_COLUMNS:
            raise forms.ValidationError(gettext("The sheet has more than %d columns.") % _MOST_COLUMNS)
        headings = [cell if isinstance(cell, str) else text_of(cell) for cell in row[1]]
        self.instance.sheet, self.instance.columns = name[:31], outgoing.suggest_columns(headings)
        return upload

    def clean(self) -> None:
        super().clean()
        company, country = self.cleaned_data.get("company"), self.cleaned_data.get("country")
        if company and country and country not in company.allowed_countries:
            self.add_error("country", _("The company does not ship to this country."))


def _choices(country: str) -> list[tuple[Any, Any]]:
    keys = dict.fromkeys((*rules_for(country, timezone.localdate()).extra_keys(), *outgoing.EXTRA_KEYS))
    groups = (
        (_("Guide"), outgoing.OF_GUIDE),
        (_("Manifest and flight"), outgoing.OF_MANIFEST),
        (_("Client"), outgoing.OF_COMPANY),
    )
    return [
        ("", _("Without a value")),
        (outgoing.CONSTANT, _("Always the same")),
        *(
            (title, [(name, capfirst(get_fields_from_path(Guide, name)[-1].verbose_name)) for name in names])
            for title, names in groups
        ),
        (_("Extra data"), [(f"+{key}", field_label(f"+{key}")) for key in keys]),
    ]


def _select(label: Any, words: Any) -> forms.ChoiceField:  # noqa: ANN401  # lazy
    choices = [("", label), *((word, word) for word in words)]
    return forms.ChoiceField(label=label, choices=choices, required=False, widget=widgets.UnfoldAdminSelectWidget)


class ColumnForm(StaleCheck, forms.Form):
    """What a column of the broker's sheet has."""

    field = forms.ChoiceField(label=_("What it has"), required=False, widget=widgets.UnfoldAdminSelect2Widget)
    value = forms.CharField(label=_("Text"), max_length=200, required=False, widget=widgets.UnfoldAdminTextInputWidget)
    decimals = _select(_("decimals"), range(7))
    decimal_mark = _select(_("decimal mark of a CSV"), ",.")
    date_form = _select(_("date"), outgoing.DATE_FORMS)
    unit = _select(_("unit"), UNITS)

    def __init__(self, *arguments: Any, choices: Any, **named: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*arguments, **named)
        self.fields["field"].choices = choices  # type: ignore[attr-defined]  # a choice

    def clean(self) -> None:
        found = self.cleaned_data
        for part, fields in outgoing.TAKES.items():
            if found.get(part) and found.get("field", fields[0]) not in fields:
                self.add_error(part, _("Not allowed with this field: leave it empty."))
        if found.get("field") == outgoing.CONSTANT and not found.get("value"):
            self.add_error("value", _("Write the text."))


class ColumnsForm(forms.ModelForm):  # type: ignore[type-arg]  # as above
    """The page of proposals."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  # as above
        super().__init__(*arguments, **named)
        choices, data = _choices(self.instance.country), self.data or None
        self.columns = [
            ColumnForm(data, prefix=f"columns-{number}", initial=stored, choices=choices)
            for number, stored in enumerate(self.instance.columns)
        ]

    @property
    def media(self) -> forms.Media:
        return sum((form.media for form in self.columns[:1]), super().media)

    def clean(self) -> None:
        super().clean()
        if wrong := [str(number) for number, form in enumerate(self.columns, start=1) if not form.is_valid()]:
            raise forms.ValidationError(gettext("Columns to correct: %s.") % ", ".join(wrong))


@admin.register(OutgoingLayout)
class OutgoingLayoutAdmin(ScopedAdmin):
    """A new one is a form with the broker's workbook; the page of one says what its columns are."""

    nothing_yet = _("No outgoing layout yet")
    how_it_begins = _("Upload the empty workbook of a broker, and say once which field each of its columns has.")
    list_display = ["name", "country", "company", "is_checked"]
    list_select_related = ["company"]
    autocomplete_fields = ["company"]
    has_one_button = True

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:  # noqa: ANN401, FBT001, FBT002  # Django's signature
        kwargs["form"] = ColumnsForm if obj else NewLayoutForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401, ARG002  # as above
        return ["country", "company"] if obj else []

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401  # as above
        scope = scope_of(request.user)
        mine = [each for each in db_field.get_choices() if not each[0] or scope.covers([each[0]])]
        return super().formfield_for_choice_field(db_field, request, **{**kwargs, "choices": mine})

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:  # noqa: ANN401, ARG002  # as above
        return Company.objects.visible_to(request.user).clients().order_by("name")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, FBT001  # as above
        if change:
            said = [each.cleaned_data for each in form.columns]
            obj.columns = [{**stored, **each} for stored, each in zip(obj.columns, said, strict=True)]
            obj.is_checked = True
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:  # noqa: ANN401, ARG002  # as above
        return HttpResponseRedirect(self.address("change", obj))


class BrokerFilePage(AdminPage):
    """A manifest's file for the broker: which headings have no value, and with `format` the download."""

    permission_required = ("shipments.view_manifest", "shipments.change_guide")
    template_name = "shipments/broker_file.html"
    title = _("Download for the broker")

    def get(self, request: HttpRequest, manifest_id: str) -> HttpResponseBase:
        seen = Manifest.objects.visible_to(request.user).filter(voided_at=None).without_findings()
        manifest: Manifest = get_object_or_404(seen.select_related("company"), pk=manifest_id)
        layouts = OutgoingLayout.objects.visible_to(request.user).for_manifest(manifest)
        asked, kind = request.GET.get("layout"), request.GET.get("format")
        layout = next((each for each in layouts if asked in {None, str(each.pk)}), None)
        if asked and layout is None:
            raise Http404
        context: dict[str, Any] = {"manifest": manifest, "layouts": layouts, "layout": layout}
        try:
            if layout:
                rows = outgoing.rows_of(layout, manifest)
                if kind in {"xlsx", "csv"}:
                    return outgoing.download(request, layout, manifest, rows, kind)
                context |= {"empty": outgoing.empty_columns(layout, rows), "guides": len(rows)}
                context["left_out"] = manifest.total_guides - len(rows)
        except ValidationFailed as refused:
            context["refused"] = refused.details["layout"]
        return self.render_to_response(self.get_context_data(**context))
