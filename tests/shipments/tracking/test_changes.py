"""What a GET shows changes only together with the version and the times of change."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from shipments.models import Guide, Manifest
from shipments.privacy.anonymise import anonymise_older
from shipments.privacy.erasing import erase_person
from shipments.privacy.person import Documents, Person
from shipments.statuses import GuideStatus
from shipments.tracking.advancing import advance
from shipments.tracking.moves import ReportedEvent
from shipments.tracking.review import lift_retention, mark_reviewed
from shipments.tracking.totals import check_totals
from shipments.tracking.voiding import void_manifest
from tests.conftest import Caller
from tests.shipments.shipping import correct_as_operator, shipped, tell
from tests.shipments.tracking.taken_back import taken_back

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def one(manifest: Manifest) -> Guide:
    return manifest.guides.get(hawb="H001")


def fix_a_total(manifest: Manifest) -> None:
    Manifest.objects.filter(pk=manifest.pk).update(total_pieces=7)
    assert list(check_totals(fix=True))


CHANGES: dict[str, Callable[[Manifest], Any]] = {
    "a move": lambda manifest: tell(one(manifest), "customs_held", "customs"),
    "a move of all": lambda manifest: advance(manifest.guides.all(), ReportedEvent(GuideStatus.IN_TRANSIT), actor=""),
    "a repeated scan": lambda manifest: tell(one(manifest), "customs_processing", occurred_at=timezone.now()),
    "a late scan": lambda manifest: tell(one(manifest), "in_transit", occurred_at=NOON - timedelta(hours=1)),
    "a late end": lambda manifest: tell(one(manifest), "lost", occurred_at=NOON - timedelta(hours=1)),
    "a release by customs": lambda manifest: tell(one(manifest), "customs_released", "customs"),
    "a status taken back": lambda manifest: taken_back(one(manifest), wrong="customs_processing"),
    "a lifted retention": lambda manifest: lift_retention(one(manifest), reason="Paid", actor=""),
    "a correction": lambda manifest: correct_as_operator(one(manifest), {"consignee_name": "Ana Rojas"}, actor=""),
    "a review": lambda manifest: mark_reviewed(manifest.guides.all(), actor=""),
    "anonymising a person": lambda _manifest: erase_person(
        Person(Documents(["12345678"])), reference="PRIV-1", actor="camila"
    ),
    "anonymising by age": lambda _manifest: anonymise_older(timezone.now()),
    "a total put right": fix_a_total,
}


@pytest.fixture
def manifest(acme: Caller) -> Manifest:
    """Three guides to Peru, all under retention and to be reviewed; the first is in customs since noon."""
    manifest = shipped(
        acme.company, country="PE", retention_reason="retention_required", review_reasons=("rut_placeholder",),
        consignee_name="María Pérez", consignee_document_type="DNI", consignee_document="12345678",
    )  # fmt: skip
    tell(one(manifest), "customs_processing", "customs", occurred_at=NOON)
    manifest.refresh_from_db()
    return manifest


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_raises_the_version_and_both_times(rival: Caller, manifest: Manifest, name: str) -> None:
    theirs = shipped(rival.company)
    guide = one(manifest)
    before = (manifest.version, manifest.updated_at, guide.updated_at)
    CHANGES[name](manifest)
    manifest.refresh_from_db()
    guide.refresh_from_db()
    assert manifest.version > before[0]
    assert manifest.updated_at > before[1]
    if name != "a total put right":
        assert guide.updated_at is not None
        assert before[2] is not None
        assert before[2] < guide.updated_at <= manifest.updated_at
    theirs.refresh_from_db()
    if name != "anonymising by age":
        assert (theirs.version, theirs.changed_at) == (1, None)


def test_voiding_raises_them_too(acme: Caller) -> None:
    registered = shipped(acme.company)
    void_manifest(registered, reason="Sent twice", actor="")
    registered.refresh_from_db()
    assert registered.version == 3, "cancelling its guides was a change of its own"
    assert registered.changed_at is not None
    assert registered.status == "closed"


def test_what_changes_nothing_raises_nothing(manifest: Manifest) -> None:
    guide = one(manifest)
    before = (manifest.version, manifest.changed_at, guide.updated_at)
    assert tell(guide, "customs_processing", "customs", occurred_at=NOON).outcome == "unchanged"
    assert tell(guide, "cancelled").refusal is not None
    assert not correct_as_operator(guide, {"consignee_name": "María Pérez"}, actor="").after
    assert list(check_totals(fix=True)) == []
    advance(manifest.guides.all(), ReportedEvent(GuideStatus.LOST), actor="", dry_run=True)
    manifest.refresh_from_db()
    guide.refresh_from_db()
    assert (manifest.version, manifest.changed_at, guide.updated_at) == before


def test_times_go_forward_although_the_clock_is_set_back(manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = one(manifest)
    before = (manifest.updated_at, guide.updated_at)
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOON - timedelta(days=400))
    tell(guide, "customs_held", "customs")
    manifest.refresh_from_db()
    guide.refresh_from_db()
    assert guide.updated_at is not None
    assert before[1] is not None
    assert (guide.updated_at, manifest.updated_at > before[0]) == (before[1] + timedelta(microseconds=1), True)


def test_an_event_that_moves_nothing_has_no_sequence_of_its_own(manifest: Manifest) -> None:
    guide = one(manifest)
    tell(guide, "in_transit", occurred_at=NOON - timedelta(hours=2))
    assert [event.sequence for event in guide.events.order_by("id")] == [1, 2, 0]
    guide.refresh_from_db()
    assert guide.sequence == 2
