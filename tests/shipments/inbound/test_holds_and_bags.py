"""What must not leave the warehouse, and bags received as a whole."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from companies.models import Company
from shipments.models import Guide, InboundScan
from shipments.statuses import GuideStatus
from tests.companies.operators.tokens.speaking import Program, program
from tests.shipments.inbound.scanning import batch_of, codes_of, opened, outcomes, scan, scanned
from tests.shipments.shipping import assert_sound, bring, shipped

pytestmark = pytest.mark.django_db

HELD = {
    "customs_processing": "customs", "customs_held": "customs", "customs_documents_required": "customs",
    "customs_duties_pending": "customs", "customs_rejected": "customs", "on_hold": "on_hold",
}  # fmt: skip


def test_a_scan_says_why_a_parcel_must_not_leave(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, len(GuideStatus) + 1)
    *codes, retained = codes_of(manifest)
    for code, status in zip(codes, GuideStatus, strict=True):
        Guide.objects.filter(tracking_code=code).update(status=status)
    Guide.objects.filter(tracking_code=retained).update(status="customs_held", retention_required=True)
    results = scanned(scanner, opened(scanner, manifest), [scan(code) for code in (*codes, retained, "NOBODY")])
    *holds, of_retained, of_unknown = [each["hold"] for each in results]
    assert {status.value: hold for status, hold in zip(GuideStatus, holds, strict=True) if hold} == HELD
    assert (of_retained, of_unknown) == ("retention", None)


def test_a_hold_is_said_however_the_parcel_is_scanned(scanner: Program, acme: Company, rival: Company) -> None:
    manifest, other = shipped(acme, 1), shipped(rival, 1)
    Guide.objects.update(status="customs_held")
    batch, sent = opened(scanner, manifest), scan(codes_of(manifest)[0])
    results = scanned(scanner, batch, [sent, sent, scan(sent["code"]), scan(codes_of(other)[0])])
    results += scanned(scanner, batch, [sent])
    assert outcomes(results) == ["matched", "repeated", "more_packages", "elsewhere", "repeated"]
    assert {each["hold"] for each in results} == {"customs"}


def test_the_batchs_own_status_releases_nothing_and_may_hold(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, 2)
    held, free = codes_of(manifest)
    bring(manifest.guides.get(tracking_code=held), "customs_held")
    batch = opened(scanner, manifest, on_scan="in_transit")
    results = scanned(scanner, batch, [scan(code, scanned_at=timezone.now().isoformat()) for code in (held, free)])
    assert [(each["event"], each["hold"]) for each in results] == [("advanced", "customs"), ("advanced", None)]
    other = shipped(acme, 1)
    (result,) = scanned(scanner, opened(scanner, other, on_scan="customs_processing"), [scan(codes_of(other)[0])])
    assert result["hold"] == "customs"


# --- bags ---------------------------------------------------------------------------------------------------------


def ask_for(client: Program, batch: str, bag: str, *, dry_run: bool = False) -> Any:
    return client.post(f"/inbound-batches/{batch}/bags", {"bag": bag, "dry_run": dry_run})


def test_a_bag_is_listed_and_received_with_what_is_missing_named(scanner: Program, acme: Company) -> None:
    manifest, loose = shipped(acme, 3, bag="SCL-0412", packages_count=2), shipped(acme, 1)
    codes = codes_of(manifest)
    batch = opened(scanner, manifest, loose)
    scanned(scanner, batch, [scan(codes[0], packages=2)])
    bring(manifest.guides.get(tracking_code=codes[1]), "on_hold")
    looked = ask_for(scanner, batch, "scl-0412", dry_run=True).json()
    assert (looked["dry_run"], looked["received"]) == (True, 0)
    assert [(each["tracking_code"], each["is_received"], each["hold"]) for each in looked["parcels"]] == [
        (codes[0], True, None), (codes[1], False, "on_hold"), (codes[2], False, None),
    ]  # fmt: skip
    assert [each["tracking_code"] for each in looked["missing"]] == codes[1:]
    assert InboundScan.objects.count() == 1
    bag = ask_for(scanner, batch, "SCL-0412").json()
    assert (bag["received"], bag["missing"]) == (2, [])
    assert [each["is_received"] for each in bag["parcels"]] == [True] * 3
    assert ask_for(scanner, batch, "SCL-0412").json()["received"] == 0
    shown = batch_of(scanner, batch)
    assert (shown["counts"]["matched"], shown["counts"]["missing"], shown["packages_short"]) == (3, 1, [])


def test_what_is_final_is_listed_and_not_received(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, 2, bag="B1")
    bring(manifest.guides.earliest("id"), "lost")
    batch = opened(scanner, manifest)
    bag = ask_for(scanner, batch, "B1").json()
    assert [(each["status"], each["is_received"]) for each in bag["parcels"]] == [("lost", False), ("registered", True)]


def test_a_bag_reports_the_batchs_status_of_each_parcel(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, 2, bag="B1")
    bag = ask_for(scanner, opened(scanner, manifest, on_scan="customs_processing"), "B1").json()
    assert {(each["status"], each["hold"]) for each in bag["parcels"]} == {("customs_processing", "customs")}
    assert {*codes_of(manifest)} <= {entry.object_repr for entry in LogEntry.objects.all()}
    assert_sound(manifest)


def test_why_a_bag_is_not_one_is_said(scanner: Program, acme: Company, rival: Company) -> None:
    manifest, other = shipped(acme, 2, bag="H001"), shipped(rival, 1, bag="B2")
    shipped(rival, 1, country="PE", bag="B3")
    batch = opened(scanner, manifest)
    for code, sentence in (
        ("H001", "H001 is the code of a parcel: send it as a scan."),
        ("H002", "H002 is the code of a parcel: send it as a scan."),  # and no bag's
        ("B2", f"Bag B2 is of another MAWB: {other.mawb}."),
        ("B3", "No bag has the code B3."),
        ("NOBODY", "No bag has the code NOBODY."),
    ):
        for dry_run in (True, False):
            answer = ask_for(scanner, batch, code, dry_run=dry_run)
            assert (answer.status_code, answer.json()["error"]) == (400, "validation_failed")
            assert answer.json()["details"] == {"bag": [sentence]}
    assert not InboundScan.objects.exists()


def test_a_bag_shared_with_another_mawb_is_received_as_far_as_it_is_expected(
    scanner: Program, acme: Company, rival: Company
) -> None:
    manifest, other = shipped(acme, 1, bag="1"), shipped(rival, 1, bag="1")
    bag = ask_for(scanner, opened(scanner, manifest), "1").json()
    assert [each["mawb"] for each in bag["parcels"]] == [manifest.mawb]
    assert not InboundScan.objects.filter(guide__manifest=other).exists()


def test_a_bag_needs_the_right_to_scan_the_country_and_an_open_batch(
    scanner: Program, reader: Program, limeno: Program, acme: Company
) -> None:
    batch = opened(scanner, shipped(acme, 1, bag="B1"))
    refusals = [ask_for(each, batch, "B1", dry_run=True) for each in (reader, limeno)]
    scanner.post(f"/inbound-batches/{batch}/close", {})
    refusals.append(ask_for(scanner, batch, "B1", dry_run=True))
    assert [answer.json()["error"] for answer in refusals] == ["forbidden", "forbidden_country", "batch_not_open"]


def test_a_bag_beyond_one_call_is_refused(scanner: Program, acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shipments.inbound.receiving.MOST_OF_A_BAG", 2)
    chilean, manifest = program("santiago", "CL"), shipped(acme, 3, bag="B1")
    answer = ask_for(chilean, opened(scanner, manifest), "B1")
    assert answer.json()["details"] == {"bag": ["Bag B1 has more than 2 parcels: scan them."]}


BAGS: list[tuple[dict[str, Any], str]] = [
    ({}, "bag"), ({"bag": ""}, "bag"), ({"bag": 5}, "bag"), ({"bag": "x" * 101}, "bag"),
    ({"bag": "B1", "dry_run": 1}, "dry_run"), ({"bag": "B1", "code": "B1"}, "code"),
]  # fmt: skip


def test_what_is_wrong_with_a_bag_is_said(scanner: Program, acme: Company) -> None:
    batch = opened(scanner, shipped(acme, 1, bag="B1"))
    for body, field in BAGS:
        answer = scanner.post(f"/inbound-batches/{batch}/bags", body)
        assert (answer.json()["error"], [*answer.json()["details"]]) == ("validation_failed", [field]), body
