"""`LOCAL_PASSWORDS=off`: no password opens anything, but for the account for emergencies, whose use is an alarm."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base.admin.activity import act_in_words
from tests.companies.admin_pages import is_in
from tests.companies.operators.authenticators import PASSWORD
from tests.companies.operators.tokens.speaking import ask_for_token, program
from tests.companies.sso.logging_in import LOGIN, START, bound, said
from tests.companies.sso.lying import LyingProvider
from tests.companies.sso.test_lies import log_in as log_in_at
from tests.country_scope.operators import operator_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _people(settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False
    settings.BREAK_GLASS_USER = "rescue"
    for name in ("olga", "rescue"):
        User.objects.create_superuser(name, password=PASSWORD)


@pytest.fixture
def off(liar: LyingProvider, settings: Any) -> LyingProvider:
    settings.LOCAL_PASSWORDS = False
    return liar


def log_in(username: str, password: str = PASSWORD) -> tuple[Client, Any]:
    browser = Client()
    return browser, browser.post("/admin/login/", {"username": username, "password": password, "next": START})


@pytest.mark.usefixtures("off")
def test_the_form_lets_in_the_account_for_emergencies_alone_and_refuses_all_others_alike() -> None:
    assert log_in("rescue")[1].status_code == 302
    pages = [log_in(*sent)[1] for sent in (("olga",), ("olga", "wrong"), ("nobody",), ("rescue", "wrong"))]
    assert [page.status_code for page in pages] == [200] * 4
    assert len({str(page.context["form"].non_field_errors()) for page in pages}) == 1


def test_a_session_that_a_password_opened_ends_and_one_of_the_provider_goes_on(
    liar: LyingProvider, settings: Any
) -> None:
    olgas, _answer = log_in("olga")
    anas = Client()
    log_in_at(liar, anas)
    assert is_in(olgas)
    settings.LOCAL_PASSWORDS = False
    assert not is_in(olgas)
    assert is_in(anas)


@pytest.mark.usefixtures("off")
def test_the_operators_api_issues_no_token_for_a_password_and_one_for_a_machine() -> None:
    for username, status in (("olga", 401), ("rescue", 200)):
        answer = ask_for_token(grant_type="password", username=username, password=PASSWORD)
        assert answer.status_code == status
    assert program("counter").get("/me").status_code == 200


@pytest.mark.usefixtures("off")
@pytest.mark.parametrize("door", ["form", "token"])
def test_each_use_of_the_account_for_emergencies_is_an_alarm(caplog: pytest.LogCaptureFixture, door: str) -> None:
    if door == "form":
        log_in("rescue")
    else:
        ask_for_token(grant_type="password", username="rescue", password=PASSWORD)
    assert [line.levelname for line in caplog.records if "break_glass_used" in line.getMessage()] == ["ERROR"]
    (entry,) = LogEntry.objects.all()
    assert (entry.user.username, entry.object_repr) == ("rescue", "rescue")
    assert act_in_words(entry) == "Logged in with the account for emergencies, from 127.0.0.1."


def test_the_start_page_says_so_for_a_week_to_those_who_see_the_log() -> None:
    chief = Client()
    chief.force_login(User.objects.get(username="olga"))
    chilean = operator_of("CL")
    words = "logged in with the account for emergencies"
    assert words not in said(chief.get(START))
    log_in("rescue")
    assert words in said(chief.get(START))
    link = f"{reverse('admin:admin_logentry_changelist')}?q=rescue"
    assert link in said(chief.get(START))
    assert "Logged in with the account for emergencies" in said(chief.get(link))
    assert words not in said(chilean.get(START))
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        later = Client()
        later.force_login(User.objects.get(username="olga"))
        assert words not in said(later.get(START))


def test_neither_a_wrong_password_nor_a_login_at_the_provider_is_an_alarm(liar: LyingProvider) -> None:
    bound("rescue-2", "u-1", liar.issuer)
    User.objects.filter(username="rescue").update(username="other")
    User.objects.filter(username="rescue-2").update(username="rescue")
    log_in("rescue", "wrong")
    browser = Client()
    log_in_at(liar, browser)
    assert is_in(browser)
    assert not LogEntry.objects.exists()


@pytest.mark.usefixtures("off")
def test_the_login_page_offers_the_provider_and_hides_the_form(settings: Any) -> None:
    page = said(Client().get("/admin/login/"))
    assert LOGIN in page
    assert "With the password for emergencies" in page
    settings.BREAK_GLASS_USER = ""
    page = said(Client().get("/admin/login/"))
    assert LOGIN in page
    assert 'name="password"' not in page
