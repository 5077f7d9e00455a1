"""How the sample would be read: what an operator compares with the waybill before a format is saved."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, StreamingHttpResponse
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldBooleanWidget

from companies.admin_base.activity import log_act
from companies.admin_base.spreadsheets import CSV_CONTENT_TYPE, XLSX_CONTENT_TYPE, csv_chunks
from shipments.activity import SAMPLE_DOWNLOADED, SAMPLE_EXPORTED, SAMPLE_READ
from shipments.admin.field_labels import field_label
from shipments.admin.formats.draft_access import address, draft_page, refusal_in_words, render
from shipments.admin.formats.place_page import KEEP, kept
from shipments.admin.formats.sample_page import may_be_called
from shipments.admin.formats.sample_reading import ReadRow, ReadTotals, SampleReading, paired, read_sample, remarks_of
from shipments.admin.understanding import left_out_reason
from shipments.errors import FormatInvalid
from shipments.formats.drafting import change_draft, sample_path
from shipments.intake import trial
from shipments.manifests.mapped.spec import FormatInUse, FormatSpec, from_json
from shipments.models import FormatDraft

SHOWN_ROWS = 200
"""The most rows shown on the page. The CSV has all of them."""

_FILTERS: Mapping[str, str | Promise] = {
    "problems": _("With problems"),
    "unlike": _("Unlike the automatic reading"),
    "all": pgettext_lazy("rows", "All"),
}


class WaybillForm(forms.Form):
    """What a person has compared with the waybill: the one check that finds grams, pesos and CIF."""

    guides = forms.BooleanField(widget=UnfoldBooleanWidget)
    weight_kg = forms.BooleanField(widget=UnfoldBooleanWidget)
    fob_usd = forms.BooleanField(widget=UnfoldBooleanWidget)

    def __init__(self, totals: ReadTotals, data: Any = None, initial: Any = None) -> None:  # noqa: ANN401  # a form's
        super().__init__(data, initial=initial)
        count = ngettext("%(count)s shipment", "%(count)s shipments", totals.guides)
        self.fields["guides"].label = count % {"count": number_format(totals.guides, force_grouping=True)}
        weight, fob = (number_format(each, force_grouping=True) for each in totals[1:])
        self.fields["weight_kg"].label = gettext("total weight %s kg") % weight
        self.fields["fob_usd"].label = gettext("FOB total US$ %s") % fob
        for field in self.fields.values():
            field.error_messages["required"] = gettext("Compare it with the waybill, then tick it.")


@may_be_called
@draft_page("reading")
def reading(request: HttpRequest, draft: FormatDraft) -> HttpResponse:
    """Show the rows, or record that the totals were compared."""
    if KEEP in request.POST:
        return kept(request)
    spec = spec_of_draft(draft)
    if spec is None:
        return HttpResponseRedirect(address("columns", draft))
    with sample_path(draft) as path:
        read = read_sample(draft.company, spec, path)
    form = WaybillForm(
        read.totals, request.POST if request.method == "POST" else None, initial=dict.fromkeys(draft.checked, True)
    )
    if request.method == "POST" and read.parsed and form.is_valid():
        totals = read.totals
        checked = {"guides": totals.guides, "weight_kg": str(totals.weight_kg), "fob_usd": str(totals.fob_usd)}
        change_draft(draft, checked=checked)
        return HttpResponseRedirect(address("past", draft))
    if request.method != "POST":
        log_act(request, draft.company, SAMPLE_READ)
    return _page(request, draft, read, form)


@draft_page("reading")
@require_safe
def reading_csv(request: HttpRequest, draft: FormatDraft) -> HttpResponseBase:
    """Return every row as CSV."""
    spec = spec_of_draft(draft)
    if spec is None:
        return HttpResponseRedirect(address("columns", draft))
    with sample_path(draft) as path:
        read = read_sample(draft.company, spec, path)
    log_act(request, draft.company, SAMPLE_EXPORTED)
    headings = [
        gettext("Row"),
        *(f"{each.letter}: {each.heading}" for each in read.originals),
        *(_label(name) for name in read.fields),
        gettext("Problems"),
    ]
    separator = ";" if get_language() == "es" else ","
    response = StreamingHttpResponse(
        csv_chunks(headings, _lines(read), separator=separator), content_type=CSV_CONTENT_TYPE
    )
    response["Content-Disposition"] = 'attachment; filename="reading.csv"'
    response["Cache-Control"] = "no-store"
    return response


@draft_page("reading")
@require_safe
def annotated(request: HttpRequest, draft: FormatDraft) -> HttpResponse:
    """Return the sample with each problem at its cell."""
    spec = spec_of_draft(draft)
    if spec is None:
        return HttpResponseRedirect(address("columns", draft))
    with sample_path(draft) as path:
        content = trial.annotated_copy(draft.company, path, known=[FormatInUse(0, spec.name, 0, spec)])
    log_act(request, draft.company, SAMPLE_DOWNLOADED)
    headers = {"Content-Disposition": 'attachment; filename="annotated.xlsx"', "Cache-Control": "no-store"}
    return HttpResponse(content, content_type=XLSX_CONTENT_TYPE, headers=headers)


def spec_of_draft(draft: FormatDraft) -> FormatSpec | None:
    """The draft as a format; None while it is incomplete."""
    try:
        return from_json(draft.content)
    except FormatInvalid:
        return None


def _lines(read: SampleReading) -> Iterator[Sequence[str | int]]:
    for row in read.rows:
        yield [row.row_index, *row.cells, *(value.text for value in row.values), " ".join(row.problems)]


def _label(name: str) -> str:
    return name[1:] if name.startswith("+") else field_label(name)


def _shown_rows(read: SampleReading, wanted: str) -> list[ReadRow]:
    if wanted == "problems":
        return [row for row in read.rows if row.problems]
    return [row for row in read.rows if row.is_unlike] if wanted == "unlike" else list(read.rows)


def _page(request: HttpRequest, draft: FormatDraft, read: SampleReading, form: WaybillForm) -> HttpResponse:
    context = {**reading_context(request, read), "form": form}
    return render(request, draft, "reading", context, status=400 if form.is_bound else 200)


def reading_context(request: HttpRequest, read: SampleReading) -> dict[str, Any]:
    """What the rows of a reading show: those of the filter that was asked for, and how many each filter has."""
    wanted = request.GET.get("show", "")
    shown = wanted if wanted in _FILTERS else "problems" if any(row.problems for row in read.rows) else "all"
    rows = _shown_rows(read, shown)
    parsed = read.parsed
    account = parsed.rows if parsed else None
    return {
        "read": read,
        "refusal": refusal_in_words(read.refusal) if read.refusal else "",
        "refusal_detail": read.refusal.message if read.refusal else "",
        "rows": rows[:SHOWN_ROWS],
        "total": len(rows),
        "headings": [
            (
                f"{read.originals[at].letter} · {read.originals[at].heading}" if at is not None else "",
                _label(read.fields[to]) if to is not None else "",
            )
            for at, to in paired(read.originals, read.fields)
        ],
        "filters": [
            (name, label, len(_shown_rows(read, name)), name == shown)
            for name, label in _FILTERS.items()
            if name != "unlike" or read.has_automatic
        ],
        "remarks": [*remarks_of(parsed)] if parsed else [],
        "left_out": [(each, left_out_reason(each.reason)) for each in account.named] if account else [],
    }
