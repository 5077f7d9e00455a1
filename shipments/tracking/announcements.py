"""What clients hear of: shipments' facts in the words of the webhooks' catalogue.

Called inside the transaction that changed the shipment, so that an event stands and falls with its change. Never
personal data: identifiers, statuses and times.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from companies.models import Company
from shipments.models import Manifest
from shipments.statuses import GuideStatus, Kind
from shipments.tracking.results import Result
from webhooks import outbox
from webhooks.outbox import Event, EventType

_OWN_TYPES = {
    GuideStatus.OUT_FOR_DELIVERY: EventType.GUIDE_OUT_FOR_DELIVERY,
    GuideStatus.DELIVERED: EventType.GUIDE_DELIVERED,
}


def announce_ingest(manifest: Manifest) -> None:
    """One `pre_alert.ingested` for a manifest that was just written."""
    data = {
        "manifest_id": str(manifest.pk),
        "mawb": manifest.mawb,
        "country": manifest.country,
        "eta": manifest.eta_text,
        "total_guides": manifest.total_guides,
        "guides_by_status": dict(manifest.guides_by_status),
    }
    event = Event(EventType.PRE_ALERT_INGESTED, manifest.created_at, manifest.mawb, data, [manifest.country])
    outbox.publish(manifest.company, [event])


def announce_void(manifest: Manifest, voided_at: datetime) -> None:
    """One `pre_alert.voided` for a manifest that its company no longer sees; version 2 alone hears of it.

    Why it was voided is what an operator wrote for colleagues, and is not sent.
    """
    data = {
        "manifest_id": str(manifest.pk),
        "mawb": manifest.mawb,
        "country": manifest.country,
        "total_guides": manifest.total_guides,
    }
    event = Event(EventType.PRE_ALERT_VOIDED, voided_at, manifest.mawb, data, [manifest.country])
    outbox.publish(manifest.company, [event])


def announce_moves(advanced: Iterable[Result]) -> None:
    """One event for each guide whose status changed, of the most specific type; history and repeats tell nothing."""
    by_company: dict[int, list[Event]] = defaultdict(list)
    for result in advanced:
        by_company[result.manifest.company_id].append(_moved(result))
    for company_id, events in by_company.items():
        # The outbox asks only for the key; the company itself was never read, and need not be.
        outbox.publish(Company(pk=company_id), events)


def event_type(status: GuideStatus) -> EventType:
    """The most specific type for a guide that came into `status`."""
    if status.kind in {Kind.EXCEPTION, Kind.TERMINAL_EXCEPTION}:
        return EventType.GUIDE_EXCEPTION
    return _OWN_TYPES.get(status, EventType.GUIDE_STATUS_CHANGED)


def _moved(result: Result) -> Event:
    fact = result.move.fact
    data = {
        "manifest_id": str(result.manifest.pk),
        "mawb": result.manifest.mawb,
        "hawb": result.hawb,
        "tracking_code": result.tracking_code,
        "status": fact.status.value,
        "status_code": fact.status.code,
        "previous_status": result.previous_status.value,
        "source": fact.source.value,
    }
    if result.event and result.event.reason:
        data["reason"] = result.event.reason
    return Event(event_type(fact.status), result.occurred_at, result.tracking_code, data, [result.manifest.country])
