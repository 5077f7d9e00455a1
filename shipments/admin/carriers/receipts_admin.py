"""What carriers sent, as receipts: when, how much, what became of it. Never the body itself."""

from contextlib import suppress
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from companies.admin_base.activity import ActKind, act
from companies.admin_base.confirmed_action import ConfirmedAction, Done, Question, Scene
from shipments.admin.columns import badge_column, column, number_column, time_column
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.carriers.processing import do_again
from shipments.models import CarrierReceipt, EventOutcome, ReceiptState

DONE_AGAIN = act("carrier_receipt_repeated", ActKind.SENT, _("Did the receipt again: %(state)s."))
_COLOURS = {
    ReceiptState.RECEIVED: "info",
    ReceiptState.PROCESSED: "success",
    ReceiptState.REJECTED: "warning",
    ReceiptState.FAILED: "danger",
}


def _asking(scene: Scene[CarrierReceipt]) -> Question:
    if scene.one.body is None:
        return Question(_("Do again"), [_("The body has been deleted.")])
    rule = _("The body is processed again as it was received. What was applied already is not applied twice.")
    return Question(_("Do again"), [rule], _("Do again"))


def _repeat(scene: Scene[CarrierReceipt], _form: object) -> Done[CarrierReceipt]:
    receipt = scene.one
    do_again(receipt)
    level = messages.SUCCESS if receipt.state == ReceiptState.PROCESSED else messages.WARNING
    said = gettext("The receipt is now: %s.") % receipt.get_state_display()
    return Done([receipt], [(level, said)], {"state": receipt.state})


REPEAT = ConfirmedAction[CarrierReceipt](
    name="repeat", path="again", label=_("Do again"), icon="replay", question=_asking, run=_repeat, logged=DONE_AGAIN,
    fits=lambda receipt: receipt.body is not None,
)  # fmt: skip


@admin.register(CarrierReceipt)
class CarrierReceiptAdmin(ReadOnlyAdmin):
    """Receipts, newest first. Bodies hold names: nobody sees them."""

    list_title = _("Carriers' receipts")
    nothing_yet = _("No carrier has sent anything yet")
    how_it_begins = _("What carriers send appears here by itself.")
    list_display = ["shown_received", "carrier", "shown_state", "shown_events", "shown_counts", "shown_size"]
    list_select_related = ["carrier"]
    list_filter = [("state", ChoicesDropdownFilter)]
    ordering = ["-received_at"]
    sortable_by = ()
    search_fields = ["id"]
    search_help_text = _("receipt_id, in full")
    fields = [
        ("carrier", "shown_state"), "shown_id", ("received_at", "due_at"), ("attempts", "fault"),
        ("shown_events", "shown_counts"), ("shown_size", "shown_kept"), "sha256",
    ]  # fmt: skip
    readonly_fields = ["shown_state", "shown_id", "shown_events", "shown_counts", "shown_size", "shown_kept"]
    confirmed_actions = (REPEAT,)

    shown_events = number_column(CarrierReceipt, "events")
    shown_size = number_column(CarrierReceipt, "size_bytes")

    def search_rows(self, receipts: QuerySet[CarrierReceipt], text: str) -> QuerySet[CarrierReceipt]:
        with suppress(ValueError):
            return receipts.filter(pk=UUID(text.removeprefix("rcp_")))
        return receipts.none()

    shown_received = time_column(_("received"), "received_at")
    shown_state = badge_column(_("state"), "state", _COLOURS)
    shown_id = column("receipt_id", lambda receipt: receipt.public_id)

    @display(description=_("what became of them"))
    def shown_counts(self, receipt: CarrierReceipt) -> SafeString | str:
        names = {**{outcome.value: outcome.label for outcome in EventOutcome}, "duplicate": gettext("known already")}
        shown = ((names[name], count) for name, count in receipt.counts.items() if count)
        return format_html_join(", ", "{}: {}", shown) or "–"

    shown_kept = column(
        _("body"), lambda receipt: gettext("deleted") if receipt.body is None else gettext("kept for repeating it")
    )
