"""What operators do to a manifest: void it, attach its invoice."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from base.admin.confirmed_action import ConfirmedAction, Done, Question, Scene
from base.errors import DomainError
from shipments.activity import INVOICE_ATTACHED, INVOICE_REPLACED, VOIDED
from shipments.admin.actions.guide_actions import TEMPLATE
from shipments.admin.columns import eta_text
from shipments.admin.forms import InvoiceForm, VoidForm
from shipments.files.invoices import attach_invoice
from shipments.models import FileKind, Manifest
from shipments.tracking.voiding import void_manifest
from shipments.trouble import reports_missing_files


def _facts(manifest: Manifest) -> list[str]:
    """Return what tells this manifest from another one."""
    flight = " · ".join(part for part in (str(manifest.flight), eta_text(manifest)) if part)
    guides = gettext("%(company)s · guides: %(n)s") % {"company": manifest.company.name, "n": manifest.total_guides}
    return [guides, flight]


def _voiding(scene: Scene[Manifest]) -> Question:
    """Ask for a reason and the MAWB, or say why it cannot be voided."""
    title = gettext("Void the manifest %s") % scene.one
    try:
        void_manifest(scene.one, reason="?", actor=scene.actor, dry_run=True)
    except DomainError as refused:
        return Question(title, (*_facts(scene.one), refused.message))
    lines = (
        _("Its guides are cancelled, its company no longer sees it, and its MAWB can be sent again."),
        _("Operators still find it. This cannot be undone."),
    )
    return Question(title, (*_facts(scene.one), *lines), _("Void"), is_dangerous=True, typed=scene.one.mawb)


def _void(scene: Scene[Manifest], form: VoidForm) -> Done[Manifest]:
    entered = form.cleaned_data
    void_manifest(scene.one, reason=entered["reason"], client_note=entered["client_note"], actor=scene.actor)
    return Done([scene.one])


def _attaching(scene: Scene[Manifest]) -> Question:
    present = scene.one.files.filter(kind=FileKind.INVOICE).first()
    if present is None:
        kept = _("A PDF of at most 20 MB. It is kept as it is.")
        return Question(_("Attach the invoice"), [kept], _("Attach"))
    fact = gettext("It already has an invoice: %s.") % present
    replaced = _("A PDF of at most 20 MB. It is kept as it is; the one it replaces is deleted.")
    return Question(_("Replace the invoice"), [fact, replaced], _("Replace"))


def _attach(scene: Scene[Manifest], form: InvoiceForm) -> Done[Manifest]:
    file, replaced = attach_invoice(scene.one, form.cleaned_data["invoice_file"], actor=scene.actor)
    new, old = file.sha256[:16], replaced[:16]
    if old:
        return Done([scene.one], params={"new": new, "old": old}, logged=INVOICE_REPLACED)
    return Done([scene.one], params={"new": new})


VOID = ConfirmedAction[Manifest](
    name="void", label=_("Void…"), icon="block", fits=lambda manifest: manifest.voided_at is None,
    question=_voiding, form=lambda _scene, data, _files: VoidForm(data), run=_void, logged=VOIDED, template=TEMPLATE,
    said=_("The manifest %(rows)s is void; its MAWB can be sent again."),
)  # fmt: skip
INVOICE = ConfirmedAction[Manifest](
    name="attach_invoice", path="invoice", label=_("Attach invoice"), icon="attach_file",
    fits=lambda manifest: manifest.voided_at is None and manifest.anonymised_at is None,
    question=_attaching, form=lambda _scene, data, files: InvoiceForm(data, files), run=_attach,
    logged=INVOICE_ATTACHED, said=_("The invoice is attached."), guard=reports_missing_files, template=TEMPLATE,
)  # fmt: skip
