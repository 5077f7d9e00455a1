"""Routes and fields that will be removed: headers, the OpenAPI document, and the 404 after the sunset."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
import time_machine

from prealerts.documentation.pages import PAGES
from prealerts.reference.document import document
from prealerts.serving import deprecations
from prealerts.serving.deprecations import DEPRECATIONS, Deprecation, Field, Route, problems
from tests.conftest import Caller

LIST = Deprecation(
    "GET /mawbs",
    Route("GET", "mawb-list"),
    announced=date(2027, 1, 1),
    since=date(2027, 1, 15),
    sunset=date(2027, 4, 1),
    link="https://prealerts.example.com/docs/changelog/",
)
FIELD = replace(LIST, label="weight_kg", of=Field("Guide", "weight_kg"))
LINE = "- `GET /mawbs` goes on 2027-04-01; `weight_kg` too."
HEADERS = {
    "Deprecation": "@1799971200",
    "Sunset": "Thu, 01 Apr 2027 00:00:00 GMT",
    "Link": '<https://prealerts.example.com/docs/changelog/>; rel="deprecation"; type="text/html"',
}


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A route and a field are deprecated."""
    monkeypatch.setattr(deprecations, "DEPRECATIONS", (LIST, FIELD))
    document.cache_clear()
    yield
    document.cache_clear()


@pytest.mark.django_db
@pytest.mark.usefixtures("announced")
class TestARoute:
    def test_says_so_in_three_headers_of_each_answer(self, acme: Caller) -> None:
        with time_machine.travel("2027-03-31T23:59:59Z", tick=False):
            for path in ("/mawbs", "/mawbs/", "/mawbs?limit=0"):
                answer = acme.get(path)
                assert {name: answer.headers[name] for name in HEADERS} == HEADERS
            head = acme.client.head("/api/public/pre-alerts/v1/mawbs", headers=acme.headers)
            assert head.headers["Sunset"] == HEADERS["Sunset"]

    def test_says_so_to_scripts_of_other_origins(self, acme: Caller) -> None:
        exposed = acme.get("/mawbs").headers["Access-Control-Expose-Headers"].split(", ")
        assert HEADERS.keys() <= set(exposed)

    def test_says_so_without_a_password_too(self, acme: Caller) -> None:
        with time_machine.travel("2027-02-01T00:00:00Z", tick=False):
            answer = acme.client.get("/api/public/pre-alerts/v1/mawbs")
            assert (answer.status_code, answer.headers["Sunset"]) == (401, HEADERS["Sunset"])

    def test_of_another_name_or_method_says_nothing(self, acme: Caller) -> None:
        with time_machine.travel("2027-02-01T00:00:00Z", tick=False):
            for answer in (acme.get("/mawbs/045-00000001"), acme.post_json({}), acme.client.get("/nowhere")):
                assert not HEADERS.keys() & set(answer.headers)

    def test_is_not_found_from_its_sunset_on(self, acme: Caller) -> None:
        with time_machine.travel("2027-04-01T00:00:00Z", tick=False):
            answer = acme.get("/mawbs")
            assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
            assert not HEADERS.keys() & set(answer.headers)
            assert acme.get("/webhooks/subscriptions").status_code == 200

    def test_reports_the_log_who_uses_it(self, acme: Caller, caplog: Any) -> None:
        with time_machine.travel("2027-02-01T00:00:00Z", tick=False):
            acme.get("/mawbs")
        (said,) = [each.msg for each in caplog.records if each.name == "prealerts.serving.deprecations"]
        assert (said["event"], said["company"], said["label"]) == ("deprecated_route", "ACME", "GET /mawbs")


@pytest.mark.usefixtures("announced")
class TestTheDocument:
    def test_marks_the_route_with_its_headers(self) -> None:
        paths = document()["paths"]
        operation = paths["/api/public/pre-alerts/v1/mawbs"]["get"]
        assert operation["deprecated"] is True
        assert "2027-04-01" in operation["description"]
        assert operation["responses"]["200"]["headers"].keys() >= HEADERS.keys()
        marked = [each for item in paths.values() for each in item.values() if "deprecated" in each]
        assert marked == [operation]

    def test_marks_the_field(self) -> None:
        properties = document()["components"]["schemas"]["Guide"]["properties"]
        assert [name for name, schema in properties.items() if schema.get("deprecated")] == ["weight_kg"]
        assert "2027-04-01" in properties["weight_kg"]["description"]


class TestTheRegistry:
    def test_has_no_problem(self) -> None:
        assert list(problems(DEPRECATIONS, PAGES["changelog"].path.read_text(encoding="utf-8"))) == []

    def test_takes_what_is_announced_60_days_before_and_is_in_the_changelog(self) -> None:
        assert list(problems([LIST, FIELD], LINE)) == []
        assert list(problems([replace(LIST, sunset=date(2027, 3, 2))], LINE.replace("04-01", "03-02"))) == []

    def test_refuses_59_days(self) -> None:
        early = replace(LIST, sunset=LIST.announced + timedelta(days=59))
        (problem,) = problems([early], f"GET /mawbs goes on {early.sunset.isoformat()}")
        assert "60 days" in problem

    @pytest.mark.parametrize("changelog", ["", "GET /mawbs goes on 2027-05-01", "GET /mawbs goes\non 2027-04-01"])
    def test_refuses_what_the_changelog_does_not_have_with_its_day(self, changelog: str) -> None:
        (problem,) = problems([LIST], changelog)
        assert "changelog" in problem

    def test_refuses_days_out_of_order(self) -> None:
        (problem,) = problems([replace(LIST, since=date(2026, 12, 31))], LINE)
        assert "announced, then deprecated" in problem
