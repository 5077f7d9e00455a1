"""Uploading a client's manifest in the admin: choose the client and the file, read the preview, confirm."""

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from companies.admin_base.activity import log_act, log_act_on
from companies.country_names import country_name
from companies.errors import DomainError
from companies.scope import scope_of
from shipments.activity import ENTERED, PREVIEW_DOWNLOADED, PREVIEWED
from shipments.admin.columns import eta_text, plain_number
from shipments.admin.entry.entry_form import EntryForm
from shipments.admin.entry.preview_rows import preview_rows
from shipments.admin.entry.refusal_words import shown_refusal
from shipments.admin.understanding import understood
from shipments.errors import MawbAlreadyExists, ParserBusy
from shipments.intake.annotated.writing import MEDIA_TYPE
from shipments.intake.drafts import (
    DraftGoneError,
    add_draft,
    annotated_draft,
    enter,
    flight_of,
    try_draft,
    try_manifest,
)
from shipments.intake.ingest import kept
from shipments.intake.workbook_reading import ReadWorkbook
from shipments.manifests.flights import read_flight
from shipments.manifests.mapped.house.house_layouts import LAYOUTS
from shipments.models import Manifest, ManifestDraft
from shipments.trouble import reports_missing_files

SHOWN_ROWS = 100
"""The number of guides on a page of the preview."""

_may_be_called = require_http_methods(["GET", "HEAD", "POST"])


def urls() -> list[URLPattern]:
    """Return the URL patterns of the pages, for staff only."""
    view = admin.site.admin_view
    return [
        path("", view(reports_missing_files(entry_page)), name="enter-manifest"),
        path("<uuid:draft_id>/", view(reports_missing_files(preview_page)), name="enter-manifest-preview"),
        path(
            "<uuid:draft_id>/annotated.xlsx",
            view(reports_missing_files(annotated_page)),
            name="enter-manifest-annotated",
        ),
    ]


@_may_be_called
def entry_page(request: HttpRequest) -> HttpResponseBase:
    """Show the form, or read the uploaded file and redirect to its preview. What is refused is not stored."""
    _require_permission(request)
    if request.method != "POST":
        return _form_page(request, EntryForm(request.user))
    form = EntryForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return _form_page(request, form, status=400)
    chosen = form.cleaned_data
    flight = {"destination_airport": chosen["destination_airport"]}
    trial = try_manifest(chosen["company"], form.path, read_flight(flight)[0], is_json=form.is_json)
    if trial.refusal:
        return _form_page(request, form, refusals=trial.refusals, status=_status_of(trial.refusal))
    operator = cast("User", request.user)
    draft = add_draft(
        operator, chosen["company"], chosen["manifest_file"], chosen["invoice_file"], flight, is_json=form.is_json
    )
    return HttpResponseRedirect(reverse("enter-manifest-preview", args=[draft.pk]))


@_may_be_called
def preview_page(request: HttpRequest, draft_id: UUID) -> HttpResponseBase:
    """Show what would be created, and create it on POST. A repeated click leads to what the first one created."""
    _require_permission(request)
    drafts = ManifestDraft.objects.visible_to(request.user).select_related("company", "operator")
    draft = get_object_or_404(drafts, pk=draft_id)
    if draft.manifest_id:
        return _to_manifest(draft.manifest_id)
    if request.method != "POST":
        return _preview(request, draft)
    try:
        manifest = enter(draft)
    except (DraftGoneError, MawbAlreadyExists) as refusal:
        created = drafts.filter(pk=draft_id).values_list("manifest", flat=True).first()
        if created:
            return _to_manifest(created)
        if isinstance(refusal, DraftGoneError):
            raise Http404 from None
        return _preview(request, draft, refusal)
    except DomainError as refusal:
        return _preview(request, draft, refusal)
    log_act(request, manifest, ENTERED, company=str(draft.company))
    guides = ngettext("%d guide was created.", "%d guides were created.", manifest.total_guides)
    messages.success(request, guides % manifest.total_guides)
    return _to_manifest(manifest.pk)


@require_safe
def annotated_page(request: HttpRequest, draft_id: UUID) -> HttpResponse:
    """Return the workbook with each problem at its cell. It contains personal data, so the download is logged."""
    _require_permission(request)
    drafts = ManifestDraft.objects.visible_to(request.user).filter(manifest=None, is_json=False)
    draft = get_object_or_404(drafts.select_related("company"), pk=draft_id)
    try:
        content = annotated_draft(draft)
    except ParserBusy as refusal:
        return _preview(request, draft, refusal)
    log_act(request, draft.company, PREVIEW_DOWNLOADED)
    headers = {"Content-Disposition": 'attachment; filename="annotated.xlsx"', "Cache-Control": "no-store"}
    return HttpResponse(content, content_type=MEDIA_TYPE, headers=headers)


def _preview(request: HttpRequest, draft: ManifestDraft, refusal: DomainError | None = None) -> HttpResponse:
    """Show the draft as it is read now. refusal: why it could not be confirmed; else what reading it says."""
    trial = try_draft(draft)
    refusals = (refusal,) if refusal else trial.refusals
    context: dict[str, Any] = {
        "title": _("Preview"),
        "draft": draft,
        "file_name": draft.received["manifest"]["original_name"],
        "has_invoice": bool(draft.invoice_file),
        "refusals": [shown_refusal(each) for each in refusals],
    }
    if trial.read:
        context |= _shown(request, draft, trial.read)
    status = _status_of(refusals[0]) if refusals else 200
    return _page(request, "shipments/enter_manifest_preview.html", context, status=status)


def _shown(request: HttpRequest, draft: ManifestDraft, read: ReadWorkbook) -> dict[str, Any]:
    """Return the template context of a manifest that was read, and record that its personal data was shown."""
    parsed = read.parsed
    manifest = Manifest(
        company=draft.company,
        mawb=parsed.mawb,
        country=parsed.country,
        eta=parsed.flight.scheduled_arrival,
        **kept(parsed),
    )
    params = {"company": str(draft.company), "guides": manifest.total_guides}
    log_act_on(request, Manifest, manifest.mawb, PREVIEWED, **params)
    rows = preview_rows(parsed)
    return {
        "manifest": manifest,
        "flight": parsed.flight,
        "country": country_name(parsed.country),
        "destination": parsed.flight.destination_airport or flight_of(draft).destination_airport,
        "eta": eta_text(manifest),
        "format": read.form,
        "weight_kg": plain_number(manifest.total_weight_kg),
        "problem_count": sum(bool(row.problems) for row in rows),
        "page": Paginator(rows, SHOWN_ROWS).get_page(request.GET.get("page")),
        **understood(manifest),
    }


def _require_permission(request: HttpRequest) -> None:
    if not request.user.has_perm("shipments.change_manifest"):
        raise PermissionDenied


def _status_of(refusal: DomainError) -> int:
    if isinstance(refusal, ParserBusy):
        return 503
    return 409 if isinstance(refusal, MawbAlreadyExists) else 400


def _to_manifest(manifest_id: UUID) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:shipments_manifest_change", args=[manifest_id]))


def _form_page(
    request: HttpRequest,
    form: EntryForm,
    *,
    refusals: Sequence[DomainError] = (),
    status: int = 200,
) -> HttpResponse:
    scope = scope_of(request.user)
    context = {
        "title": _("Upload a client's manifest"),
        "templates": [(country_name(one), f"template-{one}") for one in sorted(LAYOUTS) if scope.covers([one])],
        "form": form,
        "refusals": [shown_refusal(refusal) for refusal in refusals],
        "has_clients": form.fields["company"].queryset.exists(),  # type: ignore[attr-defined]  # a ModelChoiceField
    }
    return _page(request, "shipments/enter_manifest.html", context, status=status)


def _page(request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    response = TemplateResponse(request, name, {**admin.site.each_context(request), **context}, status=status)
    response["Cache-Control"] = "no-store"
    return response
