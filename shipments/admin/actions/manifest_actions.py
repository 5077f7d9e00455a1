"""What operators do to a manifest: void it, attach its invoice."""

from collections.abc import Sequence

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from base.admin.confirmed_action import ConfirmedAction, Question
from base.errors import DomainError
from shipments.activity import INVOICE_ATTACHED, INVOICE_REPLACED, VOIDED
from shipments.admin.actions.guide_actions import TEMPLATE
from shipments.admin.columns import amount, eta_text
from shipments.admin.forms import InvoiceForm, VoidForm
from shipments.files.invoices import attach_invoice
from shipments.models import FileKind, Manifest
from shipments.tracking.voiding import void_manifest
from shipments.trouble import reports_missing_files


def _facts(manifest: Manifest) -> list[str]:
    """Return what tells this manifest from another one."""
    flight = " · ".join(part for part in (str(manifest.flight), eta_text(manifest)) if part)
    guides = gettext("%(company)s · guides: %(n)s") % {
        "company": manifest.company.name,
        "n": amount(manifest.total_guides),
    }
    return [guides, flight]


class Void(ConfirmedAction[Manifest]):
    name, label, icon = "void", _("Void…"), "block"
    template = TEMPLATE
    form_class = VoidForm
    logged, said = VOIDED, _("The manifest %(rows)s is void; its MAWB can be sent again.")
    fits = staticmethod(lambda row: row.voided_at is None)

    def get_question(self) -> Question:
        """Ask for a reason and the MAWB, or say why it cannot be voided."""
        title = gettext("Void the manifest %s") % self.row
        try:
            void_manifest(self.row, reason="?", actor=self.actor, dry_run=True)
        except DomainError as refused:
            return Question(title, (*_facts(self.row), refused.message))
        lines = (
            _("Its guides are cancelled, its company no longer sees it, and its MAWB can be sent again."),
            _("Operators still find it. This cannot be undone."),
        )
        return Question(title, (*_facts(self.row), *lines), _("Void"), is_dangerous=True, typed=self.row.mawb)

    def confirm(self, form: VoidForm) -> Sequence[Manifest]:
        entered = form.cleaned_data
        void_manifest(self.row, reason=entered["reason"], client_note=entered["client_note"], actor=self.actor)
        return [self.row]


class AttachInvoice(ConfirmedAction[Manifest]):
    name, path = "attach_invoice", "invoice"
    label, icon = _("Attach invoice"), "attach_file"
    template = TEMPLATE
    form_class = InvoiceForm
    logged, said = INVOICE_ATTACHED, _("The invoice is attached.")
    guard = staticmethod(reports_missing_files)
    fits = staticmethod(lambda row: row.voided_at is None and row.anonymised_at is None)

    def get_question(self) -> Question:
        present = self.row.files.filter(kind=FileKind.INVOICE).first()
        if present is None:
            kept = _("A PDF of at most 20 MB. It is kept as it is.")
            return Question(_("Attach the invoice"), [kept], _("Attach"))
        fact = gettext("It already has an invoice: %s.") % present
        replaced = _("A PDF of at most 20 MB. It is kept as it is; the one it replaces is deleted.")
        return Question(_("Replace the invoice"), [fact, replaced], _("Replace"))

    def confirm(self, form: InvoiceForm) -> Sequence[Manifest]:
        file, replaced = attach_invoice(self.row, form.cleaned_data["invoice_file"], actor=self.actor)
        self.params = {"new": file.sha256[:16]}
        if replaced:
            self.params |= {"old": replaced[:16]}
            self.logged = INVOICE_REPLACED
        return [self.row]
