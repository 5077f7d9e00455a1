"""Tokens of the operators' API: who gets one, what it opens, and when it dies."""

import base64
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import jwt
import pytest
import time_machine
from auditlog.models import LogEntry
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base.buckets import BURST_SECONDS
from base.models import Bucket
from companies.limits.attempts import MOST_REFUSED
from companies.limits.bucket import OPERATORS_RATE
from companies.models import OperatorAccess, OperatorProfile, OperatorSession
from companies.operators import second_factor
from companies.operators.password_gate import require_change
from companies.operators.tokens import sessions
from companies.operators.tokens.sessions import MOST_TOKENS
from tests.companies.operators.authenticators import PASSWORD, code_of, enrolled
from tests.companies.operators.hashing import count_hashes
from tests.companies.operators.tokens.speaking import (
    BASE,
    Program,
    ask_for_token,
    machine,
    person,
    program,
    program_of,
    token_of_machine,
)
from tests.conftest import Caller

pytestmark = pytest.mark.django_db
LOGIN = reverse("admin:login")


@pytest.fixture(autouse=True)
def _one_factor(settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False


@pytest.fixture
def olga() -> User:
    return person("olga", "CL", "PE")


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json().get("error", "")


# --- getting one --------------------------------------------------------------------------------------------------


def test_a_person_gets_a_token_and_is_told_who_they_are(olga: User) -> None:
    answer = ask_for_token()
    assert answer.status_code == 200
    assert {**answer.json(), "access_token": ""} == {
        "success": True, "access_token": "", "token_type": "Bearer", "expires_in": 28_800,
    }  # fmt: skip
    me = Program(answer.json()["access_token"]).get("/me").json()
    assert {name: me[name] for name in ("username", "kind", "roles", "countries")} == {
        "username": "olga", "kind": "person", "roles": ["Operations"], "countries": ["CL", "PE"],
    }  # fmt: skip
    assert "shipments.change_guide" in me["permissions"]
    assert me["expires_at"].endswith("Z")
    assert LogEntry.objects.filter(actor=olga, action=LogEntry.Action.ACCESS).count() == 1


@pytest.mark.parametrize("way", ["json", "form", "basic"])
def test_a_machine_gets_a_token_in_each_way_of_rfc_6749(way: str) -> None:
    access, secret = machine("counter-2")
    fields = {"grant_type": "client_credentials", "scope": "anything", "audience": "ignored"}
    own = {"client_id": access.client_id, "client_secret": secret}
    client = Client()
    if way == "json":
        answer: Any = token_of_machine(access, secret, scope="anything")
    elif way == "form":
        body = "&".join(f"{name}={value}" for name, value in {**fields, **own}.items())
        answer = client.generic("POST", f"{BASE}/tokens", body, "application/x-www-form-urlencoded")
    else:
        basic = base64.b64encode(f"{access.client_id}:{secret}".encode()).decode()
        body = "&".join(f"{name}={value}" for name, value in fields.items())
        form = "application/x-www-form-urlencoded"
        answer = client.generic("POST", f"{BASE}/tokens", body, form, headers={"Authorization": f"Basic {basic}"})
    assert answer.status_code == 200, answer.content
    assert answer.json()["expires_in"] == 3_600
    me = Program(answer.json()["access_token"]).get("/me").json()
    assert (me["username"], me["kind"], me["countries"]) == ("access:counter-2", "machine", None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "grant_type"),
        ({"grant_type": "magic"}, "grant_type"),
        ({"grant_type": ["password"]}, "grant_type"),
        ({"grant_type": "password", "password": "x"}, "username"),
        ({"grant_type": "password", "username": "olga", "password": 1}, "password"),
        ({"grant_type": "password", "username": "olga", "password": "x", "otp": {}}, "otp"),
        ({"grant_type": "client_credentials", "client_id": "oa_1"}, "client_secret"),
    ],
)
def test_a_request_that_lacks_something_says_what(body: dict[str, Any], field: str) -> None:
    import json  # noqa: PLC0415  # kept beside its only use

    answer = Client().generic("POST", f"{BASE}/tokens", json.dumps(body), "application/json")
    assert refused(answer) == (400, "validation_failed")
    assert [*answer.json()["details"]] == [field]
    is_unsupported = body.get("grant_type") == "magic"
    assert answer.json()["oauth_error"] == ("unsupported_grant_type" if is_unsupported else "invalid_request")
    assert answer.json()["error_description"] == answer.json()["message"]


def test_a_body_that_cannot_be_read_has_the_name_of_rfc_6749_too() -> None:
    answer = Client().generic("POST", f"{BASE}/tokens", "{", "application/json")
    assert refused(answer) == (400, "invalid_body")
    assert answer.json()["oauth_error"] == "invalid_request"


# --- one voice ----------------------------------------------------------------------------------------------------


def test_every_wrong_credential_is_refused_alike_a_persons_as_slowly_and_a_machines_without_a_hash(
    olga: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ADMIN_SECOND_FACTOR = True
    enrolled(olga)
    closed = person("closed")
    User.objects.filter(pk=closed.pk).update(is_active=False)
    access, secret = machine("counter-2")
    ended, old = machine("counter-3")
    ended.end()
    persons: list[Callable[[], Any]] = [
        lambda: ask_for_token(password="wrong"),
        lambda: ask_for_token(username="nobody"),
        ask_for_token,
        lambda: ask_for_token(otp="000000"),
        lambda: ask_for_token(username="closed"),
        lambda: ask_for_token(username=access.user.get_username()),
    ]
    machines: list[Callable[[], Any]] = [
        lambda: token_of_machine(ended, old),
        lambda: token_of_machine(access, old),
        lambda: token_of_machine(access, "x"),
        lambda: token_of_machine(OperatorAccess(pk=99), secret),
        lambda: token_of_machine(OperatorAccess(pk=10**30), secret),
    ]
    with count_hashes(monkeypatch) as rounds:
        answers = [way() for way in persons]
        assert len(rounds) == len(persons)
        answers += [*(way() for way in machines), token_of_machine(access, secret)]
        assert len(rounds) == len(persons)
    *refusals, right = answers
    said = [{**answer.json(), "oauth_error": ""} for answer in refusals]
    assert [each for each in said if each != said[0]] == []
    names = [answer.json()["oauth_error"] for answer in refusals]
    assert names == ["invalid_grant"] * len(persons) + ["invalid_client"] * len(machines)
    assert {refused(answer) for answer in refusals} == {(401, "invalid_credentials")}
    assert right.status_code == 200


def test_what_a_machine_gets_wrong_leaves_people_at_its_address_their_attempts(olga: User) -> None:
    access, _secret = machine()
    assert {token_of_machine(access, "x").status_code for _ in range(MOST_REFUSED + 1)} == {401}
    assert program_of(olga).get("/me").status_code == 200


def test_wrong_and_missing_codes_count_as_refused_attempts(olga: User, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = True
    app = enrolled(olga)
    answers = [ask_for_token(otp=otp) for otp in ("000000", "") * (MOST_REFUSED // 2)]
    assert {refused(answer) for answer in answers} == {(401, "invalid_credentials")}
    limited = ask_for_token(otp=code_of(app))
    assert (refused(limited), 0 < int(limited["Retry-After"]) <= 60) == ((429, "rate_limited"), True)
    assert Client().post(LOGIN, {"username": "olga", "password": PASSWORD}).status_code == 429
    assert ask_for_token(Client(REMOTE_ADDR="203.0.113.9"), otp=code_of(app)).status_code == 200
    assert ask_for_token(Client(REMOTE_ADDR="203.0.113.9"), otp=code_of(app)).status_code == 401  # each code once


@pytest.mark.usefixtures("olga")
def test_ten_tokens_a_minute_are_issued_to_a_person_or_an_access(monkeypatch: pytest.MonkeyPatch) -> None:
    access, secret = machine()
    other, its_own = machine("counter-3")
    person("rita")
    with time_machine.travel(time.time(), tick=False) as clock:
        ways: list[Callable[[], Any]] = [ask_for_token, lambda: token_of_machine(access, secret)]
        for ask in ways:
            tokens = {ask().json()["access_token"] for _ in range(MOST_TOKENS // 2)}
            clock.shift(20)
            tokens |= {ask().json()["access_token"] for _ in range(MOST_TOKENS // 2)}
            assert len(tokens) == MOST_TOKENS
            with count_hashes(monkeypatch) as rounds:
                limited = ask()
            assert (refused(limited), limited["Retry-After"], rounds) == ((429, "rate_limited"), "40", [])
            assert {Program(token).get("/me").status_code for token in tokens} == {200}
            clock.shift(40)
            assert ask().status_code == 200
        assert ask_for_token(username="rita").status_code == 200
        assert token_of_machine(other, its_own).status_code == 200


def test_recovery_codes_count(olga: User, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = True
    enrolled(olga)
    (code, *_others) = second_factor.renew_recovery_codes(olga)
    assert [ask_for_token(otp=code).status_code for _ in range(2)] == [200, 401]


def test_what_must_first_be_done_in_the_admin_is_said_after_a_right_password_only(olga: User, settings: Any) -> None:
    require_change(olga)
    assert ask_for_token().json()["reason"] == "password_change_required"
    settings.ADMIN_SECOND_FACTOR = True
    answer = ask_for_token()
    assert (refused(answer), answer.json()["reason"]) == ((403, "forbidden"), "second_factor_not_enrolled")
    assert refused(ask_for_token(password="wrong")) == (401, "invalid_credentials")


# --- what a token opens -------------------------------------------------------------------------------------------


def test_a_token_is_needed_and_a_companys_password_is_none(olga: User, acme: Caller) -> None:
    assert refused(Client().get(f"{BASE}/me")) == (401, "missing_token")
    for header in ("Basic b2E6eA==", "Bearer", "Bearer a b"):
        assert refused(Client().get(f"{BASE}/me", headers={"Authorization": header})) == (401, "missing_token")
    assert refused(Program(acme.password).get("/me")) == (401, "invalid_token")
    own = program_of(olga).token
    answer = acme.client.get("/api/public/pre-alerts/v1/mawbs", headers={"Authorization": f"Bearer {own}"})
    assert refused(answer) == (401, "invalid_api_key")


FORGERIES: dict[str, Callable[[dict[str, Any], bytes], str]] = {
    "none": lambda claims, _key: jwt.encode(claims, "", algorithm="none"),
    "another key": lambda claims, key: jwt.encode(claims, key[::-1], algorithm="HS256"),
    "the secret itself": lambda claims, _key: jwt.encode(claims, "s" * 50, algorithm="HS256"),
    "another algorithm": lambda claims, key: jwt.encode(claims, key * 2, algorithm="HS512"),
    "another audience": lambda claims, key: jwt.encode({**claims, "aud": "clients"}, key, algorithm="HS256"),
    "another issuer": lambda claims, key: jwt.encode({**claims, "iss": "others"}, key, algorithm="HS256"),
    "another subject": lambda claims, key: jwt.encode({**claims, "sub": "0"}, key, algorithm="HS256"),
    "a subject that is no number": lambda claims, key: jwt.encode({**claims, "sub": "olga"}, key, algorithm="HS256"),
    "a huge subject": lambda claims, key: jwt.encode({**claims, "sub": "9" * 5_000}, key, algorithm="HS256"),
    "a session that is no UUID": lambda claims, key: jwt.encode({**claims, "sid": "x"}, key, algorithm="HS256"),
    "a session that is a list": lambda claims, key: jwt.encode({**claims, "sid": [1]}, key, algorithm="HS256"),
    "expired": lambda claims, key: jwt.encode({**claims, "exp": 1}, key, algorithm="HS256"),
    "not a token": lambda _claims, _key: "a.b.c",
    "not ASCII": lambda _claims, _key: "é" * 20,
}


@pytest.mark.parametrize("claim", ["iss", "aud", "sub", "sid", "iat", "exp"])
def test_a_token_without_one_of_its_claims_opens_nothing(olga: User, settings: Any, claim: str) -> None:
    claims = jwt.decode(program_of(olga).token, options={"verify_signature": False})
    del claims[claim]
    forged = jwt.encode(claims, sessions._key(settings.SECRET_KEY), algorithm="HS256")
    assert refused(Program(forged).get("/me")) == (401, "invalid_token")


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_token_opens_nothing(olga: User, settings: Any, forgery: str) -> None:
    token = program_of(olga).token
    claims = jwt.decode(token, options={"verify_signature": False})
    forged = FORGERIES[forgery](claims, sessions._key(settings.SECRET_KEY))
    assert refused(Program(forged).get("/me")) == (401, "invalid_token")
    assert Program(token).get("/me").status_code == 200


def test_a_token_outlives_a_secret_key_that_is_kept_as_a_fallback_and_no_other(olga: User, settings: Any) -> None:
    own = program_of(olga)
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another-" + "k" * 50
    settings.SECRET_KEY_FALLBACKS = [former]
    assert own.get("/me").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert own.get("/me").status_code == 401


# --- when it dies -------------------------------------------------------------------------------------------------


def _deactivate(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def _change_password(user: User) -> None:
    user.set_password("another-horse-battery")
    user.save()


ENDS: dict[str, Callable[[User], object]] = {
    "password changed": _change_password,
    "second factor reset": second_factor.reset,
    "deactivated": _deactivate,
    "no longer staff": lambda user: User.objects.filter(pk=user.pk).update(is_staff=False),
    "session ended": lambda user: OperatorSession.objects.filter(user=user).end(),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_persons_token_dies(olga: User, end: str) -> None:
    own, other = program_of(olga), program_of(person("rita"))
    ENDS[end](olga)
    assert refused(own.get("/me")) == (401, "invalid_token")
    assert other.get("/me").status_code == 200


def test_a_token_is_given_back_and_no_other(olga: User) -> None:
    own, second = program_of(olga), program_of(olga)
    answer = own.ask("DELETE", "/tokens/current")
    assert (answer.status_code, answer.content) == (204, b"")
    assert own.get("/me").status_code == 401
    assert second.get("/me").status_code == 200


def test_a_persons_token_ends_by_idling_and_by_age_a_machines_by_age(olga: User) -> None:
    with time_machine.travel(time.time(), tick=False) as clock:
        own, counter = program_of(olga), program("counter-2")
        clock.shift(29 * 60)
        assert own.get("/me").status_code == 200
        clock.shift(30 * 60 - 1)
        assert own.get("/me").status_code == 200
        assert counter.get("/me").status_code == 200
        clock.shift(2 * 60)
        assert counter.get("/me").status_code == 401
        clock.shift(29 * 60)
        assert own.get("/me").status_code == 401


def test_a_token_of_eight_hours_that_is_used_all_day_ends(olga: User) -> None:
    with time_machine.travel(time.time(), tick=False) as clock:
        own = program_of(olga)
        seen = []
        for _quarter in range(33):
            clock.shift(15 * 60)
            seen.append(own.get("/me").status_code)
    assert seen == [200] * 31 + [401] * 2


def test_ending_expiring_or_renewing_an_access_ends_its_live_tokens() -> None:
    with time_machine.travel(time.time(), tick=False) as clock:
        for number, end in enumerate(("end", "renew", "expire")):
            access, secret = machine(f"counter-{number}")
            own = Program(token_of_machine(access, secret).json()["access_token"])
            assert own.get("/me").status_code == 200
            if end == "end":
                access.end()
            elif end == "renew":
                access.set_new_secret()
                access.save()
            else:
                OperatorAccess.objects.filter(pk=access.pk).update(expires_at=timezone.now() + timedelta(seconds=5))
                clock.shift(6)
            assert own.get("/me").status_code == 401
            assert token_of_machine(access, secret).status_code == 401


def test_a_token_ends_with_its_access_if_that_is_sooner() -> None:
    access, secret = machine()
    OperatorAccess.objects.update(expires_at=timezone.now() + timedelta(minutes=10))
    assert 590 <= token_of_machine(access, secret).json()["expires_in"] <= 600


def test_a_role_and_a_country_that_are_taken_away_count_at_the_next_call(olga: User) -> None:
    own = program_of(olga)
    olga.groups.set(Group.objects.filter(name="Read-only"))
    OperatorProfile.objects.filter(user=olga).update(countries=["PE"])
    me = own.get("/me").json()
    assert (me["roles"], me["countries"]) == (["Read-only"], ["PE"])
    assert "shipments.change_guide" not in me["permissions"]


def test_the_use_of_a_session_is_written_once_a_minute(olga: User) -> None:
    own = program_of(olga)
    own.get("/me")
    first = OperatorSession.objects.get().last_used_at
    with time_machine.travel(time.time() + 30, tick=False):
        own.get("/me")
    assert OperatorSession.objects.get().last_used_at == first
    with time_machine.travel(time.time() + 70, tick=False):
        own.get("/me")
    assert OperatorSession.objects.get().last_used_at != first


def test_old_sessions_are_swept(olga: User) -> None:
    with time_machine.travel(time.time() - 31 * 24 * 3600, tick=False):
        program_of(olga)
    kept = program_of(olga)
    call_command("sweep_files")
    assert OperatorSession.objects.count() == 1
    assert kept.get("/me").status_code == 200


# --- the way through ----------------------------------------------------------------------------------------------


def test_a_person_has_ten_requests_a_second_and_a_hundred_at_once(olga: User) -> None:
    with time_machine.travel(time.time(), tick=False) as clock:
        own, other = program_of(olga), program_of(person("rita"))
        second = program_of(olga)
        burst = OPERATORS_RATE * BURST_SECONDS
        assert {own.get("/me").status_code for _ in range(burst)} == {200}
        limited = second.get("/me")  # another session of the same person
        assert (refused(limited), limited["Retry-After"]) == ((429, "rate_limited"), "1")
        assert other.get("/me").status_code == 200
        clock.shift(1)
        assert second.get("/me").status_code == 200


def test_nginx_asks_about_a_token_without_drawing_on_the_operators_limit(olga: User) -> None:
    own = program_of(olga)
    asked: Any = own.client.get("/internal/token", headers={"Authorization": f"Bearer {own.token}"})
    assert (asked.status_code, asked["X-Sender"]) == (204, f"operator {olga.pk}")
    assert not Bucket.objects.filter(kind="operator").exists()
    for header, code in (("Bearer x", "invalid_token"), ("", "missing_token")):
        asked = own.client.get("/internal/token", headers={"Authorization": header})
        assert (asked.status_code, asked["X-Error-Code"]) == (401, code)


def test_no_script_of_another_origin_reads_the_operators_api(olga: User, acme: Caller) -> None:
    answers = [
        program_of(olga).get("/me", headers={"Origin": "https://elsewhere.example.com"}),
        Client().get("/API/operators/v1/nowhere"),
        Client().options(
            f"{BASE}/me", headers={"Origin": "https://e.example.com", "Access-Control-Request-Method": "GET"}
        ),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 401]
    assert [name for answer in answers for name in answer.headers if name.startswith("Access-Control")] == []
    assert {answer["Cache-Control"] for answer in answers} == {"no-store"}
    assert not hasattr(answers[0].wsgi_request, "session")
    assert acme.get("/mawbs")["Access-Control-Allow-Origin"] == "*"


def test_accesses_and_their_ends_are_in_the_audit_log() -> None:
    access, _secret = machine()
    access.set_new_secret()
    access.save()
    access.end()
    entries = LogEntry.objects.filter(object_repr=access.name).order_by("id")
    assert [sorted(entry.changes) for entry in entries][1:] == [["secret_set_at"], ["expires_at"]]
    assert access.secret_digest not in str([entry.changes for entry in entries])
