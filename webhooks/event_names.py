"""What operators call the types of events."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from webhooks.events import EventType

EVENT_NAMES: Mapping[str, str | Promise] = {
    EventType.PRE_ALERT_INGESTED: _("Manifest received"),
    EventType.PRE_ALERT_VOIDED: _("Manifest voided"),
    EventType.GUIDE_STATUS_CHANGED: _("New status of a guide"),
    EventType.GUIDE_OUT_FOR_DELIVERY: _("Guide out for delivery"),
    EventType.GUIDE_DELIVERED: _("Guide delivered"),
    EventType.GUIDE_EXCEPTION: _("Guide in exception"),
    EventType.GUIDE_CORRECTED: _("Guide corrected"),
    EventType.UPLOAD_SUCCEEDED: _("Upload read"),
    EventType.UPLOAD_FAILED: _("Upload refused"),
    EventType.WEBHOOK_TEST: _("Test"),
    EventType.WEBHOOK_SUBSCRIPTION_DISABLED: _("Subscription disabled"),
}


def event_name(kind: str) -> str:
    """Return the name of a type; the type itself for one that is not sent any more."""
    return str(EVENT_NAMES.get(kind, kind))
