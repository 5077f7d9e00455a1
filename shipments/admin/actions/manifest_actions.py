"""Operators' actions on a manifest: advance all its guides, void it, attach its invoice."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from unfold.decorators import action

from companies.admin_base.activity import log_act
from companies.admin_base.confirmation import Question, is_confirmed
from companies.errors import DomainError
from shipments.activity import INVOICE_ATTACHED, INVOICE_REPLACED, VOIDED
from shipments.admin.actions.advance_actions import advance_pages
from shipments.admin.actions.annotated_downloads import AnnotatedDownloads
from shipments.admin.actions.guide_pages import GuidePages, blame
from shipments.admin.actions.selections import Selection, ask_about
from shipments.admin.forms import InvoiceForm, VoidForm
from shipments.errors import ValidationFailed
from shipments.files.invoices import attach_invoice
from shipments.log_entries import log_moves
from shipments.models import FileKind, Manifest
from shipments.tracking.voiding import void_manifest
from shipments.trouble import reports_missing_files

_VOIDING = (
    _("Its guides are cancelled, its company no longer sees it, and its MAWB can be sent again."),
    _("Operators still find it. This cannot be undone."),
)
ATTACHING = Question(
    title=_("Attach the invoice"),
    consequences=(_("A PDF of at most 20 MB. It is kept as it is."),),
    button=_("Attach"),
)
REPLACING = Question(
    title=_("Replace the invoice"),
    consequences=(_("A PDF of at most 20 MB. It is kept as it is; the one it replaces is deleted."),),
    button=_("Replace"),
)


def whole_upload(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Report a file over the limit on the page it was sent from.

    Reading stops at the limit, and the first code to read the body gets the error. That would be the CSRF check, which
    runs outside any view. The body is therefore read here, and the token is checked afterwards.
    """

    @csrf_exempt
    @wraps(view)
    def inner(model_admin: "ManifestActions", request: HttpRequest, object_id: str) -> HttpResponseBase:
        try:
            bool(request.POST)
        except ValidationFailed as refused:
            messages.error(request, " ".join(text for texts in refused.details.values() for text in texts))
            return HttpResponseRedirect(request.path)

        @csrf_protect
        def protected(request: HttpRequest) -> HttpResponseBase:
            return view(model_admin, request, object_id)

        return protected(request)

    return inner


class ManifestActions(AnnotatedDownloads):
    """The actions, for the manifest admin."""

    actions_detail: Any = ["advance_guides", "attach_invoice", "add_note", "void"]

    def _manifest_or_404(self, request: HttpRequest, object_id: str) -> tuple[Manifest, str]:
        """Return the manifest in an action's address, and the address of its page. Raises `Http404`."""
        manifest: Manifest | None = self.get_object(request, object_id)
        if manifest is None:
            raise Http404
        return manifest, reverse("admin:shipments_manifest_change", args=[manifest.pk])

    def has_move_guides_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # the signature is Django's
        """Advancing guides needs the permission on guides, from here too."""
        return request.user.has_perm("shipments.change_guide")

    @action(description=_("Advance guides…"), url_path="advance", permissions=["move_guides"], icon="moving")
    def advance_guides(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Apply one event to all guides of the manifest."""
        manifest, page = self._manifest_or_404(request, object_id)
        selection = Selection(manifest.guides.all(), page, subject=manifest)
        if selection.is_too_long(request):
            return HttpResponseRedirect(page)
        return advance_pages(self, request, selection)

    @action(description=_("Void"), url_path="void", permissions=["operate"], icon="block")
    def void(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a reason, then void the manifest, or report why it cannot be voided."""
        manifest, page = self._manifest_or_404(request, object_id)
        selection = Selection(manifest.guides.all(), page, subject=manifest)
        title = gettext("Void the manifest %s") % manifest
        try:
            void_manifest(manifest, reason="?", actor=request.user.get_username(), dry_run=True)
        except DomainError as refused:
            return ask_about(self, request, Question(title, (refused.message,)), selection)
        form = VoidForm(request.POST if is_confirmed(request) else None)
        if form.is_valid():
            try:
                self._void(request, manifest, form.cleaned_data)
            except DomainError as refused:
                blame(form, refused)
            else:
                return HttpResponseRedirect(page)
        question = Question(title, _VOIDING, button=_("Void"), is_dangerous=True)
        return ask_about(self, request, question, selection, form=form, guides=GuidePages.sample(selection))

    def _void(self, request: HttpRequest, manifest: Manifest, entered: dict[str, str]) -> None:
        actor = request.user.get_username()
        with transaction.atomic():
            results = void_manifest(manifest, reason=entered["reason"], client_note=entered["client_note"], actor=actor)
            log_act(request, manifest, VOIDED)
            log_moves(request, results)
        messages.success(request, gettext("The manifest %s is void; its MAWB can be sent again.") % manifest)

    @whole_upload
    @action(description=_("Attach invoice"), url_path="invoice", permissions=["operate"], icon="attach_file")
    @reports_missing_files
    def attach_invoice(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Attach a PDF as the manifest's invoice."""
        manifest, page = self._manifest_or_404(request, object_id)
        is_sent = is_confirmed(request)
        form = InvoiceForm(request.POST if is_sent else None, request.FILES if is_sent else None)
        if form.is_valid():
            try:
                self._attach(request, manifest, form)
            except ValidationFailed as refused:
                blame(form, refused)
            else:
                return HttpResponseRedirect(page)
        present = manifest.files.filter(kind=FileKind.INVOICE).first()
        question = ATTACHING
        if present:
            fact = gettext("It already has an invoice: %s.") % present
            question = replace(REPLACING, consequences=(fact, *REPLACING.consequences))
        return ask_about(self, request, question, Selection(manifest.guides.all(), page, subject=manifest), form=form)

    def _attach(self, request: HttpRequest, manifest: Manifest, form: InvoiceForm) -> None:
        with transaction.atomic():
            attached = attach_invoice(manifest, form.cleaned_data["invoice_file"], actor=request.user.get_username())
            new, old = attached.file.sha256[:16], attached.replaced_sha256[:16]
            if old:
                log_act(request, manifest, INVOICE_REPLACED, new=new, old=old)
            else:
                log_act(request, manifest, INVOICE_ATTACHED, new=new)
        messages.success(request, gettext("The invoice is attached."))
