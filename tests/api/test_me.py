"""`GET me`: a company learns what it may do, and nothing of another company."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from companies.models import Company
from tests.api.answers import answered
from tests.conftest import BASE, Caller

pytestmark = pytest.mark.django_db


def asked(caller: Caller) -> Any:
    return answered(caller.get("/me"))


def test_a_client_learns_its_countries_its_workbooks_and_its_prefix(
    company_maker: Callable[..., Caller], rival: Caller
) -> None:
    acme = company_maker("ACME", allowed_countries=["PE", "CL"])
    assert asked(acme) == {
        "company": {"code": "ACME", "name": "Acme Ltda."},
        "kind": "client",
        "countries": ["CL", "PE"],
        "workbook_countries": ["CL"],
        "tracking_prefix": "ACM",
        "requests_per_second": None,
        "password_expires_at": None,
        "may_correct": True,
        "sandbox": False,
    }
    Company.objects.filter(pk=acme.company.pk).update(read_by_headings=["AR", "PE", "CL"])
    assert asked(acme)["workbook_countries"] == ["CL", "PE"]
    assert asked(rival)["workbook_countries"] == ["CL"]


def test_a_courier_learns_its_active_clients_alone(company_maker: Callable[..., Caller], rival: Caller) -> None:
    courier = company_maker("SWIFT", kind="courier", allowed_countries=[])
    active = company_maker("BRAVO", allowed_countries=["AR"]).company
    ended = company_maker("ENDED", is_active=False).company
    courier.company.posts_for.set([active, ended])
    company_maker("OTHER", kind="courier").company.posts_for.set([rival.company])
    body = asked(courier)
    assert (body["kind"], body["countries"], body["workbook_countries"]) == ("courier", [], [])
    assert body["clients"] == [{"client_code": "BRAVO", "name": "Bravo Ltda.", "countries": ["AR"]}]


def test_a_company_without_country_and_prefix_is_answered_too(company_maker: Callable[..., Caller]) -> None:
    body = asked(company_maker("NEW", allowed_countries=[], tracking_prefix=""))
    assert (body["countries"], body["workbook_countries"], body["tracking_prefix"]) == ([], [], None)


def test_the_limit_is_the_one_that_holds_and_a_sandbox_says_so(acme: Caller, rival: Caller, settings: Any) -> None:
    settings.RATE_LIMIT = 50
    Company.objects.filter(pk=rival.company.pk).update(requests_per_second=0)
    assert (asked(acme)["requests_per_second"], asked(rival)["requests_per_second"]) == (50, None)
    settings.SANDBOX = True
    acme.password = acme.company.set_new_password()
    assert acme.get("/me").json()["sandbox"] is True


def test_the_tag_changes_with_the_answer(acme: Caller) -> None:
    tag = acme.get("/me")["ETag"]
    assert acme.get("/me", HTTP_IF_NONE_MATCH=tag).status_code == 304
    Company.objects.filter(pk=acme.company.pk).update(name="Acme Nueva")
    assert acme.get("/me", HTTP_IF_NONE_MATCH=tag).status_code == 200


def test_an_old_password_says_when_it_ends_in_each_answer_and_the_new_one_does_not(acme: Caller, rival: Caller) -> None:
    new = acme.company.set_new_password(old_works_for=timedelta(hours=24))
    told = datetime.fromisoformat(asked(acme)["password_expires_at"]).replace(microsecond=0)
    answers = [acme.get("/me"), acme.get("/mawbs"), acme.get("/mawbs/045-00000000"), acme.get("/mawbs?limit=0")]
    same = {**acme.headers, "If-None-Match": answers[1]["ETag"]}
    again = acme.client.get(f"{BASE}/mawbs", headers=same)
    assert [answer.status_code for answer in (*answers, again)] == [200, 200, 404, 400, 304]
    for answer in (*answers, again):
        assert datetime.fromisoformat(answer["X-Password-Expires"]) == told
        assert "X-Password-Expires" in answer["Access-Control-Expose-Headers"]
    for quiet in (rival.get("/mawbs"), acme.client.get(f"{BASE}/me", headers={"Authorization": f"Bearer {new}"})):
        assert quiet.status_code == 200
        assert "X-Password-Expires" not in quiet
