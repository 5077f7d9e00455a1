"""The list of guides: every way an operator looks for one, the work lists, and few statements however long it is."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.db.models import CharField, F, Value
from django.db.models.functions import Concat
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from shipments.admin import filters, guide_paginator, guide_search, read_only_admin
from shipments.admin.guides import GuideAdmin
from shipments.models import Guide, Manifest
from tests.shipments.admin.pages import GUIDES, MANIFESTS, listed, of_manifest, text_of
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db


def test_the_filters(staff: Client, ours: Company, theirs: Company) -> None:
    shipped(ours, 1, country="CL", review_reasons=("rut_placeholder",))
    shipped(ours, 1, country="PE", retention_reason="FOB")
    shipped(theirs, 1, country="AR")
    for chosen, expected in (
        ({"company": "OURS"}, {"PE", "CL"}),
        ({"company": "OURS", "country": "PE"}, {"PE"}),
        ({"country": "AR"}, {"AR"}),
        ({"status__exact": "registered", "country": "CL"}, {"CL"}),
        ({"status__exact": "lost"}, set()),
        ({"retention_required__exact": 1}, {"PE"}),
        ({"needs_review__exact": 1}, {"CL"}),
        ({"country": "XX"}, set()),
    ):
        assert {guide.manifest.country for guide in listed(staff.get(GUIDES, chosen))} == expected, chosen


NOON = datetime(2026, 11, 20, 15, tzinfo=UTC)


def test_the_day_of_arrival(staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "timezone", SimpleNamespace(now=lambda: NOON))
    for day in (-30, -2, 0, 1, 5, 30):
        manifest = shipped(ours, 1)
        Manifest.objects.filter(pk=manifest.pk).update(eta=NOON + timedelta(days=day))
    shipped(ours, 1)
    for arrival, days in (
        ("today", {0}), ("tomorrow", {1}), ("week", {0, 1, 5}), ("past_week", {-2}), ("overdue", {-2, -30}),
    ):  # fmt: skip
        found = listed(staff.get(GUIDES, {"arrival": arrival}))
        assert {(guide.manifest.eta - NOON).days for guide in found} == days, arrival


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


def test_only_a_search_by_words_or_by_the_beginning_of_a_code_is_counted_less_far(
    staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guide_paginator, "_MATCHES", 3)
    monkeypatch.setattr(GuideAdmin, "list_per_page", 2)
    manifest = shipped(ours, 6, mawb="045-00000011", consignee_name="Ana Rojas")
    Guide.objects.update(hawb=Concat(Value("H-"), "hawb"))
    for text, is_cut in (("H-", True), ("rojas", True), ("045-00000011", False), ("", False)):
        answer: Any = staff.get(GUIDES, {"q": text})
        assert ("more than 3" in " ".join(text_of(answer).split())) is is_cut, text
        assert listed(answer) == list(manifest.guides.order_by("-id")[:2])


WAYS = {
    "counted to its end": {},
    "cut, its newest guides among the newest of all": {"COUNTED": 7},
    "cut, its guides lie in the past": {"COUNTED": 7, "_NEWEST": 2, "_NEWEST_OF_A_CODE": 2},
    "cut, in the past, and too many to sort": {"COUNTED": 7, "_NEWEST": 2, "_NEWEST_OF_A_CODE": 2, "_SORTED": 5},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_list_of_any_length_shows_its_newest_first(
    staff: Client, ours: Company, theirs: Company, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(read_only_admin if name == "COUNTED" else guide_paginator, name, value)
    monkeypatch.setattr(GuideAdmin, "list_per_page", 3)
    for company, guides in ((theirs, 2), (ours, 9), (theirs, 4)):
        shipped(company, guides)
    Guide.objects.update(hawb=Concat(Value("H-0"), F("id"), output_field=CharField()))
    searches: list[dict[str, str]] = [
        {},
        {"company": "OURS"},
        {"q": "H-", "company": "OURS", "status__exact": "registered"},
        {"q": "H-0", "company": "OURS"},
        {"company": "OURS", "status__exact": "registered", "o": "-7"},  # all have it, so the newest stay first
    ]
    for search in searches:
        of_list = Guide.objects.filter(manifest__company=ours) if search else Guide.objects.all()
        newest = list(of_list.order_by("-pk").values_list("pk", flat=True))
        found = [[guide.pk for guide in listed(staff.get(GUIDES, {**search, "p": page}))] for page in (1, 2)]
        assert found == [newest[:3], newest[3:6]], search


def test_the_beginning_of_a_mawb_that_very_many_have_forgets_none(
    staff: Client, ours: Company, theirs: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guide_search, "_MOST_MANIFESTS", 2)
    oldest = shipped(ours, 1, mawb="045-00000011").guides.get()
    for number in range(12, 16):
        shipped(theirs, 1, mawb=f"045-000000{number}")
    assert len(listed(staff.get(GUIDES, {"q": "045-0000"}))) == 5
    assert listed(staff.get(GUIDES, {"q": "045-0000", "company": "OURS"})) == [oldest]


def test_an_empty_list_says_why(staff: Client) -> None:
    for search, said in (
        ({}, "Nothing has arrived yet"),
        ({"q": "nobody"}, "The search finds: tracking code, HAWB, MAWB"),
        ({"status__exact": "lost"}, "Filters are set"),
    ):
        assert said in " ".join(text_of(staff.get(GUIDES, search)).split())


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
