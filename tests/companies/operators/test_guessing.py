"""Guessing passwords: locked by name and address, the same answer for everybody, lifted by an administrator."""

import time
from typing import Any

import pytest
import time_machine
from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.urls import reverse

from companies.admin_base.activity import act_in_words
from companies.requests import client_address
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller

pytestmark = pytest.mark.django_db

PASSWORD = "correct-horse-battery"
LOGIN = reverse("admin:login")
LIMIT = 5


@pytest.fixture
def olga() -> User:
    return User.objects.create_superuser("olga", password=PASSWORD)


def login(username: str = "olga", password: str = "wrong", **extra: Any) -> Any:  # noqa: S107  # an invented one
    return Client().post(LOGIN, {"username": username, "password": password}, **extra)


def guess(username: str = "olga", times: int = LIMIT, **extra: Any) -> Any:
    for _ in range(times):
        answer = login(username, **extra)
    return answer


@pytest.mark.usefixtures("olga")
def test_the_fifth_wrong_password_locks_and_then_the_right_one_is_refused_too() -> None:
    assert guess(times=LIMIT - 1).status_code == 200
    locked = login()
    assert locked.status_code == 429
    assert "Too many wrong passwords" in text_of(locked)
    assert login(password=PASSWORD).status_code == 429


@pytest.mark.usefixtures("olga")
def test_the_lock_ends_by_itself() -> None:
    with time_machine.travel(time.time(), tick=False) as clock:
        guess()
        clock.shift(14 * 60)
        assert AccessAttempt.objects.count() == 1
        clock.shift(2 * 60)
        assert login(password=PASSWORD).status_code == 302


@pytest.mark.usefixtures("olga")
def test_the_lock_ends_while_somebody_goes_on_guessing() -> None:
    with time_machine.travel(time.time(), tick=False) as clock:
        guess()
        clock.shift(14 * 60)
        assert login().status_code == 429
        clock.shift(2 * 60)
        assert login(password=PASSWORD).status_code == 302


@pytest.mark.usefixtures("olga")
def test_nobody_locks_an_operator_out_from_elsewhere() -> None:
    guess(REMOTE_ADDR="203.0.113.9")
    assert login(REMOTE_ADDR="203.0.113.9").status_code == 429
    assert login(password=PASSWORD, REMOTE_ADDR="198.51.100.7").status_code == 302


@pytest.mark.usefixtures("olga")
def test_a_colleague_at_the_same_address_goes_on_working() -> None:
    User.objects.create_superuser("rita", password=PASSWORD)
    guess()
    assert login("rita", PASSWORD).status_code == 302


@pytest.mark.usefixtures("olga")
def test_a_right_password_begins_the_count_anew() -> None:
    guess(times=LIMIT - 1)
    login(password=PASSWORD)
    assert guess(times=LIMIT - 1).status_code == 200


def without_what_changes(page: str, username: str) -> str:
    import re  # noqa: PLC0415  # kept beside its only use

    return re.sub(r'csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"', "", page).replace(username, "")


@pytest.mark.usefixtures("olga")
def test_no_answer_reveals_whether_there_is_such_a_user() -> None:
    for times in (1, LIMIT - 1):
        known, unknown = guess("olga", times), guess("nadia", times)
        assert known.status_code == unknown.status_code
        assert without_what_changes(text_of(known), "olga") == without_what_changes(text_of(unknown), "nadia")
    assert known.status_code == 429


@pytest.mark.usefixtures("olga")
def test_a_different_browser_does_not_begin_anew() -> None:
    for number in range(LIMIT):
        answer = login(headers={"user-agent": f"browser {number}"})
    assert answer.status_code == 429


def test_the_api_knows_nothing_of_it(acme: Caller) -> None:
    guess(acme.company.client_code, LIMIT + 1)
    wrong = Caller(acme.company, "pa_live_" + "0" * 49)
    assert {wrong.get("/mawbs").status_code for _ in range(LIMIT + 2)} == {401}
    assert acme.get("/mawbs").status_code == 200
    assert not AccessAttempt.objects.exclude(path_info=LOGIN).exists()


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


@pytest.mark.usefixtures("olga")
def test_an_invented_address_does_not_get_around_the_lock(settings: Any) -> None:
    settings.PROXIES_IN_FRONT = 1
    for number in range(LIMIT):
        answer = login(headers={"x-forwarded-for": f"6.6.6.{number}, 203.0.113.5"})
    assert answer.status_code == 429


# --- lifting ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("olga")
def test_an_administrator_sees_the_lock_and_lifts_it(admin_client: Client) -> None:
    guess()
    guess("nadia", times=1)
    page = reverse("admin:axes_accessattempt_changelist")
    shown = text_of(admin_client.get(page))
    assert "locked until" in shown
    assert "counting" in shown
    attempt = AccessAttempt.objects.get(username="olga")
    admin_client.post(page, {"action": "lift", "_selected_action": [attempt.pk]})
    assert login(password=PASSWORD).status_code == 302
    assert AccessAttempt.objects.get().username == "nadia"
    assert "Lifted the lock of olga." in act_in_words(LogEntry.objects.get())


@pytest.mark.usefixtures("olga")
def test_who_may_not_change_users_lifts_nothing() -> None:
    guess()
    page = reverse("admin:axes_accessattempt_changelist")
    reader = operator("view_accessattempt", username="rita")
    assert "locked until" in text_of(reader.get(page))
    reader.post(page, {"action": "lift", "_selected_action": [AccessAttempt.objects.get().pk]})
    assert AccessAttempt.objects.count() == 1
    assert operator("view_guide", username="gil").get(page).status_code == 403


@pytest.mark.usefixtures("olga")
def test_the_command_lifts_every_lock() -> None:
    guess()
    call_command("axes_reset", verbosity=0)
    assert login(password=PASSWORD).status_code == 302


@pytest.mark.usefixtures("olga")
def test_the_log_holds_no_name_and_no_password(caplog: pytest.LogCaptureFixture) -> None:
    guess("my-password-typed-as-a-name")
    assert "address 127.0.0.1" in caplog.text
    assert "my-password" not in caplog.text
    assert "my-password" not in str(list(AccessAttempt.objects.values_list("post_data", "get_data")))
