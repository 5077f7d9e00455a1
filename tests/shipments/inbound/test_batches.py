"""Inbound batches: opened, scanned by scanners that send again, closed; what is missing and what is too much."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from companies.models import Company
from shipments.models import Guide, InboundBatch, InboundScan
from shipments.tracking.voiding import void_manifest
from tests.companies.operators.tokens.speaking import Program, program
from tests.shipments.inbound.scanning import AT, batch_of, codes_of, opened, outcomes, scan, scanned
from tests.shipments.shipping import assert_sound, bring, shipped

pytestmark = pytest.mark.django_db


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def test_a_receiving_from_its_opening_to_the_day_after(scanner: Program, acme: Company, rival: Company) -> None:
    manifest, other = shipped(acme, 100), shipped(rival, 1)
    batch = opened(scanner, manifest)
    sent = [scan(code) for code in codes_of(manifest)[:97]]
    assert outcomes(scanned(scanner, batch, sent)) == ["matched"] * 97
    again = scanned(scanner, batch, sent[:5])
    assert {(each["outcome"], each["first_outcome"]) for each in again} == {("repeated", "matched")}
    strangers = scanned(scanner, batch, [scan("NOBODY-1"), scan(codes_of(other)[0])])
    assert [(each["outcome"], each.get("mawb")) for each in strangers] == [("surplus", None), ("elsewhere", other.mawb)]
    counts = {"expected": 100, "matched": 97, "missing": 3, "surplus": 1, "elsewhere": 1, "damaged": 0,
              "packages_short": 0, "packages_over": 0}  # fmt: skip
    shown = batch_of(scanner, batch)
    assert (shown["counts"], shown["state"], shown["opened_by"]) == (counts, "open", "access:scanner")
    assert [guide["tracking_code"] for guide in shown["missing"]] == codes_of(manifest)[97:]
    assert shown["missing"][0] == {
        "tracking_code": codes_of(manifest)[97], "hawb": "H098", "mawb": manifest.mawb, "status": "registered",
    }  # fmt: skip
    assert [(each["code"], each.get("mawb")) for each in shown["surplus"]] == [
        ("NOBODY-1", None), (codes_of(other)[0], other.mawb),
    ]  # fmt: skip
    closed = scanner.post(f"/inbound-batches/{batch}/close", {}).json()
    assert (closed["counts"], closed["state"], closed["closed_by"]) == (counts, "closed", "access:scanner")
    next_day = opened(scanner, manifest)
    scanned(scanner, next_day, [scan(code) for code in codes_of(manifest)[97:]])
    late = batch_of(scanner, next_day)
    assert (late["missing"], late["counts"]["missing"], late["counts"]["matched"]) == ([], 0, 3)
    first = batch_of(scanner, batch)
    assert (first["missing"], first["counts"]) == ([], counts)  # the lists live on, the counts of a closed batch stay


def test_a_closed_batch_takes_no_scan_and_is_closed_once(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, 1)
    batch = opened(scanner, manifest)
    first = scanner.post(f"/inbound-batches/{batch}/close", {})
    assert scanner.post(f"/inbound-batches/{batch}/close", {}).json() == first.json()
    sent = {"scans": [scan(codes_of(manifest)[0])]}
    assert refused(scanner.post(f"/inbound-batches/{batch}/scans", sent)) == (409, "batch_not_open")
    assert not InboundScan.objects.exists()


def test_a_code_is_a_tracking_code_else_a_hawb_expected_else_a_hawb_in_the_country(
    scanner: Program, acme: Company, rival: Company
) -> None:
    manifest, other, abroad = shipped(acme, 2), shipped(rival, 3), shipped(rival, 4, country="PE")
    third = shipped(acme, 3)
    batch = opened(scanner, manifest)
    results = scanned(
        scanner,
        batch,
        [scan(code) for code in (codes_of(manifest)[0].lower(), " h002 ", "H003", "H004", codes_of(abroad)[0])],
    )
    assert outcomes(results) == ["matched", "matched", "ambiguous", "surplus", "elsewhere"]
    assert results[1]["tracking_code"] == codes_of(manifest)[1]
    void_manifest(third, reason="twice", actor="a test")
    (only,) = scanned(scanner, batch, [scan("H003")])
    assert (only["outcome"], only["tracking_code"]) == ("elsewhere", codes_of(other)[2])


def test_a_guide_outside_the_scope_is_named_to_nobody(acme: Company, rival: Company) -> None:
    manifest, abroad = shipped(acme, 1), shipped(rival, 1, country="PE")
    chilean = program("santiago", "CL")
    batch = opened(chilean, manifest)
    (result,) = scanned(chilean, batch, [scan(codes_of(abroad)[0])])
    assert {**result, "scan_id": ""} == {"scan_id": "", "outcome": "forbidden_country", "hold": None}
    assert abroad.mawb not in str(batch_of(chilean, batch))


def test_packages_add_up_over_scans_and_batches(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, 2, packages_count=3)
    code, other = codes_of(manifest)
    batch = opened(scanner, manifest)
    assert outcomes(scanned(scanner, batch, [scan(code), scan(code)])) == ["matched", "more_packages"]
    assert batch_of(scanner, batch)["packages_short"] == [{"tracking_code": code, "expected": 3, "scanned": 2}]
    scanned(scanner, batch, [scan(code, packages=2, is_damaged=True), scan(other, packages=3)])
    shown = batch_of(scanner, batch)
    assert (shown["packages_short"], shown["packages_over"]) == (
        [], [{"tracking_code": code, "expected": 3, "scanned": 4}],
    )  # fmt: skip
    assert [shown["counts"][name] for name in ("packages_short", "packages_over", "damaged")] == [0, 1, 1]


def test_the_rest_of_a_guide_that_was_split_over_flights_completes_it(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, 1, packages_count=3)
    (code,) = codes_of(manifest)
    first, second = opened(scanner, manifest), opened(scanner, manifest)
    scanned(scanner, first, [scan(code, packages=2)])
    assert outcomes(scanned(scanner, second, [scan(code)])) == ["matched"]
    assert [batch_of(scanner, each)["packages_short"] for each in (first, second)] == [[], []]


def test_a_first_match_reports_the_batchs_status_and_a_refusal_does_not_undo_it(
    scanner: Program, acme: Company
) -> None:
    manifest = shipped(acme, 3)
    codes = codes_of(manifest)
    bring(manifest.guides.get(tracking_code=codes[1]), "customs_processing", "in_transit", "delivered")
    batch = opened(scanner, manifest, on_scan="customs_processing")
    at = "2026-11-22T06:10:00-03:00"
    results = scanned(scanner, batch, [scan(code, scanned_at=at) for code in (codes[0], codes[0], codes[1])])
    assert [(each["outcome"], each.get("event")) for each in results[:2]] == [
        ("matched", "advanced"), ("more_packages", None),
    ]  # fmt: skip
    assert results[2]["outcome"] == "matched"
    event = Guide.objects.get(tracking_code=codes[0]).events.latest("id")
    assert (event.status, event.source, event.actor, event.occurred_at.isoformat()) == (
        "customs_processing", "courier_scan", "access:scanner", "2026-11-22T09:10:00+00:00",
    )  # fmt: skip
    assert codes[0] in {entry.object_repr for entry in LogEntry.objects.all()}
    (ahead,) = scanned(scanner, batch, [scan(codes[2], scanned_at="2090-01-01T00:00Z")])
    assert (ahead["outcome"], ahead["event"], ahead["error"]) == ("matched", "refused", "event_in_future")
    again = opened(scanner, manifest, on_scan="customs_processing")
    assert "event" not in scanned(scanner, again, [scan(codes[0])])[0]
    assert_sound(manifest)


# --- opening ------------------------------------------------------------------------------------------------------


def test_all_owners_of_a_mawb_are_expected(scanner: Program, acme: Company, rival: Company) -> None:
    ours = shipped(acme, 2, mawb="045-70310122")
    shipped(rival, 3, mawb="045-70310122")
    batch = opened(scanner, ours, mawbs=["045 7031 0122"])
    shown = batch_of(scanner, batch)
    assert (shown["mawbs"], shown["counts"]["expected"]) == (["045-70310122"], 5)


def test_scope_comes_before_existence_and_that_before_the_claim(
    scanner: Program, limeno: Program, reader: Program, acme: Company
) -> None:
    chilean, peruvian = shipped(acme, 1), shipped(acme, 1, country="PE")
    sent = {"facility": "LIM-01", "country": "PE", "mawbs": [chilean.mawb, "045-00000000"]}
    answer = limeno.post("/inbound-batches", sent)
    assert (refused(answer), answer.json()["country"]) == ((403, "forbidden_country"), "CL")
    assert refused(limeno.post("/inbound-batches", {**sent, "country": "CL"})) == (403, "forbidden_country")
    answer = scanner.post("/inbound-batches", sent)
    assert (refused(answer), answer.json()["details"]) == (
        (400, "validation_failed"), {"mawbs": ["045-00000000 is not known."]},
    )  # fmt: skip
    answer = scanner.post("/inbound-batches", {**sent, "mawbs": [peruvian.mawb, chilean.mawb]})
    assert (refused(answer), answer.json()["mismatched"]) == (
        (409, "country_mismatch"), [{"id": chilean.mawb, "country": "CL"}],
    )  # fmt: skip
    assert refused(reader.post("/inbound-batches", sent)) == (403, "forbidden")
    assert not InboundBatch.objects.exists()


def test_a_batch_of_another_country_is_said_to_be_one(scanner: Program, limeno: Program, acme: Company) -> None:
    manifest = shipped(acme, 1)
    batch = opened(scanner, manifest)
    sent = {"scans": [scan(codes_of(manifest)[0])]}
    for answer in (
        limeno.get(f"/inbound-batches/{batch}"),
        limeno.get(f"/inbound-batches/{batch}/scans"),
        limeno.post(f"/inbound-batches/{batch}/scans", sent),
        limeno.post(f"/inbound-batches/{batch}/close", {}),
    ):
        assert refused(answer) == (403, "forbidden_country")
    assert limeno.get("/inbound-batches").json()["inbound_batches"] == []
    for unknown in ("ib_0", "ib_", "x", "ib_" + "9" * 30, "ib_²"):
        assert refused(scanner.get(f"/inbound-batches/{unknown}")) == (404, "not_found")


NEW: list[tuple[dict[str, Any], str]] = [
    ({"facility": ""}, "facility"),
    ({"facility": "a b"}, "facility"),
    ({"facility": 5}, "facility"),
    ({"country": "BR"}, "country"),
    ({"country": ["CL"]}, "country"),
    ({"mawbs": []}, "mawbs"),
    ({"mawbs": ["045-1"] * 51}, "mawbs"),
    ({"mawbs": "045"}, "mawbs"),
    ({"mawbs": [[]]}, "mawbs[0]"),
    ({"mawbs": ["no"]}, "mawbs"),
    ({"on_scan": "delivered"}, "on_scan"),
    ({"note": "x" * 256}, "note"),
    ({"state": "open"}, "state"),
]


def test_what_is_wrong_with_a_new_batch_is_said(scanner: Program, acme: Company) -> None:
    good = {"facility": "SCL-01", "country": "CL", "mawbs": [shipped(acme, 1).mawb]}
    for change, field in NEW:
        answer = scanner.post("/inbound-batches", good | change)
        assert (refused(answer), [*answer.json()["details"]]) == ((400, "validation_failed"), [field]), change
    assert not InboundBatch.objects.exists()


SCANS: list[tuple[Any, str]] = [
    ([], "scans"),
    ("x", "scans"),
    ([5], "scans[0][non_field_errors]"),
    ([scan("A") for _ in range(201)], "scans"),
    ([{**scan("A"), "scan_id": "5"}], "scans[0][scan_id]"),
    ([{**scan("A"), "scan_id": 5}], "scans[0][scan_id]"),
    ([{**scan("A"), "code": ["A"]}], "scans[0][code]"),
    ([{**scan("A"), "code": ""}], "scans[0][code]"),
    ([{**scan("A"), "scanned_at": "yesterday"}], "scans[0][scanned_at]"),
    ([{**scan("A"), "packages": 0}], "scans[0][packages]"),
    ([{**scan("A"), "packages": 10**30}], "scans[0][packages]"),
    ([{**scan("A"), "packages": "1"}], "scans[0][packages]"),
    ([{**scan("A"), "packages": True}], "scans[0][packages]"),
    ([{**scan("A"), "is_damaged": 1}], "scans[0][is_damaged]"),
    ([{**scan("A"), "guide": 1}], "scans[0][guide]"),
]


def test_what_is_wrong_with_scans_is_said(scanner: Program, acme: Company) -> None:
    batch = opened(scanner, shipped(acme, 1))
    for scans, field in SCANS:
        answer = scanner.post(f"/inbound-batches/{batch}/scans", {"scans": scans})
        assert (refused(answer), [*answer.json()["details"]]) == ((400, "validation_failed"), [field]), scans
    assert not InboundScan.objects.exists()


# --- lists --------------------------------------------------------------------------------------------------------


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [batch["id"] for batch in answer.json()["inbound_batches"]]


def test_batches_are_listed_newest_first_and_filtered(scanner: Program, acme: Company) -> None:
    manifests = [shipped(acme, 1) for _ in range(3)]
    first, second, third = (opened(scanner, each, facility=f"SCL-0{number}") for number, each in enumerate(manifests))
    scanner.post(f"/inbound-batches/{second}/close", {})
    assert ids(scanner.get("/inbound-batches")) == [third, second, first]
    assert ids(scanner.get("/inbound-batches?state=closed")) == [second]
    assert ids(scanner.get("/inbound-batches?facility=SCL-00")) == [first]
    assert ids(scanner.get(f"/inbound-batches?mawb={manifests[2].mawb.replace('-', '')}")) == [third]
    assert ids(scanner.get("/inbound-batches?mawb=nothing")) == []
    assert ids(scanner.get("/inbound-batches?created_from=2090-01-01T00:00Z")) == []
    page = scanner.get("/inbound-batches?limit=2")
    rest = scanner.get(f"/inbound-batches?limit=2&cursor={page.json()['next_cursor']}")
    assert ids(page) + ids(rest) == [third, second, first]
    assert rest.json()["next_cursor"] is None
    for query in ("state=ended", "limit=0", "limit=x", "created_from=today", "cursor=x", "state=open&state=closed"):
        assert refused(scanner.get(f"/inbound-batches?{query}")) == (400, "invalid_query"), query


def test_scans_are_listed_in_their_order_and_by_outcome(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, 2)
    codes = codes_of(manifest)
    batch = opened(scanner, manifest)
    late, early = scan(codes[0], note="wet"), scan(codes[1], scanned_at="2026-11-22T08:00:00Z")
    scanned(scanner, batch, [late, early, scan("NOBODY")])
    page = scanner.get(f"/inbound-batches/{batch}/scans").json()
    assert [each["tracking_code"] for each in page["scans"]] == [codes[1], codes[0], None]
    assert page["scans"][1] == {
        "scan_id": late["scan_id"], "code": codes[0], "outcome": "matched", "tracking_code": codes[0], "packages": 1,
        "is_damaged": False, "note": "wet", "scanned_at": AT, "actor": "access:scanner",
    }  # fmt: skip
    only = scanner.get(f"/inbound-batches/{batch}/scans?outcome=surplus&limit=1").json()
    assert [each["code"] for each in only["scans"]] == ["NOBODY"]
    assert refused(scanner.get(f"/inbound-batches/{batch}/scans?outcome=lost")) == (400, "invalid_query")


def test_reading_is_for_every_role_and_scanning_is_not(scanner: Program, reader: Program, acme: Company) -> None:
    manifest = shipped(acme, 1)
    batch = opened(scanner, manifest)
    assert batch_of(reader, batch)["id"] == batch
    assert ids(reader.get("/inbound-batches")) == [batch]
    for name in ("scans", "close"):
        assert refused(reader.post(f"/inbound-batches/{batch}/{name}", {})) == (403, "forbidden")
