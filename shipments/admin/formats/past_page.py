"""The company's past workbooks, read by the draft, beside what was ingested from them."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from companies.admin_base.activity import log_act
from shipments.activity import PAST_COMPARED, PAST_READ
from shipments.admin.formats.draft_access import address, draft_page, render
from shipments.admin.formats.place_page import KEEP, kept
from shipments.admin.formats.reading_page import reading_context, spec_of_draft
from shipments.admin.formats.sample_page import may_be_called
from shipments.admin.formats.sample_reading import read_sample
from shipments.files.storage import file_store
from shipments.formats.past_workbooks import past_workbooks
from shipments.models import FileKind, FormatDraft, Manifest


@may_be_called
@draft_page("past")
def past(request: HttpRequest, draft: FormatDraft) -> HttpResponse:
    """Show how the draft reads each of them, or go on."""
    if request.method == "POST":
        return kept(request) if KEEP in request.POST else HttpResponseRedirect(address("save", draft))
    spec = spec_of_draft(draft)
    if spec is None or not draft.checked:
        return HttpResponseRedirect(address("columns" if spec is None else "reading", draft))
    found = past_workbooks(draft.company, spec)
    log_act(request, draft.company, PAST_COMPARED)
    return render(request, draft, "past", {"past": found})


@draft_page("past")
@require_safe
def past_reading(request: HttpRequest, draft: FormatDraft, manifest_id: UUID) -> HttpResponse:
    """Show one of them row by row."""
    spec = spec_of_draft(draft)
    manifests = Manifest.objects.visible_to(request.user).filter(company=draft.company, country=draft.country)
    manifest = get_object_or_404(manifests, pk=manifest_id)
    file = manifest.files.filter(kind=FileKind.MANIFEST).first()
    if spec is None or file is None:
        raise Http404
    with file_store().local_copy(str(file.file.name)) as path:
        read = read_sample(draft.company, spec, path)
    log_act(request, draft.company, PAST_READ)
    context = {**reading_context(request, read), "manifest": manifest}
    return render(request, draft, "past", context, template="shipments/formats/past_reading.html")
