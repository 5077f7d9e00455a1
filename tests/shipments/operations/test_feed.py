"""The operators' feed: changed guides, manifests and companies, for the operator's countries alone."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.utils import timezone

from companies.countries import SERVED
from companies.models import Company
from shipments.models import Guide, ListedGuides, Manifest
from shipments.tracking.voiding import void_manifest
from tests.companies.operators.tokens.speaking import Program
from tests.shipments.shipping import bring, correct_as_operator, shipped

pytestmark = pytest.mark.django_db

SINCE = "2020-01-01T00:00:00Z"
ROW = {
    "tracking_code", "hawb", "mawb", "company", "country", "bag", "status", "status_code", "sequence", "updated_at",
    "needs_review", "retention", "voided_at", "anonymised_at",
}  # fmt: skip


def asked(program: Program, path: str = "/guides", **query: Any) -> Any:
    answer = program.get(f"{path}?{urlencode(query, doseq=True)}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def codes(program: Program, **query: Any) -> list[str]:
    return [row["tracking_code"] for row in asked(program, **query)["guides"]]


def refused(program: Program, path: str) -> tuple[int, str, Any]:
    answer = program.get(path)
    body = answer.json()
    return answer.status_code, body["error"], body.get("details") or body.get("country") or body.get("permission")


def test_a_row_says_where_a_guide_stands_and_whose_it_is(scanner: Program, chilean: Guide) -> None:
    Guide.objects.filter(pk=chilean.pk).update(bag="SCL-0412")
    (row,) = asked(scanner, tracking_code=chilean.tracking_code.lower())["guides"]
    assert row.keys() == ROW
    expected = {
        "company": "ACME",
        "country": "CL",
        "bag": "SCL-0412",
        "status_code": 1,
        "sequence": 1,
        "retention": None,
    }
    assert {name: row[name] for name in expected} == expected


def test_an_operator_sees_the_guides_of_its_countries_and_no_others(
    scanner: Program, limeno: Program, chilean: Guide, peruvian: Guide
) -> None:
    own, other = (set(guide.manifest.guides.values_list("tracking_code", flat=True)) for guide in (peruvian, chilean))
    assert set(codes(limeno, updated_since=SINCE)) == own
    assert set(codes(scanner, updated_since=SINCE)) == own | other
    assert set(codes(scanner, updated_since=SINCE, country="cl")) == other
    assert codes(limeno, mawb=chilean.manifest.mawb, hawb=chilean.hawb) == []
    assert refused(limeno, f"/guides?updated_since={SINCE}&country=CL") == (403, "forbidden_country", "CL")
    assert refused(limeno, f"/guides?updated_since={SINCE}&country=BR")[:2] == (400, "invalid_query")


def test_a_company_is_named_by_its_code_and_unknown_ones_are_refused_in_one_voice(
    scanner: Program, limeno: Program, acme: Company, chilean: Guide, peruvian: Guide
) -> None:
    Company.objects.filter(pk=acme.pk).update(allowed_countries=["CL"])
    assert set(codes(scanner, company="ACME")) == set(chilean.manifest.guides.values_list("tracking_code", flat=True))
    assert peruvian.tracking_code in codes(limeno, company="RIVAL")
    unknown, foreign = (refused(limeno, f"/guides?company={code}") for code in ("NOBODY", "ACME"))
    assert unknown == foreign
    assert unknown[:2] == (400, "invalid_query")
    assert unknown[2].keys() == {"company"}


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("", {"updated_since", "mawb", "hawb", "tracking_code", "company", "bag"}),
        ("status=lost", {"updated_since", "mawb", "hawb", "tracking_code", "company", "bag"}),
        ("bag=B&fields=some", {"fields"}),
        ("bag=B&limit=101", {"limit"}),
        ("bag=B&since=yesterday", {"since"}),
        ("bag=B&cursor=x", {"cursor"}),
        ("bag=%00", {"bag"}),
        ("id=X&bag=B", {"bag"}),
        ("id=X&id=Y&limit=1", {"limit"}),
    ],
)
def test_what_cannot_be_asked_is_named(scanner: Program, query: str, named: set[str]) -> None:
    status, error, details = refused(scanner, f"/guides?{query}")
    assert (status, error, set(details)) == (400, "invalid_query", named)


def test_pages_have_every_guide_once_and_a_cursor_is_its_operators_alone(
    scanner: Program, limeno: Program, acme: Company
) -> None:
    manifest = shipped(acme, 9, country="PE")
    seen: list[str] = []
    query: dict[str, Any] = {"updated_since": SINCE, "limit": 4}
    while True:
        page = asked(scanner, **query)
        seen += [row["tracking_code"] for row in page["guides"]]
        if not page["next_cursor"]:
            break
        query["cursor"] = page["next_cursor"]
    assert sorted(seen) == sorted(manifest.guides.values_list("tracking_code", flat=True))
    assert refused(limeno, f"/guides?{urlencode(query)}")[:2] == (400, "invalid_query")


def test_a_move_a_correction_an_erasure_and_a_void_are_changes(scanner: Program, acme: Company) -> None:
    manifest = shipped(acme, 3, country="CL")
    first, second, third = manifest.guides.order_by("id")

    def changed_by(write: Any) -> list[str]:
        before = timezone.now()
        write()
        return codes(scanner, updated_since=before.isoformat())

    assert changed_by(lambda: correct_as_operator(second, {"bag": "B1"}, actor="ana")) == [second.tracking_code]
    assert changed_by(lambda: bring(third, "cancelled")) == [third.tracking_code]
    voided = changed_by(lambda: void_manifest(manifest, reason="twice", actor="ana"))
    assert sorted(voided) == sorted(each.tracking_code for each in (first, second, third))
    rows = asked(scanner, mawb=manifest.mawb)["guides"]
    assert {row["status"] for row in rows} == {"cancelled"}
    assert all(row["voided_at"] for row in rows)


def test_all_fields_need_the_right_to_export_and_are_recorded_with_whose_they_are(
    scanner: Program, reader: Program, chilean: Guide
) -> None:
    path = f"/guides?hawb={chilean.hawb}&company=ACME&fields=all"
    assert refused(reader, path) == (403, "forbidden", "shipments.change_guide")
    assert not LogEntry.objects.exists()
    Guide.objects.filter(pk=chilean.pk).update(consignee_address="Calle Prat 12", fob_usd="59.90")
    (row,) = asked(scanner, hawb=chilean.hawb, company="ACME", fields="all")["guides"]
    assert row.keys() == ROW | {"guide", "duty_free", "document_count"}
    assert (row["guide"]["consignee_address"], row["guide"]["fob_usd"]) == ("Calle Prat 12", 59.9)
    assert {"extra_data", "products", "freight_usd", "shipper_country"} < row["guide"].keys()
    (entry,) = LogEntry.objects.all()
    assert entry.listed_guides.guides == [chilean.pk]
    assert "hawb=(1), company=ACME, fields=all" in entry.change_message
    assert chilean.hawb not in entry.change_message
    asked(scanner, bag="NONE", fields="all")
    assert ListedGuides.objects.count() == 1


def test_all_fields_say_what_is_free_of_duty_and_how_many_guides_a_document_had(
    scanner: Program, acme: Company, rival: Company
) -> None:
    person: dict[str, Any] = {"consignee_document_type": "DNI", "consignee_document": "30123456"}
    for value, country in ((400, "AR"), (401, "AR"), (None, "AR"), (100, "PE")):
        shipped(acme, 1, country=country, **{**person, "fob_usd": value})
    shipped(rival, 1, country="AR", **person)
    rows = {
        row["guide"]["fob_usd"]: row for row in asked(scanner, company="ACME", country="AR", fields="all")["guides"]
    }
    assert {value: row["duty_free"] for value, row in rows.items()} == {400.0: True, 401.0: False, None: None}
    today = timezone.localdate(timezone=SERVED["AR"].clock)
    assert rows[400.0]["document_count"] == {"year": today.year, "guides": 4, "since": today.isoformat()}
    (peruvian,) = asked(scanner, company="ACME", country="PE", fields="all")["guides"]
    assert (peruvian["duty_free"], peruvian["document_count"]["guides"]) == (None, 1)
    assert all("document_count" not in row for row in asked(scanner, company="ACME")["guides"])


def test_manifests_have_totals_and_filters(
    scanner: Program, limeno: Program, reader: Program, chilean: Guide, peruvian: Guide
) -> None:
    (row,) = asked(limeno, "/mawbs")["mawbs"]
    assert (row["mawb"], row["company"], row["country"], row["total_guides"]) == (
        peruvian.manifest.mawb,
        "RIVAL",
        "PE",
        2,
    )
    assert {"eta", "flight_number", "channel", "warnings_count", "guides_by_status", "total_fob_usd"} < row.keys()
    assert [each["company"] for each in asked(reader, "/mawbs", company="ACME", status="registered")["mawbs"]] == [
        "ACME"
    ]
    page = asked(scanner, "/mawbs", limit=1)
    following = asked(scanner, "/mawbs", limit=1, cursor=page["next_cursor"])
    assert {each["mawb"] for each in page["mawbs"] + following["mawbs"]} == {
        chilean.manifest.mawb,
        peruvian.manifest.mawb,
    }
    assert asked(scanner, "/mawbs", updated_since="2099-01-01T00:00:00Z")["mawbs"] == []
    assert refused(scanner, "/mawbs?hawb=1")[:2] == (400, "invalid_query")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no settings that keep it from a scan")
def test_manifests_that_changed_are_found_by_an_index() -> None:
    with connection.cursor() as cursor:  # so few rows are read whole
        cursor.execute("SET LOCAL enable_seqscan = off")
    changed = Manifest.objects.updated_since(timezone.now()).order_by("-created_at", "-id")[:51]
    assert "manifest_by_change_of_all" in changed.explain()


def test_a_manifest_of_two_companies_has_to_be_told_apart(
    scanner: Program, limeno: Program, acme: Company, rival: Company
) -> None:
    for company in (acme, rival):
        shipped(company, 1, country="CL", mawb="045-10000000")
    assert refused(scanner, "/mawbs/045-10000000")[:2] == (409, "ambiguous")
    assert asked(scanner, "/mawbs/04510000000", company="RIVAL")["company"] == "RIVAL"
    assert refused(limeno, "/mawbs/045-10000000")[:2] == (403, "forbidden_country")
    assert refused(scanner, "/mawbs/045-99999999")[:2] == (404, "not_found")


def test_companies_are_listed_with_the_countries_that_the_operator_works_on(
    scanner: Program, limeno: Program, acme: Company, rival: Company
) -> None:
    Company.objects.filter(pk=acme.pk).update(allowed_countries=["CL"])
    assert [each["code"] for each in asked(scanner, "/companies")["companies"]] == ["ACME", "RIVAL"]
    assert asked(limeno, "/companies")["companies"] == [
        {"code": "RIVAL", "name": rival.name, "countries": ["PE"], "is_active": True}
    ]
