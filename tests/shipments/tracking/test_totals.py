"""check_totals: what manifests keep against what their guides add up to."""

from decimal import Decimal

import pytest

from shipments.models import Guide, Manifest
from shipments.tracking.totals import check_totals
from shipments.tracking.voiding import void_manifest
from tests.conftest import Caller
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db


def test_what_ingest_and_advance_leave_never_differs(acme: Caller, rival: Caller) -> None:
    manifest = shipped(acme.company, 3, weight_kg=Decimal("0.105"), fob_usd=Decimal("19.99"), packages_count=2)
    unknown = shipped(rival.company, 2)
    bring(manifest.guides.get(hawb="H001"), "in_transit", "delivered")
    void_manifest(unknown, reason="Sent twice", actor="")
    assert list(check_totals()) == []


def test_each_total_that_differs_is_named_and_nothing_is_changed(acme: Caller, rival: Caller) -> None:
    manifest, _other = shipped(acme.company, 3, weight_kg=Decimal("1.5")), shipped(rival.company)
    Manifest.objects.filter(pk=manifest.pk).update(
        total_weight_kg=7, guides_by_status={"registered": 2, "delivered": 1}, status="delivered"
    )
    differences = list(check_totals())
    assert {(d.manifest_id, d.mawb, d.client_code) for d in differences} == {(manifest.pk, manifest.mawb, "ACME")}
    assert [(d.total, d.kept, d.counted) for d in differences] == [
        ("total_weight_kg", Decimal(7), Decimal("4.5")),
        ("guides_by_status", {"registered": 2, "delivered": 1}, {"registered": 3}),
        ("status", "delivered", "registered"),
    ]
    assert list(check_totals()) == differences


def test_fixing_makes_them_right(acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shipments.tracking.totals.BATCH_MANIFESTS", 2)
    manifests = [shipped(acme.company) for _ in range(5)]
    Manifest.objects.update(total_guides=1, total_pieces=0)
    assert len(list(check_totals(fix=True))) == 10
    assert list(check_totals()) == []
    assert set(Manifest.objects.values_list("total_guides", "total_pieces")) == {(3, 3)}
    Guide.objects.filter(manifest=manifests[0]).delete()
    assert {difference.counted for difference in check_totals(fix=True) if difference.total == "total_guides"} == {0}
    assert list(check_totals()) == []
