"""A provider that lies, hangs or is away: a page in words, nobody in, nobody locked out, and never a 500."""

import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from django.contrib.auth.models import User
from django.test import Client

from companies.sso import provider as asking
from tests.companies.admin_pages import is_in
from tests.companies.sso.logging_in import CALLBACK, LOGIN, bound, said, who
from tests.companies.sso.lying import (
    CLIENT,
    SECRET,
    THEIRS,
    LyingProvider,
    as_json,
    forged_with_the_public_key,
    jwk_of,
    signed,
)

pytestmark = pytest.mark.django_db

METADATA = "/.well-known/openid-configuration"


@pytest.fixture
def browser() -> Client:
    return Client(raise_request_exception=False)


def log_in(liar: LyingProvider, browser: Client) -> Any:
    begun = browser.get(LOGIN)
    return browser.get(CALLBACK, liar.authorize(begun["Location"])) if begun.status_code == 302 else begun


def refused(liar: LyingProvider, browser: Client) -> int:
    """The status of a login that lets nobody in, though the provider says that it is the superuser."""
    bound("chief", "u-1", liar.issuer, is_superuser=True)
    answer = log_in(liar, browser)
    assert not is_in(browser)
    assert "/admin/login/" in said(answer)
    return int(answer.status_code)


def test_a_provider_that_does_not_lie_is_believed(liar: LyingProvider, browser: Client) -> None:
    """The fake itself checks PKCE and the client's secret."""
    assert log_in(liar, browser).status_code == 302
    assert is_in(browser)
    assert liar.request["code_challenge_method"] == "S256"
    assert liar.request["scope"] == "openid profile email"
    assert len(liar.request["nonce"]) == len(liar.request["state"]) == 32
    assert "client_secret" not in liar.forms[0]


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": 1_700_000_000}, {"exp": None}, {"exp": "soon"}, {"exp": float("inf")}, {"exp": []},
        {"iat": None}, {"iat": 1_700_000_000}, {"iat": 9_999_999_999}, {"nbf": 9_999_999_999},
        {"iss": "https://evil.example.com"}, {"iss": None}, {"iss": ["x"]},
        {"aud": "somebody-else"}, {"aud": None}, {"aud": []}, {"aud": {"a": 1}}, {"aud": [CLIENT, "other"]},
        {"aud": [CLIENT, "other"], "azp": "other"}, {"azp": "other"},
        {"nonce": None}, {"nonce": "of-another-login"}, {"nonce": 7}, {"nonce": "ñ"},
        {"sub": None}, {"sub": ""}, {"sub": 5}, {"sub": "a\0b"}, {"sub": "\ud800"}, {"sub": "x" * 256},
    ],
    ids=str,
)  # fmt: skip
def test_a_token_with_a_wrong_claim_lets_nobody_in(liar: LyingProvider, browser: Client, claims: Any) -> None:
    liar.claims = claims
    assert refused(liar, browser) == 403


def test_a_token_that_its_provider_dates_a_few_minutes_back_is_believed(liar: LyingProvider, browser: Client) -> None:
    liar.claims = {"iat": int(time.time()) - 300}
    log_in(liar, browser)
    assert is_in(browser)


def several_audiences(claims: dict[str, Any]) -> dict[str, Any]:
    return {**claims, "aud": [CLIENT, "other"], "azp": CLIENT}


def test_a_token_for_several_says_which_of_them_it_was_made_for(liar: LyingProvider, browser: Client) -> None:
    liar.claims = several_audiences({})
    log_in(liar, browser)
    assert is_in(browser)


@pytest.mark.parametrize(
    "sign",
    [
        lambda claims: jwt.encode(claims, "", algorithm="none"),
        lambda claims: jwt.encode(claims, "", algorithm="none", headers={"kid": "one"}),
        lambda claims: jwt.encode(claims, SECRET.ljust(32, "."), algorithm="HS256", headers={"kid": "one"}),
        forged_with_the_public_key,
        lambda claims: jwt.encode(claims, THEIRS, algorithm="RS256", headers={"kid": "one"}),
        lambda claims: jwt.encode(claims, THEIRS, algorithm="RS256", headers={"kid": "unknown"}),
        lambda claims: jwt.encode(claims, THEIRS, algorithm="RS256"),
        lambda claims: signed(claims)[:-8] + "AAAAAAAA",
        lambda claims: signed(claims).rpartition(".")[0] + ".",
        lambda claims: signed(claims) + ".x",
        lambda _claims: "",
        lambda _claims: "....",
        lambda _claims: "e30.e30.e30",
        lambda _claims: "no token at all",
    ],
)  # fmt: skip
def test_a_forged_or_malformed_token_lets_nobody_in(
    liar: LyingProvider, browser: Client, sign: Callable[[dict[str, Any]], str]
) -> None:
    liar.sign = sign
    assert refused(liar, browser) == 403


def test_a_token_of_another_login_is_not_believed_again(liar: LyingProvider, browser: Client) -> None:
    log_in(liar, browser)
    replayed = signed(liar.id_token())
    liar.sign = lambda _claims: replayed
    other = Client(raise_request_exception=False)
    assert log_in(liar, other).status_code == 403
    assert not is_in(other)


@pytest.mark.parametrize(
    "keys",
    [
        [], [5], [{}], [{"kid": "one"}], [{"kid": "one", "kty": "RSA"}], [{"kid": "one", "kty": "EC", "crv": "P-0"}],
        [{"kid": "one", "kty": "RSA", "n": "AQ", "e": "AQ"}], [{"kid": "one", "kty": "oct", "k": "AAAA"}],
        [{**jwk_of(THEIRS, "one"), "alg": "PS256"}],
    ],
    ids=("none", "number", "empty", "no-type", "no-numbers", "no-curve", "tiny", "symmetric", "other-algorithm"),
)  # fmt: skip
def test_keys_that_are_none_let_nobody_in(liar: LyingProvider, browser: Client, keys: Any) -> None:
    liar.keys = keys
    assert refused(liar, browser) in {403, 502}


def test_a_new_key_of_the_provider_is_asked_for_at_once(liar: LyingProvider, browser: Client) -> None:
    log_in(liar, browser)
    liar.keys = [jwk_of(THEIRS, "two")]
    liar.sign = lambda claims: jwt.encode(claims, THEIRS, algorithm="RS256", headers={"kid": "two"})
    other = Client()
    log_in(liar, other)
    assert is_in(other)
    assert liar.asked.count("/keys") == 2


def test_what_the_provider_publishes_is_kept_for_ten_minutes(
    liar: LyingProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        log_in(liar, Client())
    assert (liar.asked.count(METADATA), liar.asked.count("/keys"), liar.asked.count("/userinfo")) == (1, 1, 3)
    later = time.time() + 601
    monkeypatch.setattr("django.core.cache.backends.locmem.time.time", lambda: later)
    asking.keys()
    assert (liar.asked.count(METADATA), liar.asked.count("/keys")) == (2, 2)


def test_userinfo_adds_claims_but_never_another_persons_nor_against_the_token(
    liar: LyingProvider, browser: Client
) -> None:
    liar.claims = {"groups": None}
    liar.userinfo = {"groups": ["readers", "pe"], "name": "Ana"}
    log_in(liar, browser)
    assert (who(browser).first_name, who(browser).operator_profile.countries) == ("Ana", ["PE"])
    liar.claims = {"groups": ["ops", "cl"]}
    log_in(liar, browser)
    assert who(browser).operator_profile.countries == ["CL"]
    liar.userinfo = {"sub": "u-2"}
    other = Client()
    assert log_in(liar, other).status_code == 403
    assert not is_in(other)


def test_names_are_stored_as_a_page_can_show_them(liar: LyingProvider, browser: Client) -> None:
    liar.claims = {"given_name": "Ana\0\u202e\n", "family_name": "x" * 400, "email": "no mail", "email_verified": True}
    log_in(liar, browser)
    assert (who(browser).first_name, who(browser).last_name, who(browser).email) == ("Ana", "x" * 150, "")


NO_ANSWERS: list[tuple[Any, int]] = [
    (as_json({}, 500), 503), (as_json([]), 502), (as_json({}, 503), 503), (as_json({}, 429), 503),
    (as_json({}, 404), 502), ((302, b"http://127.0.0.1:1/"), 502), ((200, b"<html>"), 502), ((200, b""), 502),
    ((200, b"\xff"), 502), ((200, b"[" * 100_000), 502), ((200, b"x" * 300_000), 502), (as_json(None), 502),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "answer", "status"),
    [(path, *row) for path in ("/token", METADATA, "/keys", "/userinfo")
     for row in (NO_ANSWERS if path == "/token" else NO_ANSWERS[:2])],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_an_answer_that_is_none_is_a_page_in_words(
    liar: LyingProvider, browser: Client, path: str, answer: Any, status: int
) -> None:
    liar.answers[path] = lambda: answer
    assert refused(liar, browser) == status


def test_a_code_that_is_worth_nothing_and_a_client_that_is_not_known_there_differ(
    liar: LyingProvider, browser: Client
) -> None:
    bound("chief", "u-1", liar.issuer)
    for error, status in (("invalid_grant", 403), ("invalid_client", 502)):
        liar.answers["/token"] = lambda error=error: as_json({"error": error}, 400)  # type: ignore[misc]  # a default
        assert log_in(liar, browser).status_code == status


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example.com"}, {"issuer": None}, {"token_endpoint": "http://evil.example.com/"},
        {"token_endpoint": "http://localhost/"}, {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": "file:///etc/passwd"}, {"jwks_uri": "https://["}, {"userinfo_endpoint": "ftp://x/"},
        {"authorization_endpoint": 5}, {"token_endpoint_auth_methods_supported": "client_secret_post"},
    ],
    ids=str,
)  # fmt: skip
def test_metadata_that_leads_elsewhere_is_not_followed(liar: LyingProvider, browser: Client, metadata: Any) -> None:
    liar.metadata = metadata
    assert refused(liar, browser) == 502
    assert liar.asked == [METADATA]


@pytest.mark.parametrize("issuer", ["http://login.example.com", "http://localhost:9", "login.example.com", "https://["])
def test_an_issuer_without_https_is_not_asked(settings: Any, browser: Client, issuer: str) -> None:
    settings.OIDC_ISSUER = issuer
    assert browser.get(LOGIN).status_code == 502


def test_a_provider_that_is_away_is_said_and_passwords_work_on(settings: Any, browser: Client) -> None:
    User.objects.create_superuser("olga", password="correct-horse-battery")
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    answer = browser.get(LOGIN)
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert "does not answer" in said(answer)
    form = {"username": "olga", "password": "correct-horse-battery", "next": "/admin/"}
    assert browser.post("/admin/login/", form).status_code == 302


def test_a_provider_that_hangs_is_left_after_the_deadline(
    liar: LyingProvider, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "TOTAL_SECONDS", 0.2)

    def slowly() -> Any:
        time.sleep(1)
        return as_json({})

    liar.answers["/token"] = slowly
    assert refused(liar, browser) == 503


def test_twenty_refused_logins_lock_neither_the_address_nor_the_operator(liar: LyingProvider, browser: Client) -> None:
    User.objects.create_superuser("olga", password="correct-horse-battery")
    liar.claims = {"exp": 1}
    for _ in range(20):
        assert log_in(liar, browser).status_code == 403
    liar.claims = {}
    assert log_in(liar, browser).status_code == 302
    form = {"username": "olga", "password": "correct-horse-battery", "next": "/admin/"}
    assert Client().post("/admin/login/", form).status_code == 302


def test_the_roles_are_asked_for_as_a_scope_where_the_provider_has_one(liar: LyingProvider, browser: Client) -> None:
    liar.metadata = {"scopes_supported": ["openid", "groups"], "issuer": liar.issuer + "/"}
    liar.authorize(browser.get(LOGIN)["Location"])
    assert liar.request["scope"] == "openid profile email groups"
