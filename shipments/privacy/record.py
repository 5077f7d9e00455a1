"""All data that the service holds about a person, as JSON, to answer an access request."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db import models
from django.db.models import Min
from django.utils import timezone

from base.admin.activity import act_in_words
from shipments.models import Guide, ListedGuides, Manifest
from shipments.privacy.anonymise import entries_of
from shipments.privacy.drafts import drafts_naming
from shipments.privacy.erasing import mentions_of
from shipments.privacy.person import Person
from shipments.privacy.terms import terms_of
from shipments.wording.stored import render_notice, render_warning
from webhooks.models import Delivery

_BATCH_GUIDES = 200
_EVENT_FIELDS = (
    "status occurred_at recorded_at source internal_note client_note actor withdrawn_at withdrawn_by withdrawn_reason"
)
_KEYS = {"id", "manifest", "company"}
_GUIDE_FIELDS = [field.name for field in Guide._meta.concrete_fields if field.name not in _KEYS]


def personal_record(person: Person) -> Iterator[dict[str, object]]:
    """Yield one entry for each guide of the person: the guide, its origin, its timeline, and who saw or received it.

    After them, one for each text or body elsewhere that speaks of the person, under the name of its place, and one for
    each draft.

    Values are JSON types, decimals, dates or UUIDs. Passwords, secrets and other people's data are not included. A
    manifest's files also contain other people's data, so they are only listed by name.
    """
    found = person.guides()
    terms = terms_of(person.documents.numbers, [guide_id for _manifest_id, guide_id in found])
    for start in range(0, len(found), _BATCH_GUIDES):
        yield from _records([guide_id for _manifest_id, guide_id in found[start : start + _BATCH_GUIDES]])
    for mention in mentions_of(person, found, terms):
        yield {mention.place.name: dict(mention.to_json())}
    for draft in drafts_naming(terms, person.country, person.before or timezone.now()):
        yield {"draft": {"company": draft.company.name, "at": draft.created_at, "operator": str(draft.operator)}}


def _records(guide_ids: Sequence[int]) -> Iterator[dict[str, object]]:
    guides = (
        Guide.objects.filter(pk__in=guide_ids)
        .select_related("manifest__company", "manifest__posted_by")
        .prefetch_related("events", "notes", "scans__batch", "manifest__files", "carrier_events__carrier")
        .order_by("created_at", "pk")
    )
    seen = _group((str(entry.object_id), entry) for entry in entries_of(guide_ids).select_related("user"))
    for guide_id, entry in _lists_with(guide_ids):
        seen[str(guide_id)].append(entry)
    deliveries = _group(
        (delivery.subject, delivery)
        for delivery in Delivery.objects.filter(subject__in=[guide.tracking_code for guide in guides])
        .select_related("subscription")
        .order_by("pk")
    )
    for guide in guides:
        yield {
            "guide": {name: getattr(guide, name) for name in _GUIDE_FIELDS},
            "manifest": _manifest(guide.manifest, guide.hawb),
            "events": [_values(event, _EVENT_FIELDS) for event in guide.events.all()],
            "reported_by_carriers": [
                {"carrier": event.carrier.name, **_values(event, "code description place occurred_at recorded_at")}
                for event in guide.carrier_events.all()
            ],
            "notes": [_values(note, "text written_by written_at") for note in guide.notes.all()],
            "scans": [
                {"batch": str(scan.batch), **_values(scan, "outcome packages is_damaged note scanned_at actor")}
                for scan in guide.scans.all()
            ],
            "seen_and_changed_by": [
                {"at": entry.action_time, "operator": entry.user.get_username(), "what": act_in_words(entry)}
                for entry in sorted(seen[str(guide.pk)], key=lambda entry: entry.action_time)
            ],
            "webhooks": [
                {
                    "url": delivery.subscription.shown_url if delivery.subscription else None,
                    **_values(delivery, "event_type state created_at attempted_at"),
                    "body": bytes(delivery.body).decode(),
                }
                for delivery in deliveries[guide.tracking_code]
            ],
        }


def _lists_with(guide_ids: Sequence[int]) -> Iterator[tuple[int, LogEntry]]:
    """Yield the guides that lists showed, each with the line of the activity log that says to whom."""
    since = Guide.objects.filter(pk__in=guide_ids).aggregate(first=Min("created_at"))["first"]
    lists = ListedGuides.objects.filter(entry__action_time__gte=since).select_related("entry__user").order_by("pk")
    for listed in lists.iterator(chunk_size=500):
        for guide_id in set(guide_ids).intersection(listed.guides):
            yield guide_id, listed.entry


def _manifest(manifest: Manifest, hawb: str) -> dict[str, object]:
    return {
        **_values(manifest, "id mawb country transport_mode channel created_at voided_at files_erased_at"),
        "company": manifest.company.name,
        "posted_by": manifest.posted_by.name,
        "remarks": [
            *(render_warning(each) for each in manifest.warnings if each.get("hawb") == hawb),
            *(render_notice(each) for each in manifest.notices if each.get("hawb") == hawb),
        ],
        "files": [_values(file, "kind original_name size_bytes sha256 created_at") for file in manifest.files.all()],
    }


def _values(row: models.Model, names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names.split()}


def _group(pairs: Iterable[tuple[str, Any]]) -> Mapping[str, list[Any]]:
    groups: dict[str, list[Any]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups
