"""Guessing passwords: ten refused attempts a minute an address, a browser's own beside them, two hashes at once."""

import re
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import reverse

from base.buckets import forget_idle
from base.http.requests import client_address
from base.models import Bucket
from companies.errors import PasswordsBusy
from companies.limits import attempts
from tests.companies.admin_pages import text_of
from tests.companies.operators.hashing import count_hashes
from tests.companies.operators.tokens.speaking import ask_for_token
from tests.conftest import Caller

pytestmark = pytest.mark.django_db

PASSWORD = "correct-horse-battery"
LOGIN = reverse("admin:login")
MOST = attempts.MOST_REFUSED
ELSEWHERE = "198.51.100.7"


@pytest.fixture(autouse=True)
def clock(settings: Any) -> Any:
    """The time of a test stands still."""
    settings.ADMIN_SECOND_FACTOR = False
    with time_machine.travel(time.time(), tick=False) as clock:
        yield clock


@pytest.fixture(autouse=True)
def olga() -> User:
    return User.objects.create_superuser("olga", password=PASSWORD)


def login(username: str = "olga", password: str = "wrong", browser: Client | None = None, **extra: Any) -> Any:  # noqa: S107  # an invented one
    return (browser or Client()).post(LOGIN, {"username": username, "password": password}, **extra)


def ask(username: str = "olga", password: str = "wrong", **extra: Any) -> Any:  # noqa: S107  # as above
    return ask_for_token(Client(**extra), username=username, password=password)


def guess(username: str = "olga", times: int = MOST, browser: Client | None = None, **extra: Any) -> list[int]:
    return [login(username, browser=browser, **extra).status_code for _ in range(times)]


@pytest.mark.parametrize("way", [login, ask])
def test_after_ten_refusals_an_address_waits_whatever_the_name_and_nothing_is_hashed(
    clock: Any, monkeypatch: pytest.MonkeyPatch, way: Callable[..., Any]
) -> None:
    names = ["olga", "nadia"] * (MOST // 2)
    assert MOST not in {way(name).status_code for name in names}
    clock.shift(15)
    with count_hashes(monkeypatch) as rounds:
        refused = [way(name, password) for name in ("olga", "nadia") for password in ("wrong", PASSWORD)]
    assert rounds == []
    assert {(answer.status_code, answer["Retry-After"]) for answer in refused} == {(429, "45")}
    assert {way(password=PASSWORD, REMOTE_ADDR=ELSEWHERE).status_code} <= {200, 302}
    clock.shift(45)
    assert way(password=PASSWORD).status_code in {200, 302}


def test_the_form_and_the_api_count_together() -> None:
    guess(times=MOST - 1)
    assert ask().status_code == 401
    assert (login(password=PASSWORD).status_code, ask(password=PASSWORD).json()["error"]) == (429, "rate_limited")


def test_what_is_not_refused_does_not_count() -> None:
    guess(times=MOST - 1)
    assert {login(password=PASSWORD).status_code for _ in range(MOST + 1)} == {302}
    assert guess(times=2) == [200, 429]


def test_a_network_of_ipv6_is_one_address() -> None:
    for number in range(MOST):
        login(REMOTE_ADDR=f"2001:db8:0:a::{number}")
    assert login(password=PASSWORD, REMOTE_ADDR="2001:db8:0:a:ffff::1").status_code == 429
    assert login(password=PASSWORD, REMOTE_ADDR="2001:db8:0:b::1").status_code == 302


def without_what_changes(page: str, username: str) -> str:
    return re.sub(r'csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"', "", page).replace(username, "")


def test_no_answer_reveals_whether_there_is_such_a_user() -> None:
    known, unknown = login("olga"), login("nadia")
    assert known.status_code == unknown.status_code == 200
    assert without_what_changes(text_of(known), "olga") == without_what_changes(text_of(unknown), "nadia")


def test_the_companies_api_knows_nothing_of_it(acme: Caller) -> None:
    guess(acme.company.client_code, MOST + 1)
    assert acme.get("/mawbs").status_code == 200
    wrong = Caller(acme.company, "pa_live_" + "0" * 49)
    assert {wrong.get("/mawbs").status_code for _ in range(MOST + 1)} == {401}


def test_buckets_go_after_an_hour(clock: Any) -> None:
    guess(times=1)
    clock.shift(3599)
    assert (forget_idle(), Bucket.objects.count()) == (0, 1)
    clock.shift(2)
    assert (forget_idle(), Bucket.objects.count()) == (1, 0)


def test_the_present_password_is_not_guessed_on_the_page_that_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Client()
    login(password=PASSWORD, browser=browser)
    browser.cookies.pop(attempts.COOKIE)
    form = {"old_password": "wrong", "new_password1": "x" * 15, "new_password2": "x" * 15}
    answers = [browser.post(reverse("admin:password_change"), form).status_code for _ in range(MOST)]
    with count_hashes(monkeypatch) as rounds:
        answers.append(browser.post(reverse("admin:password_change"), form).status_code)
    assert (answers, rounds) == ([200] * MOST + [429], [])


# --- browsers that have logged in before ----------------------------------------------------------------------------


@pytest.fixture
def known() -> Client:
    """olga's browser, logged out again."""
    browser = Client()
    assert login(password=PASSWORD, browser=browser).status_code == 302
    browser.post(reverse("admin:logout"))
    return browser


def test_others_at_its_address_do_not_use_up_a_browsers_attempts(known: Client) -> None:
    User.objects.create_superuser("rita", password=PASSWORD)
    guess()
    assert login("rita", PASSWORD, known).status_code == 429  # who has not logged in with it
    assert guess(browser=known) == [200] * MOST
    assert login(password=PASSWORD, browser=known).status_code == 429
    assert login(password=PASSWORD, REMOTE_ADDR=ELSEWHERE).status_code == 302


def test_a_browser_is_known_for_ninety_days_and_by_our_signature(known: Client, clock: Any) -> None:
    cookie = known.cookies[attempts.COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/admin/")
    forged = Client()
    forged.cookies[attempts.COOKIE] = cookie.value[:-2] + "xx"
    guess()
    assert login(password=PASSWORD, browser=forged).status_code == 429
    clock.shift(90 * 24 * 3600 - 60)
    guess()
    assert login(password=PASSWORD, browser=known).status_code == 302
    known.cookies[attempts.COOKIE] = cookie.value
    clock.shift(120)
    guess()
    assert login(password=PASSWORD, browser=known).status_code == 429


# --- how many at once -------------------------------------------------------------------------------------------


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`hold(network)`: a place in use for as long as the test lasts."""
    monkeypatch.setattr(attempts, "WAIT_SECONDS", 0.01)
    with ExitStack() as stack:
        yield lambda network: stack.enter_context(attempts._LINE.place(attempts._Turn(network, (False, 0))))


@pytest.mark.parametrize("networks", [["127.0.0.1"], ["192.0.2.1", "192.0.2.2"]])
def test_without_a_place_the_password_is_not_looked_at_and_nothing_counts(
    hold: Callable[[str], Any], networks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for network in networks:
        hold(network)
    with count_hashes(monkeypatch) as rounds:
        pages = [login(password=PASSWORD) for _ in range(MOST + 1)]
        answer = ask(password=PASSWORD)
    assert rounds == []
    assert {(page.status_code, page["Retry-After"]) for page in pages} == {(503, "2")}
    assert "Your password was not checked" in text_of(pages[0])
    assert (answer.status_code, answer.json()["error"], answer["Retry-After"]) == (503, "unavailable", "2")
    elsewhere = login(password=PASSWORD, REMOTE_ADDR=ELSEWHERE).status_code
    assert elsewhere == (302 if len(networks) == 1 else 503)


def test_the_line_is_short_and_who_was_refused_least_comes_first() -> None:
    line, began, release = attempts._Line(), [], threading.Event()
    ends: dict[str, str] = {}

    def come(name: str, standing: tuple[bool, int]) -> threading.Thread:
        def wait() -> None:
            try:
                with line.place(attempts._Turn(name, standing)):
                    began.append(name)
                    release.wait(60)
            except PasswordsBusy:
                ends[name] = "busy"

        thread = threading.Thread(target=wait)
        thread.start()
        while thread.is_alive() and name not in [*began, *(turn.network for turn in line._waiting)]:
            time.sleep(0.001)
        return thread

    threads = [come(f"guesser {number}", (False, -number)) for number in range(5)]
    threads.append(come("honest", (False, 0)))
    threads.append(come("known browser", (True, -8)))
    assert began == ["guesser 0", "guesser 1"]
    assert [turn.network for turn in line._waiting] == ["known browser", "honest"]
    release.set()
    for thread in threads:
        thread.join(60)
    assert began[2:] in (["known browser", "honest"], ["honest", "known browser"])
    assert ends == {f"guesser {number}": "busy" for number in (2, 3, 4)}


def test_an_address_that_was_refused_or_turned_away_within_the_hour_stands_behind_others(
    hold: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, clock: Any
) -> None:
    turns: list[attempts._Turn] = []
    place = attempts._LINE.place

    def noted(turn: attempts._Turn) -> Any:
        turns.append(turn)
        return place(turn)

    monkeypatch.setattr(attempts._LINE, "place", noted)
    guess(times=3)
    clock.shift(3000)
    guess(times=1)
    hold("127.0.0.1")
    guess(times=2)
    login(password=PASSWORD, REMOTE_ADDR=ELSEWHERE)
    assert [turn.standing for turn in turns] == [(False, -refused) for refused in (0, 1, 2, 3, 0, 4, 5, 0)]


# --- from where ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, None, "10.0.0.1"),
        (0, "203.0.113.5", "10.0.0.1"),  # not written by our own proxies
        (1, None, "10.0.0.1"),
        (1, "203.0.113.5", "203.0.113.5"),
        (1, "6.6.6.6, 203.0.113.5", "203.0.113.5"),  # the left one came with the request
        (1, "6.6.6.6,7.7.7.7,203.0.113.5", "203.0.113.5"),
        (1, "203.0.113.5, nonsense", "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (2, "6.6.6.6, 203.0.113.5, 10.0.0.2", "203.0.113.5"),
        (2, "203.0.113.5", "10.0.0.1"),
        (1, "2001:db8::1", "2001:db8::1"),
    ],
)
def test_only_what_our_own_proxies_wrote_is_believed(
    settings: Any, proxies: int, forwarded: str | None, address: str
) -> None:
    settings.PROXIES_IN_FRONT = proxies
    headers: Any = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    assert client_address(RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", **headers)) == address


def test_a_local_socket_has_no_address() -> None:
    assert client_address(RequestFactory().get("/", REMOTE_ADDR="")) is None


def test_an_invented_address_does_not_get_around_the_limit(settings: Any) -> None:
    settings.PROXIES_IN_FRONT = 1
    for number in range(MOST + 1):
        answer = login(headers={"x-forwarded-for": f"6.6.6.{number}, 203.0.113.5"})
    assert answer.status_code == 429


def test_the_log_holds_no_name_and_no_password(caplog: pytest.LogCaptureFixture) -> None:
    guess("my-password-typed-as-a-name", MOST + 1)
    assert "127.0.0.1" in caplog.text
    assert "my-password" not in caplog.text
    assert "my-password" not in str(list(Bucket.objects.values()))
