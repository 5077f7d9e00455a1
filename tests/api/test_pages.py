"""The list's pages and filters, and a MAWB's guides in pages."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from typing import Any

import pytest
from django.utils import timezone

from shipments.models import Flight, Guide, Manifest
from tests.api.answers import error
from tests.conftest import Caller
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db

START = datetime(2026, 6, 1, tzinfo=UTC)
SERIALS = count(1)


def listed(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [item["mawb"] for item in answer.json()["mawbs"]]


def dated(manifest: Manifest, **moments: datetime) -> Manifest:
    Manifest.objects.filter(pk=manifest.pk).update(**moments)
    return manifest


def in_order(caller: Caller, number: int, *, spacing: timedelta = timedelta(minutes=1)) -> list[str]:
    """Make manifests, each received some time after the one before; their MAWBs, newest first."""
    made = [dated(shipped(caller.company, 1), created_at=START + spacing * step).mawb for step in range(number)]
    return made[::-1]


def many(caller: Caller, number: int, *, received: datetime) -> list[str]:
    """Make manifests without guides, the first `received` then and each further one a second later; newest first."""
    company = caller.company
    flight = Flight.objects.create(company=company)
    made = [
        Manifest(
            company=company, posted_by=company, channel="json", mawb=f"999-{serial:08d}", country="CL", flight=flight
        )
        for serial in islice(SERIALS, number)
    ]
    Manifest.objects.bulk_create(made)
    for step, manifest in enumerate(made):
        manifest.created_at = received + timedelta(seconds=step)
    Manifest.objects.bulk_update(made, ["created_at"])
    return [manifest.mawb for manifest in reversed(made)]


def pages(caller: Caller, path: str, name: str) -> Iterator[list[Any]]:
    """Each page of a list, to the last."""
    cursor, joint = "", "&" if "?" in path else "?"
    while cursor is not None:
        answer = caller.get(path + (f"{joint}cursor={cursor}" if cursor else ""))
        assert answer.status_code == 200, answer.json()
        yield answer.json()[name]
        cursor = answer.json()["next_cursor"]


class TestPages:
    def test_hold_everything_once_newest_first(self, acme: Caller, rival: Caller) -> None:
        made = in_order(acme, 7)
        in_order(rival, 3)
        found = [[item["mawb"] for item in page] for page in pages(acme, "/mawbs?limit=3", "mawbs")]
        assert found == [made[:3], made[3:6], made[6:]]

    def test_of_mawbs_received_at_the_same_moment_hold_each_once(self, acme: Caller) -> None:
        made = in_order(acme, 7, spacing=timedelta())
        found = [item["mawb"] for page in pages(acme, "/mawbs?limit=2", "mawbs") for item in page]
        assert sorted(found) == sorted(made)
        assert len(found) == len(set(found))

    def test_are_not_shifted_by_what_arrives_while_they_are_read(self, acme: Caller, rival: Caller) -> None:
        first = many(acme, 25, received=START)
        many(rival, 6, received=START)
        found, sizes = [], []
        for page in pages(acme, "/mawbs?limit=5", "mawbs"):
            found += [item["mawb"] for item in page]
            sizes.append(len(page))
            many(acme, 3, received=timezone.now())
        assert sizes == [5] * 5
        assert found == first

    def test_may_change_their_size_on_the_way(self, acme: Caller) -> None:
        made = in_order(acme, 4)
        cursor = acme.get("/mawbs?limit=1").json()["next_cursor"]
        assert listed(acme.get(f"/mawbs?limit=3&cursor={cursor}")) == made[1:]

    def test_cost_two_queries(self, acme: Caller, django_assert_num_queries: Any) -> None:
        in_order(acme, 3)
        cursor = acme.get("/mawbs?limit=1").json()["next_cursor"]
        with django_assert_num_queries(2):
            acme.get(f"/mawbs?limit=1&cursor={cursor}")


class TestFilters:
    def test_of_status_are_taken_together(self, acme: Caller, rival: Caller) -> None:
        registered, moved, delivered = (shipped(acme.company, 1) for _ in range(3))
        shipped(rival.company, 1)
        bring(moved.guides.get(), "in_transit")
        bring(delivered.guides.get(), "delivered")
        assert listed(acme.get("/mawbs?status=in_transit")) == [moved.mawb]
        assert listed(acme.get("/mawbs?status=registered&status=delivered")) == [delivered.mawb, registered.mawb]
        assert listed(acme.get("/mawbs?status=closed")) == []

    def test_of_country_are_in_any_case(self, acme: Caller) -> None:
        shipped(acme.company, 1)
        lima = shipped(acme.company, 1, country="PE")
        assert listed(acme.get("/mawbs?country=pe")) == listed(acme.get("/mawbs?country=PE")) == [lima.mawb]

    def test_of_time_begin_at_from_and_end_before_to(self, acme: Caller) -> None:
        made = in_order(acme, 4)
        path = "/mawbs?created_from=2026-06-01T00:01:00Z&created_to=2026-05-31T20:03:00-04:00"
        assert listed(acme.get(path)) == made[1:3]

    def test_of_arrival_leave_out_what_has_none(self, acme: Caller) -> None:
        none, early, late = (shipped(acme.company, 1) for _ in range(3))
        dated(early, eta=START)
        dated(late, eta=START + timedelta(days=1))
        assert listed(acme.get("/mawbs?eta_from=2026-06-01T00:00:00Z")) == [late.mawb, early.mawb]
        assert listed(acme.get("/mawbs?eta_to=2026-06-02T00:00:00Z")) == [early.mawb]
        assert none.mawb in listed(acme.get("/mawbs"))

    def test_updated_since_finds_what_was_received_or_changed_then_or_later(
        self, acme: Caller, rival: Caller, time_machine: Any
    ) -> None:
        time_machine.move_to(START, tick=False)
        still, moved = shipped(acme.company, 1), shipped(acme.company, 1)
        other = shipped(rival.company, 1)
        time_machine.shift(3600)
        bring(moved.guides.get(), "in_transit")
        bring(other.guides.get(), "in_transit")
        new = shipped(acme.company, 1)
        assert listed(acme.get("/mawbs?updated_since=2026-06-01T01:00:00Z")) == [new.mawb, moved.mawb]
        assert listed(acme.get("/mawbs?updated_since=2026-06-01T01:00:00.000001Z")) == []
        assert still.mawb in listed(acme.get("/mawbs?updated_since=2026-06-01T00:00:00Z"))

    def test_of_a_hawb_name_the_mawbs_that_hold_it(self, acme: Caller, rival: Caller) -> None:
        first, second = shipped(acme.company, 2), shipped(acme.company, 3)
        shipped(rival.company, 3)
        assert listed(acme.get("/mawbs?hawb=h003")) == [second.mawb]
        assert listed(acme.get("/mawbs?hawb=%20H002")) == [second.mawb, first.mawb]
        assert listed(acme.get("/mawbs?hawb=H00")) == []

    def test_never_show_what_was_voided_or_is_anothers(self, acme: Caller, rival: Caller) -> None:
        gone = shipped(acme.company, 1)
        dated(gone, voided_at=START)
        shipped(rival.company, 1)
        for query in ("status=registered", "country=CL", "hawb=H001", "updated_since=2020-01-01T00:00:00Z"):
            assert listed(acme.get(f"/mawbs?{query}")) == []

    def test_hold_over_all_pages(self, acme: Caller) -> None:
        lima = [shipped(acme.company, 1, country=country).mawb for country in ("PE", "CL", "PE", "PE")]
        found = [item["mawb"] for page in pages(acme, "/mawbs?country=PE&limit=1", "mawbs") for item in page]
        assert found == [lima[3], lima[2], lima[0]]


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ("limit=0", {"limit"}),
            ("limit=101", {"limit"}),
            ("limit=", {"limit"}),
            ("limit=5&limit=6", {"limit"}),
            ("status=x", {"status"}),
            ("status=registered&status=x", {"status"}),
            ("country=UY", {"country"}),
            ("created_from=2026-06-01T00:00:00", {"created_from"}),
            ("created_to=2026-06-01T00:00:00+01:00", {"created_to"}),  # the + reads as a blank
            ("eta_from=0001-01-01T00:00:00%2B05:00", {"eta_from"}),
            ("eta_to=9999-12-31T23:59:59-05:00", {"eta_to"}),
            ("updated_since=yesterday", {"updated_since"}),
            ("hawb=", {"hawb"}),
            (f"hawb={'x' * 65}", {"hawb"}),
            ("hawb=%00", {"hawb"}),
            ("cursor=", {"cursor"}),
            ("cursor=%C3%B1:%00", {"cursor"}),
            ("limit=0&status=x&country=1", {"limit", "status", "country"}),
        ],
    )
    def test_is_named(self, acme: Caller, query: str, names: set[str]) -> None:
        answer = acme.get(f"/mawbs?{query}")
        assert error(answer) == (400, "invalid_query")
        assert answer.json()["details"].keys() == names

    def test_a_cursor_with_other_filters_than_its_own(self, acme: Caller, rival: Caller) -> None:
        in_order(acme, 3)
        in_order(rival, 3)
        cursor = acme.get("/mawbs?limit=1&country=CL").json()["next_cursor"]
        assert acme.get(f"/mawbs?country=CL&cursor={cursor}").status_code == 200
        for asked in (f"/mawbs?cursor={cursor}", f"/mawbs?country=CL&status=registered&cursor={cursor}"):
            assert error(acme.get(asked)) == (400, "invalid_query")
        assert error(rival.get(f"/mawbs?country=CL&cursor={cursor}")) == (400, "invalid_query")
        mawb = Manifest.objects.of(acme.company).values_list("mawb", flat=True)[0]
        assert error(acme.get(f"/mawbs/{mawb}/guides?cursor={cursor}")) == (400, "invalid_query")

    def test_a_cursor_that_was_altered(self, acme: Caller) -> None:
        in_order(acme, 2)
        cursor = acme.get("/mawbs?limit=1").json()["next_cursor"]
        altered = cursor.replace(cursor[3], "A" if cursor[3] != "A" else "B", 1)
        assert error(acme.get(f"/mawbs?cursor={altered}")) == (400, "invalid_query")

    def test_nothing_for_a_name_that_is_not_known(self, acme: Caller) -> None:
        acme.upload()
        assert len(listed(acme.get("/mawbs?foo=1&page=9&company_id=1&Limit=0"))) == 1


class TestGuidesInPages:
    @pytest.fixture
    def manifest(self, acme: Caller, rival: Caller) -> Manifest:
        shipped(rival.company, 9, mawb="045-11111111")
        return shipped(acme.company, 7, mawb="045-11111111")

    def test_hold_each_once_as_the_detail_shows_it(self, acme: Caller, manifest: Manifest) -> None:
        bring(manifest.guides.all()[3], "customs_held")
        found = list(pages(acme, "/mawbs/04511111111/guides?limit=3", "guides"))
        assert [len(page) for page in found] == [3, 3, 1]
        assert [guide for page in found for guide in page] == acme.get("/mawbs/045-11111111").json()["guides"]

    def test_of_some_statuses_alone(self, acme: Caller, manifest: Manifest) -> None:
        first, second, third, *_ = manifest.guides.all()
        bring(first, "in_transit", "delivered")
        bring(second, "customs_held")
        bring(third, "in_transit")
        path = "/mawbs/045-11111111/guides?status=delivered&status=customs_held"
        assert [guide["hawb"] for guide in acme.get(path).json()["guides"]] == ["H001", "H002"]
        assert acme.get("/mawbs/045-11111111/guides?status=lost").json() == {"guides": [], "next_cursor": None}

    @pytest.mark.parametrize("query", ["limit=0", "limit=501", "status=closed", "cursor=x"])
    def test_are_refused_as_the_lists_are(self, acme: Caller, manifest: Manifest, query: str) -> None:
        answer = acme.get(f"/mawbs/{manifest.mawb}/guides?{query}")
        assert error(answer) == (400, "invalid_query")
        assert list(answer.json()["details"]) == [query.partition("=")[0]]

    def test_are_500_at_most(self, acme: Caller, manifest: Manifest) -> None:
        assert len(acme.get(f"/mawbs/{manifest.mawb}/guides?limit=500").json()["guides"]) == 7

    def test_of_an_unknown_or_anothers_mawb_are_not_found(self, acme: Caller, rival: Caller) -> None:
        rivals = shipped(rival.company, 1).mawb
        for mawb in (rivals, "045-99999999", "nothing"):
            assert error(acme.get(f"/mawbs/{mawb}/guides")) == (404, "not_found")

    def test_cost_three_queries(self, acme: Caller, manifest: Manifest, django_assert_num_queries: Any) -> None:
        acme.get("/mawbs")
        assert Guide.objects.filter(manifest=manifest).exists()
        with django_assert_num_queries(3):
            acme.get(f"/mawbs/{manifest.mawb}/guides?limit=2")
