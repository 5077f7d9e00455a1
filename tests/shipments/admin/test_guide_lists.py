"""The list of guides: every way an operator looks for one, the work lists, and few statements however long it is."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.db.models import CharField, F, Value
from django.db.models.functions import Concat
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from prealerts.dashboard.arrivals import arriving
from shipments.admin import filters, guide_paginator, guide_search, read_only_admin
from shipments.admin.guides import GuideAdmin
from shipments.models import Guide, Manifest
from tests.shipments.admin.pages import GUIDES, MANIFESTS, listed, of_manifest, text_of
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

CONSIGNEE = {"consignee_name": "María Rojas", "consignee_document": "12345678-5", "consignee_document_type": "RUT"}


@pytest.fixture
def guide(ours: Company, theirs: Company) -> Guide:
    """The one to be found, among another company's and its own."""
    shipped(theirs, 2, mawb="999-00000001", consignee_name="Zoila Soto", consignee_document="5126663-3")
    shipped(ours, 2, mawb="999-00000002")
    return shipped(ours, 1, mawb="045-12345675", **CONSIGNEE).guides.get()


@pytest.mark.parametrize(
    "text",
    [
        "045-12345675", "04512345675", "045 1234 5675", " 045-1234567 ", "mar", "MAR", "maría", "María R",
        "12345678-5", "12.345.678-5", "123456785", "12345678",
    ],
)  # fmt: skip
def test_a_guide_is_found_by_what_an_operator_has_in_hand(staff: Client, guide: Guide, text: str) -> None:
    assert listed(staff.get(GUIDES, {"q": text})) == [guide]


def test_a_guide_is_found_by_its_tracking_code_in_any_case(staff: Client, guide: Guide) -> None:
    assert listed(staff.get(GUIDES, {"q": guide.tracking_code.lower()})) == [guide]


def test_guides_are_found_by_the_beginning_of_their_hawb(staff: Client, guide: Guide) -> None:
    Guide.objects.filter(pk=guide.pk).update(hawb="ZX-77/A")
    assert listed(staff.get(GUIDES, {"q": "zx-7"})) == [guide]


@pytest.mark.parametrize("text", ["ojas", "%", "_", "\\", "'; --", "\0", "999-99999999", "x" * 500, "٣٤٥"])
def test_what_nobody_has_finds_nothing_and_breaks_nothing(staff: Client, guide: Guide, text: str) -> None:
    found = listed(staff.get(GUIDES, {"q": text}))
    assert guide not in found or not text.replace("\0", "")


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"company": "OURS"}, {"PE", "CL"}),
        ({"company": "OURS", "country": "PE"}, {"PE"}),
        ({"country": "AR"}, {"AR"}),
        ({"status__exact": "registered", "country": "CL"}, {"CL"}),
        ({"status__exact": "lost"}, set()),
        ({"retention_required__exact": 1}, {"PE"}),
        ({"needs_review__exact": 1}, {"CL"}),
        ({"country": "XX"}, set()),
    ],
)
def test_the_filters(staff: Client, ours: Company, theirs: Company, chosen: dict[str, Any], expected: set[str]) -> None:
    shipped(ours, 1, country="CL", review_reasons=("rut_placeholder",))
    shipped(ours, 1, country="PE", retention_reason="FOB")
    shipped(theirs, 1, country="AR")
    assert {guide.manifest.country for guide in listed(staff.get(GUIDES, chosen))} == expected


@pytest.mark.parametrize(
    "address",
    [
        f"{GUIDES}?status__exact=lost%00",
        f"{GUIDES}?country=%00CL",
        "/admin/webhooks/delivery/?state__exact=%00",
        "/admin/admin/logentry/?kind=%C2%B2",
        "/admin/auditlog/logentry/?kind=%C2%B2",
        f"/admin/auditlog/logentry/?kind={10**20}",
        "/admin/autocomplete/?app_label=companies&model_name=company&field_name=posts_for&term=a%00b",
    ],
)
def test_an_address_with_signs_that_no_filter_offers_breaks_nothing(admin_client: Client, address: str) -> None:
    assert admin_client.get(address).status_code == 200


NOON = datetime(2026, 11, 20, 15, tzinfo=UTC)
LATE = datetime(2026, 11, 21, 2, 30, tzinfo=UTC)
"""Still the 20th in the three countries: half past nine in the evening in Lima, half past eleven in Santiago."""


def told_the_time(monkeypatch: pytest.MonkeyPatch, now: datetime) -> None:
    monkeypatch.setattr(filters, "timezone", SimpleNamespace(now=lambda: now))


@pytest.mark.parametrize(
    ("arrival", "days"),
    [("today", {0}), ("tomorrow", {1}), ("week", {0, 1, 5}), ("past_week", {-2}), ("overdue", {-2, -30})],
)
def test_the_day_of_arrival(
    staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch, arrival: str, days: set[int]
) -> None:
    told_the_time(monkeypatch, NOON)
    for day in (-30, -2, 0, 1, 5, 30):
        manifest = shipped(ours, 1)
        Manifest.objects.filter(pk=manifest.pk).update(eta=NOON + timedelta(days=day))
    shipped(ours, 1)
    found = listed(staff.get(GUIDES, {"arrival": arrival}))
    assert {(guide.manifest.eta - NOON).days for guide in found} == days


@pytest.mark.parametrize(
    ("arrival", "expected"),
    [
        ("today", {"CL 20", "PE 20", "AR 20"}),
        ("tomorrow", {"CL 21", "PE 21", "AR 21"}),
        ("overdue", {"CL 19", "PE 19"}),
    ],
)
def test_a_day_is_the_destinations_and_the_start_pages(
    staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch, arrival: str, expected: set[str]
) -> None:
    told_the_time(monkeypatch, LATE)
    local = {"CL": "America/Santiago", "PE": "America/Lima", "AR": "America/Argentina/Buenos_Aires"}
    edges = [("CL", 19, 23), ("CL", 20, 0), ("CL", 21, 0), ("PE", 19, 23), ("PE", 20, 23), ("PE", 21, 23),
             ("AR", 20, 0), ("AR", 21, 23), ("AR", 22, 0)]  # fmt: skip
    for country, day, hour in edges:
        manifest = shipped(ours, 1, country=country)
        eta = datetime(2026, 11, day, hour, 30, tzinfo=ZoneInfo(local[country]))
        Manifest.objects.filter(pk=manifest.pk).update(eta=eta)
    for address in (GUIDES, MANIFESTS):
        rows = listed(staff.get(address, {"arrival": arrival}))
        manifests: list[Any] = [row if isinstance(row, Manifest) else row.manifest for row in rows]
        assert {f"{one.country} {one.eta.astimezone(ZoneInfo(local[one.country])):%d}" for one in manifests} == expected
    if arrival != "overdue":
        start_page = next(day for day in arriving(Manifest.objects.all(), LATE) if str(day.title).endswith(arrival))
        assert {one.mawb for one in start_page.arrivals} == {one.mawb for one in manifests}


def test_a_longer_list_asks_no_more_of_the_database(staff: Client, ours: Company, theirs: Company) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            text_of(staff.get(GUIDES))
        return len(captured)

    shipped(ours, 1)
    statements()
    few = statements()
    for _ in range(5):
        shipped(ours, 4)
        shipped(theirs, 4)
    assert statements() == few


def test_a_long_list_is_not_read_to_its_end(staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_only_admin, "COUNTED", 3)
    monkeypatch.setattr(GuideAdmin, "list_per_page", 2)
    shipped(ours, 6)
    with CaptureQueriesContext(connection) as captured:
        page = text_of(staff.get(GUIDES))
    of_guides = [query["sql"] for query in captured if 'FROM "shipments_guide"' in query["sql"]]
    assert of_guides
    assert all(re.search(r"LIMIT \d+|MAX\(|\bIN \(", sql) for sql in of_guides)
    assert "more than 3" in " ".join(page.split())
    assert "Select the whole list, more than 3" in page
    assert not re.search(r"\b4\b (results|guides)|Select all 4", page)


@pytest.mark.parametrize(
    ("text", "counted"), [("H-", "more than 3"), ("rojas", "more than 3"), ("045-00000011", "6"), ("", "6")]
)
def test_only_a_search_by_words_or_by_the_beginning_of_a_code_is_counted_less_far(
    staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch, text: str, counted: str
) -> None:
    monkeypatch.setattr(guide_paginator, "_MATCHES", 3)
    monkeypatch.setattr(GuideAdmin, "list_per_page", 2)
    manifest = shipped(ours, 6, mawb="045-00000011", consignee_name="Ana Rojas")
    Guide.objects.update(hawb=Concat(Value("H-"), "hawb"))
    answer: Any = staff.get(GUIDES, {"q": text})
    assert (" ".join(text_of(answer).split()).count("more than 3") > 0) is (counted != "6")
    assert list(answer.context["cl"].result_list) == list(manifest.guides.order_by("-id")[:2])


WAYS = {
    "counted to its end": {},
    "cut, its newest guides among the newest of all": {"COUNTED": 7},
    "cut, its guides lie in the past": {"COUNTED": 7, "_NEWEST": 2, "_NEWEST_OF_A_CODE": 2},
    "cut, in the past, and too many to sort": {"COUNTED": 7, "_NEWEST": 2, "_NEWEST_OF_A_CODE": 2, "_SORTED": 5},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "search",
    [
        {},
        {"company": "OURS"},
        {"q": "H-", "company": "OURS", "status__exact": "registered"},
        {"q": "H-0", "company": "OURS"},
        {"company": "OURS", "status__exact": "registered", "o": "-7"},  # all have it, so the newest stay first
    ],
)
def test_a_list_of_any_length_shows_its_newest_first(
    staff: Client, ours: Company, theirs: Company, monkeypatch: pytest.MonkeyPatch, way: str, search: dict[str, str]
) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(read_only_admin if name == "COUNTED" else guide_paginator, name, value)
    monkeypatch.setattr(GuideAdmin, "list_per_page", 3)
    shipped(theirs, 2)
    shipped(ours, 9)
    shipped(theirs, 4)
    of_list = Guide.objects.filter(manifest__company=ours) if search else Guide.objects.all()
    Guide.objects.update(hawb=Concat(Value("H-0"), F("id"), output_field=CharField()))
    newest = list(of_list.order_by("-pk").values_list("pk", flat=True))
    found = [[guide.pk for guide in listed(staff.get(GUIDES, {**search, "p": page}))] for page in (1, 2)]
    assert found == [newest[:3], newest[3:6]]


def test_the_beginning_of_a_mawb_that_very_many_have_forgets_none(
    staff: Client, ours: Company, theirs: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guide_search, "_MOST_MANIFESTS", 2)
    oldest = shipped(ours, 1, mawb="045-00000011").guides.get()
    for number in range(12, 16):
        shipped(theirs, 1, mawb=f"045-000000{number}")
    assert len(listed(staff.get(GUIDES, {"q": "045-0000"}))) == 5
    assert listed(staff.get(GUIDES, {"q": "045-0000", "company": "OURS"})) == [oldest]


def test_every_page_of_a_list_is_there(staff: Client, ours: Company) -> None:
    shipped(ours, 120)
    found = [guide.pk for page in (1, 2, 3) for guide in listed(staff.get(GUIDES, {"p": page}))]
    assert found == sorted(Guide.objects.values_list("pk", flat=True), reverse=True)


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ({}, "Nothing has arrived yet"),
        ({"q": "nobody"}, "The search finds: tracking code, HAWB, MAWB"),
        ({"status__exact": "lost"}, "Filters are set"),
    ],
)
def test_an_empty_list_says_why(staff: Client, search: dict[str, str], said: str) -> None:
    page = " ".join(text_of(staff.get(GUIDES, search)).split())
    assert said in page
    assert "Create a new" not in page


def test_no_list_offers_to_count_each_choice_of_its_filters(staff: Client, ours: Company) -> None:
    shipped(ours, 1)
    with CaptureQueriesContext(connection) as captured:
        response = staff.get(GUIDES, {"_facets": "True"})
    assert response.status_code in {200, 302}
    assert not [query["sql"] for query in captured if "COUNT(CASE" in query["sql"] or "FILTER (WHERE" in query["sql"]]


def test_a_manifest_arrives_by_the_destinations_clock(staff: Client, ours: Company) -> None:
    manifest, year = shipped(ours, 1, country="PE"), timezone.now().year
    Manifest.objects.filter(pk=manifest.pk).update(
        eta=datetime(year, 11, 21, 2, 30, tzinfo=UTC), created_at=datetime(year, 11, 19, 8, 5, tzinfo=UTC)
    )
    for address in (MANIFESTS, of_manifest(manifest)):
        page = text_of(staff.get(address))
        assert "20 Nov 21:30" in page
        assert "19 Nov 08:05" in page
        assert f"19 Nov {year}" not in page


def test_the_browsers_tab_says_what_a_list_holds(staff: Client) -> None:
    for address, title in ((GUIDES, "Guías"), (MANIFESTS, "Manifiestos")):
        assert f"{title} | Pre-Alerts" in text_of(staff.get(address, headers={"accept-language": "es"}))


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ("bulkmove", "by the files that couriers and customs send"),
    ],
)
def test_an_empty_list_says_how_its_first_row_is_made(admin_client: Client, page: str, says: str) -> None:
    assert says in text_of(admin_client.get(reverse(f"admin:shipments_{page}_changelist")))


def test_another_company_with_the_same_mawb_is_named_where_the_operator_sees_it(
    staff: Client, ours: Company, theirs: Company
) -> None:
    manifest = shipped(ours, 1)
    page = reverse("admin:shipments_manifest_change", args=[manifest.pk])
    assert "Another company has this MAWB, too" not in text_of(staff.get(page))
    other = shipped(theirs, 2, mawb=manifest.mawb)
    shown = text_of(staff.get(page))
    assert "Another company has this MAWB, too" in shown
    assert reverse("admin:shipments_manifest_change", args=[other.pk]) in shown


def test_a_work_list_begins_with_the_oldest_and_says_its_age(staff: Client, ours: Company) -> None:
    guides = [shipped(ours, 1).guides.get() for _each in range(2)]
    Guide.objects.update(needs_review=True)
    Guide.objects.filter(pk=guides[0].pk).update(created_at=timezone.now() - timedelta(days=3))
    page = text_of(staff.get(reverse("admin:shipments_guide_changelist"), {"work": "review"}))
    assert page.index(guides[0].tracking_code) < page.index(guides[1].tracking_code)
    assert "The oldest was received 3\xa0days ago; it comes first." in page
