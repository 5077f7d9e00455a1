"""A forgotten password: the same answer for everybody, a link to those who have an account, and new sessions."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from companies.models import Mail, OperatorSession
from tests.companies.mail.conftest import OLD, deliver, operator, post
from tests.companies.operators.authenticators import enrolled
from tests.mail_server import Post, link_in, text_of

__all__ = ["post"]
pytestmark = pytest.mark.django_db
ASK, LOGIN, START = reverse("forgotten-password"), reverse("admin:login"), reverse("admin:index")
NOON = "2026-11-25 12:00:00+00:00"
NEW = "a-new-one-of-theirs-2"
CHOSEN = {"new_password1": NEW, "new_password2": NEW}


def ask(address: str, **more: Any) -> str:
    answer = Client().post(ASK, {"email": address}, follow=True, **more)
    assert answer.status_code == 200
    return answer.content.decode()


def logged_in(password: str = OLD) -> Client:
    browser = Client()
    browser.post(LOGIN, {"username": "nora", "password": password})
    return browser


def test_the_login_leads_there_only_where_mail_is_on(post: Post, settings: Any) -> None:
    assert "¿Olvidó su contraseña?" in Client().get(LOGIN, headers={"accept-language": "es"}).content.decode()
    settings.MAIL = {}
    assert ASK not in Client().get(LOGIN).content.decode()
    assert Client().post(ASK, {"email": "nora@example.org"}).status_code == 404
    assert post.seen == 0


def test_there_is_none_where_passwords_are_off_nor_does_an_older_link_set_one(post: Post, settings: Any) -> None:
    operator("nora")
    ask("nora@example.org")
    deliver()
    settings.LOCAL_PASSWORDS = False
    link = link_in(post.taken[-1], "/new-password/")
    assert ASK not in Client().get(LOGIN).content.decode()
    assert [Client().post(ASK, {"email": "nora@example.org"}).status_code, Client().get(link).status_code] == [404, 404]


def test_the_answer_and_its_work_are_the_same_whoever_has_the_address(post: Post) -> None:
    operator("nora")
    answers, statements = set(), set()
    for address in ("nora@example.org", "nobody@example.org"):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            page = ask(address)
        answers.add(page.partition("</head>")[2])
        statements.add(tuple(each["sql"].replace(address, "")[:60] for each in queries))
    assert len(answers) == len(statements) == 1
    deliver()
    assert post.readers == ["nora@example.org"]
    assert not Mail.objects.exclude(address="").exists(), "what strangers typed is not kept"


def test_the_link_sets_a_password_and_ends_sessions_and_tokens(post: Post) -> None:
    nora = operator("nora")
    before = logged_in()
    token = OperatorSession.objects.create(user=nora, auth_hash="x", expires_at="2999-01-01T00:00:00Z")
    ask("NORA@example.org", headers={"accept-language": "es"})
    deliver()
    (message,) = post.taken
    assert "Alguien pidió una contraseña nueva" in text_of(message)
    browser = Client()
    page = browser.get(link_in(message, "/new-password/"), follow=True)
    assert browser.post(page.request["PATH_INFO"], CHOSEN).headers["Location"] == LOGIN
    assert before.get(START).status_code == 302
    token.refresh_from_db()
    assert token.ended_at is not None
    assert logged_in(NEW).get(START).status_code == 200
    assert logged_in(OLD).get(START).status_code == 302
    assert "no longer valid" in Client().get(link_in(message, "/new-password/")).content.decode()


def test_the_second_factor_stays(post: Post, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = True
    enrolled(operator("nora"))
    ask("nora@example.org")
    deliver()
    browser = Client()
    page = browser.get(link_in(post.taken[0], "/new-password/"), follow=True)
    browser.post(page.request["PATH_INFO"], CHOSEN)
    assert logged_in(NEW).get(START).headers["Location"].startswith(reverse("second-factor-verify"))


@pytest.mark.parametrize(("hours", "is_valid"), [(23, True), (25, False)])
def test_the_link_works_for_24_hours(post: Post, *, hours: int, is_valid: bool) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        operator("nora")
        ask("nora@example.org")
        deliver()
        clock.shift(timedelta(hours=hours))
        page = Client().get(link_in(post.taken[0], "/new-password/"), follow=True).content.decode()
    assert ("Choose the password" in page) == is_valid


def test_an_address_gets_three_mails_an_hour(post: Post) -> None:
    operator("nora")
    with time_machine.travel(NOON, tick=False) as clock:
        for _ in range(5):
            ask("nora@example.org")
        deliver()
        assert post.seen == 3
        clock.shift(timedelta(minutes=61))
        ask("nora@example.org")
        deliver()
    assert post.seen == 4


def test_an_installation_sends_twenty_an_hour_and_strangers_use_none_of_them(post: Post) -> None:
    for number in range(22):
        operator(f"op{number}")
    for number in range(22):
        ask(f"stranger{number}@example.org")
        ask(f"op{number}@example.org")
    deliver()
    assert post.seen == 20


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_staff": False}, {"password": "!unusable"}])
def test_who_has_no_password_to_forget_gets_no_mail(post: Post, change: dict[str, Any]) -> None:
    operator("nora")
    User.objects.filter(username="nora").update(**change)
    ask("nora@example.org")
    deliver()
    assert post.seen == 0


@pytest.mark.parametrize("sent", [{}, {"email": "no address"}, {"email": "a" * 300 + "@example.org"}])
def test_what_is_no_address_is_said_on_the_form(post: Post, sent: dict[str, str]) -> None:
    answer = Client().post(ASK, sent)
    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert not Mail.objects.exists()
    assert post.seen == 0


def test_the_link_leads_to_the_host_that_the_settings_allow(post: Post, settings: Any) -> None:
    operator("nora")
    assert Client().post(ASK, {"email": "nora@example.org"}, headers={"host": "evil.example"}).status_code == 400
    settings.SITE_URL = "https://carga.example.com"
    ask("nora@example.org")
    deliver()
    assert "https://carga.example.com/admin/new-password/" in text_of(post.taken[0])
