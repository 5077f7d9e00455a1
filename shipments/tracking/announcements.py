"""Publishing webhook events about shipments.

Called in the transaction that changes the shipment, so that the event is committed or rolled back with the change.
Events contain identifiers, statuses and times, but never personal data.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, NotRequired, TypedDict

from base.http.json_types import Keywords, Moment, PositiveCount, Uuid, known_words
from companies.models import Company
from shipments.models import Guide, GuideEvent, Manifest, UploadJob
from shipments.statuses import GuideStatus, Source, StatusKind
from shipments.tracking.moves import Move
from webhooks import outbox
from webhooks.events import is_subscribed
from webhooks.models import Subscription
from webhooks.models.delivery import ships_to
from webhooks.outbox import Event, EventType

_OWN_TYPES = {
    GuideStatus.OUT_FOR_DELIVERY: EventType.GUIDE_OUT_FOR_DELIVERY,
    GuideStatus.DELIVERED: EventType.GUIDE_DELIVERED,
}


Mawb = Annotated[str, Keywords(pattern=r"^[0-9]{3}-[0-9]{8}$")]
"""A MAWB in its normal form."""


MawbVersion = Annotated[PositiveCount, "The version of the MAWB after this change; every change raises it."]
SequenceNumber = Annotated[
    PositiveCount, "Counts the changes of the guide's status, without gaps: 1 is `registered`. Order by this."
]


class PreAlertIngestedData(TypedDict):
    """A manifest that was accepted."""

    manifest_id: Uuid
    mawb: Mawb
    country: Annotated[str, "ISO 3166 alpha-2 of the destination."]
    eta: Moment | None
    total_guides: PositiveCount
    guides_by_status: dict[str, PositiveCount]
    mawb_version: MawbVersion


class GuideMovedData(TypedDict):
    """A guide whose status changed. Never contains a consignee's data."""

    manifest_id: Uuid
    mawb: Mawb
    hawb: str
    tracking_code: str
    status: Annotated[str, known_words(GuideStatus), "The guide's new status. More values may be added."]
    status_code: PositiveCount
    previous_status: Annotated[str, known_words(GuideStatus), "Its previous status."]
    source: Annotated[str, known_words(Source), "Who reported it. More values may be added."]
    sequence: SequenceNumber
    mawb_version: MawbVersion
    reason: NotRequired[Annotated[str, "A note for you, if there is one; for people."]]
    country: NotRequired[Annotated[str, "ISO 3166 alpha-2 of the destination; always and only in version 2."]]


class PreAlertVoidedData(TypedDict):
    """A manifest that was voided, with all its guides."""

    manifest_id: Uuid
    mawb: Mawb
    country: Annotated[str, "ISO 3166 alpha-2 of the destination."]
    total_guides: PositiveCount
    mawb_version: MawbVersion


class GuideCorrectedData(TypedDict):
    """A guide whose data was corrected by API. Names fields, and never their values."""

    manifest_id: Uuid
    mawb: Mawb
    hawb: str
    tracking_code: str
    fields: Annotated[list[str], "The names of the fields that changed, as in the JSON manifest."]
    mawb_version: MawbVersion
    country: Annotated[str, "ISO 3166 alpha-2 of the destination."]


class UploadSucceededData(TypedDict):
    """An upload that was answered with 202, and accepted."""

    job_id: Uuid
    mawb: Mawb


class UploadFailedData(TypedDict):
    """An upload that was answered with 202, and refused."""

    job_id: Uuid
    error: Annotated[str, "The code, as in `GET jobs/{job_id}`."]


def _publish(kind: EventType, manifest: Manifest, at: datetime, data: Mapping[str, Any], subject: str = "") -> None:
    outbox.publish(manifest.company, [Event(kind, at, subject or manifest.mawb, data, [manifest.country])])


def announce_accepted_upload(job: UploadJob, manifest: Manifest) -> None:
    data: UploadSucceededData = {"job_id": str(job.pk), "mawb": manifest.mawb}
    _publish(EventType.UPLOAD_SUCCEEDED, manifest, manifest.created_at, data)


def announce_refused_upload(job: UploadJob, code: str, refused_at: datetime) -> None:
    data: UploadFailedData = {"job_id": str(job.pk), "error": code}
    event = Event(EventType.UPLOAD_FAILED, refused_at, str(job.pk), data, ships_to(job.company))
    outbox.publish(job.company, [event])


def announce_ingest(manifest: Manifest) -> None:
    """Publish one `pre_alert.ingested` for a manifest that was just written."""
    data: PreAlertIngestedData = {
        "manifest_id": str(manifest.pk),
        "mawb": manifest.mawb,
        "country": manifest.country,
        "eta": manifest.eta_text,
        "total_guides": manifest.total_guides,
        "guides_by_status": dict(manifest.guides_by_status),
        "mawb_version": manifest.version,
    }
    _publish(EventType.PRE_ALERT_INGESTED, manifest, manifest.created_at, data)


def announce_void(manifest: Manifest, voided_at: datetime) -> None:
    """Publish one `pre_alert.voided` for a manifest that its company can no longer see; only in version 2.

    The reason is not sent, because operators write it for colleagues.
    """
    data: PreAlertVoidedData = {
        "manifest_id": str(manifest.pk),
        "mawb": manifest.mawb,
        "country": manifest.country,
        "total_guides": manifest.total_guides,
        "mawb_version": manifest.version,
    }
    _publish(EventType.PRE_ALERT_VOIDED, manifest, voided_at, data)


def announce_correction(manifest: Manifest, guide: Guide, fields: Sequence[str]) -> None:
    """Publish one `guide.corrected` for a guide whose `updated_at` is that of the correction; only in version 2."""
    data: GuideCorrectedData = {
        "manifest_id": str(manifest.pk),
        "mawb": manifest.mawb,
        "hawb": guide.hawb,
        "tracking_code": guide.tracking_code,
        "fields": list(fields),
        "mawb_version": manifest.version,
        "country": manifest.country,
    }
    _publish(EventType.GUIDE_CORRECTED, manifest, guide.updated_at, data, guide.tracking_code)


def announce_moves(moves: Iterable[Move]) -> None:
    """Publish one event, of the most specific type, for each guide whose status changed, and none for other moves."""
    by_company: dict[int, list[Event]] = defaultdict(list)
    for move in moves:
        if move.event:
            by_company[move.manifest.company_id].append(_to_event(move, move.event))
    for company_id, events in by_company.items():
        # The outbox only needs the key, so the company is not loaded.
        outbox.publish(Company(pk=company_id), events)


def find_notified_companies(moves: Iterable[Move]) -> set[int]:
    """Return the ids of the companies that are sent `moves`, by the filters of their active subscriptions."""
    events: dict[int, dict[tuple[EventType, str], Event]] = defaultdict(dict)
    for move in moves:
        kind, country = event_type(move.reported.status), move.manifest.country
        events[move.manifest.company_id].setdefault(
            (kind, country), Event(kind, move.verdict.occurred_at, move.tracking_code, {}, [country])
        )
    subscriptions = Subscription.objects.live().filter(company__in=events)
    return {
        each.company_id
        for each in subscriptions
        if any(
            is_subscribed(event, each.version, each.event_types, each.countries)
            for event in events[each.company_id].values()
        )
    }


def event_type(status: GuideStatus) -> EventType:
    if status.kind in {StatusKind.EXCEPTION, StatusKind.TERMINAL_EXCEPTION}:
        return EventType.GUIDE_EXCEPTION
    return _OWN_TYPES.get(status, EventType.GUIDE_STATUS_CHANGED)


def _to_event(move: Move, recorded: GuideEvent) -> Event:
    status = move.reported.status
    data: GuideMovedData = {
        "manifest_id": str(move.manifest.pk),
        "mawb": move.manifest.mawb,
        "hawb": move.hawb,
        "tracking_code": move.tracking_code,
        "status": status.value,
        "status_code": status.code,
        "previous_status": move.previous_status.value,
        "source": move.reported.source.value,
        "sequence": recorded.sequence or 0,
        "mawb_version": move.manifest.version,
    }
    if recorded.client_note:
        data["reason"] = recorded.client_note
    occurred_at, countries = move.verdict.occurred_at, [move.manifest.country]
    return Event(event_type(status), occurred_at, move.tracking_code, data, countries, made_at=recorded.recorded_at)
