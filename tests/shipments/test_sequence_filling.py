"""manage.py fill_sequences: what earlier versions left without sequence, status and time of change."""

from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from shipments import sequence_filling
from shipments.models import Guide, GuideEvent, Manifest
from shipments.sequence_filling import fill_guides, fill_manifests
from shipments.tracking.voiding import void_manifest
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, bring, shipped, tell
from tests.shipments.tracking.test_sequences import as_an_earlier_version_left_it

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence_filling, "GUIDES", 2)
    monkeypatch.setattr(sequence_filling, "MANIFESTS", 1)


@pytest.fixture
def manifests(acme: Caller, rival: Caller) -> list[Manifest]:
    """One moved, one untouched, one voided, of two companies; as an earlier version left them."""
    moved, untouched, voided = shipped(acme.company, 3), shipped(rival.company, 2), shipped(acme.company, 2)
    bring(moved.guides.get(hawb="H001"), "customs_processing", "in_transit")
    tell(moved.guides.get(hawb="H001"), "customs_held", occurred_at=NOON)
    void_manifest(voided, reason="Sent twice", actor="")
    as_an_earlier_version_left_it()
    return [moved, untouched, voided]


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("fill_sequences", *arguments, stdout=output)
    return output.getvalue().strip()


def everything() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Manifest, Guide, GuideEvent)]


def test_it_fills_in_what_is_missing_in_parts_and_says_how_much(manifests: list[Manifest]) -> None:
    moved, untouched, voided = manifests
    last = moved.guides.get(hawb="H001").events.order_by("id").last()
    assert last is not None
    assert run() == "Filled 7 guides and 3 manifests, in 7 parts."
    for manifest in manifests:
        assert_sound(manifest)
    assert [each.status for each in manifests] == ["registered", "registered", "closed"]
    assert [each.version for each in manifests] == [2, 1, 2], "what the client sees changed where guides had"
    assert moved.changed_at == last.recorded_at
    assert untouched.changed_at is None
    assert voided.changed_at is not None


def test_it_stores_since_when_customs_has_a_guide_and_forgets_it_where_customs_has_it_no_longer(
    acme: Caller, rival: Caller
) -> None:
    """As an earlier version leaves it that does not know the column: empty, or from before it moved the guide."""
    manifest, theirs = shipped(acme.company, 3), shipped(rival.company, 1)
    held, released, back = manifest.guides.order_by("id")
    their_guide = theirs.guides.get()
    for guide in (held, released, back, their_guide):
        tell(guide, "customs_held", occurred_at=NOON)
    bring(released, "customs_released")
    bring(back, "in_transit", "customs_processing")
    Guide.objects.filter(pk=held.pk).update(customs_since=None)
    Guide.objects.filter(pk__in=[released.pk, back.pk]).update(customs_since=NOON)
    assert run("--dry-run") == "Would fill 3 guides and 0 manifests, in 2 parts."
    assert run() == "Filled 3 guides and 0 manifests, in 2 parts."
    assert run() == "Nothing is missing."
    assert_sound(manifest)
    assert_sound(theirs)
    held.refresh_from_db()
    assert held.customs_since == NOON


@pytest.mark.usefixtures("manifests")
def test_a_second_run_finds_nothing_and_changes_nothing() -> None:
    run()
    filled = everything()
    assert run() == "Nothing is missing."
    assert everything() == filled


@pytest.mark.usefixtures("manifests")
def test_a_dry_run_counts_and_writes_nothing() -> None:
    before = everything()
    assert run("--dry-run") == "Would fill 7 guides and 3 manifests, in 7 parts."
    assert everything() == before


def test_an_interrupted_run_is_completed_by_the_next(manifests: list[Manifest]) -> None:
    parts = fill_guides()
    assert (next(parts), next(parts)) == (2, 2)
    assert Guide.objects.filter(sequence=None).count() == 3
    assert run() == "Filled 3 guides and 3 manifests, in 5 parts."
    for manifest in manifests:
        assert_sound(manifest)


def test_what_moves_between_two_parts_keeps_its_numbers(manifests: list[Manifest]) -> None:
    moved, untouched, _voided = manifests
    parts = fill_guides()
    next(parts)
    bring(moved.guides.get(hawb="H001"), "delivered")  # numbered already
    bring(untouched.guides.get(hawb="H002"), "in_transit")  # not yet
    moved.refresh_from_db()
    version = moved.version
    assert sum(parts) == 5
    assert sum(fill_manifests()) == 1, "moving the others stored their status"
    for manifest in manifests:
        assert_sound(manifest)
    assert moved.version == version


def test_it_repairs_what_an_earlier_version_wrote_beside_this_one(acme: Caller) -> None:
    """While servers are replaced one by one, a guide of the new version may be moved by the old one."""
    manifest = shipped(acme.company, 1)
    guide = bring(manifest.guides.get(), "customs_processing")
    at = timezone.now() + timedelta(minutes=1)
    GuideEvent.objects.create(guide=guide, status="in_transit", occurred_at=at, recorded_at=at, source="carrier")
    Guide.objects.filter(pk=guide.pk).update(status="in_transit")
    Manifest.objects.update(guides_by_status={"in_transit": 1})
    manifest.refresh_from_db()
    version = manifest.version
    assert run() == "Filled 1 guides and 1 manifests, in 2 parts."
    assert_sound(manifest)
    assert (manifest.version, manifest.changed_at) == (version + 1, at)
    bring(guide, "delivered")
    assert_sound(manifest)
