"""Manifests as ingest leaves them, for tests of what comes after; and what has to hold whatever came."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import count
from typing import Any

from companies.models import Company
from shipments.intake.ingest import Posting, ingest
from shipments.manifests.manifest import FlightFields, GuideRow, ParsedManifest
from shipments.models import Channel, Guide, Manifest
from shipments.statuses import IN_CUSTOMS, GuideStatus, Source, mawb_status, may_follow
from shipments.tracking.advancing import advance
from shipments.tracking.corrections import By, Correction, correct
from shipments.tracking.moves import Move, ReportedEvent
from shipments.v1.answers import mawb_head

_serials = count(50_000_001)  # apart from the MAWBs that tests write out


def shipped(company: Company, guides: int = 3, *, mawb: str = "", country: str = "CL", **row: Any) -> Manifest:
    """A manifest of `company` with `guides` guides `H001` and on; `row`: fields that all of them have."""
    rows = tuple(replace(GuideRow(number, f"H{number:03d}"), **row) for number in range(1, guides + 1))
    mawb = mawb or f"045-{next(_serials):08d}"
    flight = FlightFields(destination_airport={"CL": "SCL", "PE": "LIM", "AR": "EZE"}[country])
    parsed = ParsedManifest(mawb, country, flight, rows)
    return ingest(parsed, Posting(owner=company, posted_by=company, channel=Channel.JSON)).manifest


def tell(guide: Guide, status: str, source: str = "carrier", **reported: Any) -> Move:
    """Report one fact about one guide."""
    (result,) = advance(
        Guide.objects.filter(pk=guide.pk),
        ReportedEvent(GuideStatus(status), Source(source), **reported),
        actor="a test",
    )
    return result


def bring(guide: Guide, *statuses: str) -> Guide:
    """The guide after it went through `statuses`, each of which must be a move."""
    for status in statuses:
        result = tell(guide, status)
        assert result.outcome == "advanced", result
    guide.refresh_from_db()
    return guide


def assert_sound(manifest: Manifest) -> None:
    """What must hold whatever happened: counts equal a recount, timelines are ordered and legal, ends are ends."""
    manifest.refresh_from_db()
    guides = list(manifest.guides.all())
    recount = Counter(guide.status for guide in guides)
    assert manifest.guides_by_status == dict(recount)
    assert sum(manifest.guides_by_status.values()) == manifest.total_guides
    assert mawb_head(manifest)["status"] == manifest.status == mawb_status(recount)
    assert all(guide.updated_at <= manifest.updated_at for guide in guides)
    for guide in guides:
        assert_timeline(guide)
        assert guide.customs_since == stay_of(guide)


def stay_of(guide: Guide) -> datetime | None:
    """Since when customs has the guide, by the times of its valid events; None if customs does not have it."""
    since = None
    for event in guide.events.valid().exclude(status="registered").order_by("occurred_at", "id"):
        since = (since or event.occurred_at) if event.status in IN_CUSTOMS else None
    return since if guide.status in IN_CUSTOMS else None


def assert_timeline(guide: Guide) -> None:
    """Ordered by (time, id), begun by ingest, and recorded in an order in which its status follows from the table."""
    timeline = list(guide.events.all())
    keys = [(event.occurred_at, event.pk) for event in timeline]
    assert keys == sorted(keys)
    recorded = sorted(timeline, key=lambda event: event.pk)
    assert (recorded[0].status, recorded[0].source) == ("registered", "pre_alert")
    times = [event.recorded_at for event in recorded]
    assert times == sorted(set(times))
    corrections = {event.withdrawn_at for event in recorded if event.withdrawn_at}
    moved, legal = [GuideStatus.REGISTERED], []
    for number, event in enumerate(recorded[1:], start=1):
        status, previous = GuideStatus(event.status), moved[-1]
        earlier = [one for one in recorded[1:number] if (one.status, one.source) != ("registered", "operator")]
        valid = [one for one in earlier if not one.withdrawn_at or one.withdrawn_at > event.recorded_at]
        is_late = any(event.occurred_at < one.occurred_at for one in valid)
        is_correction = event.recorded_at in corrections
        if is_correction or (
            status is not previous and (not is_late or (status.is_terminal and not previous.is_terminal))
        ):
            moved.append(status)
            legal.append(is_correction or may_follow(previous, status))
            assert event.sequence == len(moved)
        else:
            assert event.sequence == 0
    assert all(legal)
    assert (moved[-1], len(moved)) == (guide.status, guide.sequence)


def correct_as_operator(guide: Guide, changes: Mapping[str, Any], *, actor: str = "ana") -> Correction:
    return correct(Guide.objects.filter(pk=guide.pk), changes, By("operator", actor))
