"""Rate limits: a company that sends too much is refused for as long as it is told, and nobody else is."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from base import buckets
from base.models import Bucket
from shipments.models import Manifest, RefusedRequest
from tests.conftest import BASE, Caller

pytestmark = pytest.mark.django_db


class Clock:
    """The time that buckets see."""

    now = 1_800_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    frozen = Clock()
    monkeypatch.setattr(buckets, "time", frozen)
    return frozen


@pytest.fixture
def limited(company_maker: Callable[..., Caller]) -> Caller:
    """A company that may send one request a second, ten at once."""
    return company_maker("BUSY", requests_per_second=1)


def exhaust(caller: Caller) -> None:
    assert [caller.get("/mawbs").status_code for _each in range(10)] == [200] * 10


def test_ten_seconds_worth_pass_at_once_and_the_next_is_refused_with_figures(
    limited: Caller,
    rival: Caller,
    clock: Clock,  # noqa: ARG001  # it stands still
) -> None:
    first = limited.get("/mawbs")
    assert first["RateLimit-Policy"] == '"company";q=10;w=10'
    assert first["RateLimit"] == '"company";r=9;t=1'
    for _each in range(9):
        assert limited.get("/mawbs").status_code == 200
    refused = limited.get("/mawbs")
    assert (refused.status_code, refused.json()["error"], refused["Retry-After"]) == (429, "rate_limited", "1")
    assert refused.json()["message"] == (
        "Your company's limit in requests is 1 a second, and 10 at once after a pause. Send this one again in 1 s."
    )
    assert (refused["RateLimit-Policy"], refused["RateLimit"]) == ('"company";q=10;w=10', '"company";r=0;t=10')
    assert {"RateLimit", "RateLimit-Policy"} <= set(refused["Access-Control-Expose-Headers"].split(", "))
    untouched = rival.get("/mawbs")
    assert untouched.status_code == 200
    assert "RateLimit" not in untouched


def test_a_refused_request_says_when_an_old_password_ends_as_any_other(
    limited: Caller,
    clock: Clock,  # noqa: ARG001  # it stands still
) -> None:
    limited.company.set_new_password(old_works_for=timedelta(hours=24))
    answered = [limited.get("/mawbs") for _each in range(11)]
    assert answered[-1].status_code == 429
    assert answered[-1]["X-Password-Expires"] == answered[0]["X-Password-Expires"]


def test_a_retry_after_the_wait_passes_and_one_before_it_does_not(limited: Caller, clock: Clock) -> None:
    exhaust(limited)
    wait = int(limited.get("/mawbs")["Retry-After"])
    clock.now += wait - 0.1
    assert limited.get("/mawbs").status_code == 429
    clock.now += 0.1
    assert limited.get("/mawbs").status_code == 200
    assert limited.get("/mawbs").status_code == 429


def test_a_clock_that_is_set_back_gives_nothing_away_and_the_wait_is_still_honest(
    limited: Caller, clock: Clock
) -> None:
    exhaust(limited)
    clock.now -= 30
    refused = limited.get("/mawbs")
    assert (refused.status_code, refused["Retry-After"]) == (429, "31")
    clock.now += 31
    assert limited.get("/mawbs").status_code == 200


def test_a_refused_upload_stores_nothing_and_is_no_refused_request(limited: Caller, clock: Clock) -> None:  # noqa: ARG001  # it stands still
    exhaust(limited)
    assert limited.upload().status_code == 429
    assert not Manifest.objects.exists()
    assert not RefusedRequest.objects.exists()


def test_whatever_the_answer_it_is_one_token(limited: Caller, clock: Clock) -> None:  # noqa: ARG001  # as above
    known = limited.get("/mawbs")["ETag"]
    assert limited.get("/mawbs", HTTP_IF_NONE_MATCH=known)["RateLimit"] == '"company";r=8;t=2'
    assert limited.get("/mawbs/999-00000000")["RateLimit"] == '"company";r=7;t=3'
    assert limited.client.put(f"{BASE}/mawbs", headers=limited.headers)["RateLimit"] == '"company";r=6;t=4'
    assert limited.get("/webhooks/subscriptions")["RateLimit"] == '"company";r=5;t=5'


def test_a_304_before_drf_is_one_token_and_refused_once_they_are_gone(limited: Caller, clock: Clock) -> None:  # noqa: ARG001  # as above
    mawb = limited.upload().json()["mawb"]
    known = limited.get(f"/mawbs/{mawb}")["ETag"]
    answers = [limited.get(f"/mawbs/{mawb}", HTTP_IF_NONE_MATCH=known) for _each in range(9)]
    assert [answer.status_code for answer in answers] == [304] * 8 + [429]
    assert answers[0]["RateLimit"] == '"company";r=7;t=3'
    assert Bucket.objects.get().refused == 1


def test_nothing_but_requests_with_the_password_counts(limited: Caller, clock: Clock) -> None:  # noqa: ARG001  # as above
    limited.client.get("/internal/password", headers=limited.headers)
    limited.client.get("/health", headers=limited.headers)
    limited.client.get("/docs/", headers=limited.headers)
    limited.client.get(f"{BASE}/nowhere", headers=limited.headers)
    Client().get(f"{BASE}/mawbs", headers={"Authorization": "Bearer wrong"})
    assert not Bucket.objects.exists()


@pytest.mark.parametrize(("own", "installation", "policy"), [
    (None, 0, None), (0, 50, None), (None, 50, '"company";q=500;w=10'), (3, 50, '"company";q=30;w=10'),
])  # fmt: skip
def test_the_companys_own_number_comes_before_the_installations(
    company_maker: Callable[..., Caller], settings: Any, own: int | None, installation: int, policy: str | None
) -> None:
    settings.RATE_LIMIT = installation
    answer = company_maker("ACME", requests_per_second=own).get("/mawbs")
    assert answer.get("RateLimit-Policy") == policy


def test_a_limit_is_one_statement_more_and_none_where_it_is_off(
    acme: Caller, limited: Caller, django_assert_num_queries: Any
) -> None:
    for caller in (acme, limited):
        caller.get("/mawbs")  # which notes the use of the password
    with django_assert_num_queries(2):
        acme.get("/mawbs")
    with django_assert_num_queries(3):
        limited.get("/mawbs")


def test_operators_see_who_was_refused_how_often_and_since_when(
    limited: Caller, rival: Caller, admin_client: Client
) -> None:
    rival.get("/mawbs")
    exhaust(limited)
    Bucket.objects.update(tokens=-1_000)
    limited.get("/mawbs")
    limited.get("/mawbs")
    page = re.sub(r"\s+", " ", admin_client.get("/admin/").content.decode())
    assert "2 requests refused by its rate limit" in page
    assert "limit of 1 a second" in page
    assert "Rival" not in page


def test_idle_buckets_are_swept_and_others_stay(limited: Caller, company_maker: Callable[..., Caller]) -> None:
    other = company_maker("OTHER", requests_per_second=1)
    limited.get("/mawbs")
    other.get("/mawbs")
    Bucket.objects.filter(key=limited.company.pk).update(kept_until=1)
    call_command("sweep_files", dry_run=True)
    assert Bucket.objects.count() == 2
    call_command("sweep_files")
    assert Bucket.objects.get().key == str(other.company.pk)
