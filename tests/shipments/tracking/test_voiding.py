"""A manifest sent by mistake: cancelled, hidden from its company, its MAWB free again, and never lost to operators."""

import json

import pytest

from base.errors import ValidationFailed
from companies.models import Company
from shipments.errors import ManifestAlreadyVoided, ManifestUnderWay
from shipments.intake import ingest
from shipments.models import Guide, Manifest
from shipments.tracking.voiding import void_manifest
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, bring, shipped
from webhooks.models import Delivery
from webhooks.subscriptions import register, register_signed

pytestmark = pytest.mark.django_db


def test_voiding_cancels_the_guides_and_keeps_why_and_who(acme: Caller) -> None:
    manifest = shipped(acme.company)
    results = void_manifest(manifest, reason=" Sent twice ", actor="ana")
    assert_sound(manifest)
    assert manifest.guides_by_status == {"cancelled": 3}
    assert manifest.voided_at is not None
    assert (manifest.voided_by, manifest.void_reason) == ("ana", "Sent twice")
    assert [(result.hawb, result.outcome) for result in results] == [(f"H00{n}", "advanced") for n in (1, 2, 3)]
    event = manifest.guides.get(hawb="H001").events.get(status="cancelled")
    assert (event.internal_note, event.actor, event.source) == ("Sent twice", "ana", "operator")


def test_what_was_cancelled_before_stays_as_it_is(acme: Caller) -> None:
    manifest = shipped(acme.company)
    bring(manifest.guides.get(hawb="H002"), "cancelled")
    results = void_manifest(manifest, reason="Sent twice", actor="")
    assert [result.hawb for result in results] == ["H001", "H003"]
    assert_sound(manifest)


def test_its_company_no_longer_sees_it_and_others_keep_theirs(acme: Caller, rival: Caller) -> None:
    mine, theirs = (shipped(caller.company, mawb="045-12345675") for caller in (acme, rival))
    guide = mine.guides.get(hawb="H001")
    void_manifest(mine, reason="Sent twice", actor="")
    assert not Manifest.objects.of(acme.company).exists()
    assert not Guide.objects.of(acme.company).exists()
    assert Manifest.objects.of(rival.company).get() == theirs
    assert Guide.objects.of(rival.company).count() == 3
    assert Manifest.objects.get(pk=mine.pk) == mine, "operators still find it"
    assert Guide.objects.get(pk=guide.pk) == guide


def test_the_api_knows_it_no_more_and_takes_its_mawb_again(acme: Caller) -> None:
    uploaded = acme.upload().json()
    void_manifest(Manifest.objects.get(pk=uploaded["manifest_id"]), reason="Sent twice", actor="")
    assert acme.get("/mawbs").json()["mawbs"] == []
    assert acme.get(f"/mawbs/{uploaded['mawb']}").status_code == 404
    assert acme.get(f"/guides/{uploaded['guides'][0]['tracking_code']}").status_code == 404
    again = acme.upload()
    assert again.status_code == 201
    assert acme.get(f"/mawbs/{uploaded['mawb']}").json()["manifest_id"] == again.json()["manifest_id"]
    assert acme.upload().json()["manifest_id"] == again.json()["manifest_id"], "the 409 names the one in force"


def test_one_that_is_voided_while_its_mawb_comes_again_makes_room(
    acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shipped(acme.company, mawb="045-12345675")
    asked = ingest.refuse_known

    def voided_first(owner: Company, mawb: str) -> None:
        """The constraint has refused; before it is asked which manifest is there, there is none any more."""
        void_manifest(first, reason="Sent by mistake", actor="")
        asked(owner, mawb)

    monkeypatch.setattr(ingest, "judge", lambda _owner, parsed, **_named: parsed)
    monkeypatch.setattr(ingest, "refuse_known", voided_first)
    second = shipped(acme.company, mawb="045-12345675")
    assert Manifest.objects.of(acme.company).get() == second


def test_a_manifest_under_way_stays_whole(acme: Caller) -> None:
    manifest = shipped(acme.company)
    bring(manifest.guides.get(hawb="H002"), "customs_processing")
    with pytest.raises(ManifestUnderWay) as refused:
        void_manifest(manifest, reason="Sent twice", actor="")
    assert refused.value.extras["guides_by_status"] == {"registered": 2, "customs_processing": 1}
    assert_sound(manifest)
    assert manifest.voided_at is None
    assert manifest.guides_by_status == {"registered": 2, "customs_processing": 1}


def test_nothing_is_voided_twice_or_without_a_reason(acme: Caller) -> None:
    manifest = shipped(acme.company)
    with pytest.raises(ValidationFailed):
        void_manifest(manifest, reason="  ", actor="")
    assert not Manifest.objects.exclude(voided_at=None).exists()
    void_manifest(manifest, reason="Sent twice", actor="")
    with pytest.raises(ManifestAlreadyVoided):
        void_manifest(manifest, reason="Sent twice", actor="")


def test_a_dry_run_says_what_would_be_and_writes_nothing(acme: Caller) -> None:
    manifest = shipped(acme.company)
    results = void_manifest(manifest, reason="Sent twice", actor="", dry_run=True)
    assert [result.outcome for result in results] == ["advanced"] * 3
    assert_sound(manifest)
    assert manifest.voided_at is None
    assert manifest.guides_by_status == {"registered": 3}


def test_what_fails_half_way_was_not_begun(acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = shipped(acme.company)

    def fail() -> None:
        raise RuntimeError

    monkeypatch.setattr("shipments.tracking.voiding.timezone.now", fail)
    with pytest.raises(RuntimeError):
        void_manifest(manifest, reason="Sent twice", actor="")
    assert_sound(manifest)
    assert manifest.guides_by_status == {"registered": 3}


def test_endpoints_of_version_2_hear_of_it_and_those_of_version_1_of_its_guides_as_ever(acme: Caller) -> None:
    register(acme.company, "https://hooks.example.com/", "s3cret-of-the-client")
    register_signed(acme.company, "https://hooks.example.com/", event_types=["pre_alert.voided"])
    manifest = Manifest.objects.get(pk=acme.upload().json()["manifest_id"])
    Delivery.objects.all().delete()
    void_manifest(manifest, reason="Sent twice, ana's mistake", actor="ana")
    (told,) = Delivery.objects.filter(subscription__version=2)
    manifest.refresh_from_db()
    assert (told.event_type, told.subject, told.countries) == ("pre_alert.voided", manifest.mawb, manifest.country)
    body = json.loads(bytes(told.body))
    assert body["data"]["manifest_id"] == str(manifest.pk)
    assert "mistake" not in str(body)
    older = Delivery.objects.filter(subscription__version=1)
    assert {delivery.event_type for delivery in older} == {"guide.exception"}
    assert older.count() == manifest.guides.count()
