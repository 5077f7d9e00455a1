"""An invitation: a mail whose link works once, within 72 hours, instead of a password that somebody hands over."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Group, User
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client, RequestFactory
from django.urls import reverse

from companies.models import Mail
from companies.operators.invitations import accept, find_invited_user
from tests.companies.mail.conftest import deliver, operator, post
from tests.mail_server import Post, link_in, text_of

__all__ = ["post"]
pytestmark = pytest.mark.django_db
ADD = reverse("admin:auth_user_add")
LOGIN = reverse("admin:login")
NOON = "2026-11-25 12:00:00+00:00"
OWN = "only-nora-knows-this-1"
CHOSEN = {"new_password1": OWN, "new_password2": OWN}


def filled(**fields: Any) -> dict[str, Any]:
    return {
        "username": "nora", "first_name": "Nora", "last_name": "Rojas", "email": "nora@example.org",
        "role": Group.objects.get(name="Operations").pk, "countries": ["CL"], **fields,
    }  # fmt: skip


def invited(admin_client: Client, post: Post, **fields: Any) -> str:
    """Save a new operator, and return the link of the mail."""
    answer = admin_client.post(ADD, filled(**fields))
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    deliver()
    return link_in(post.taken[-1], "/invitation/")


def opened(link: str) -> tuple[Client, Any]:
    browser = Client()
    return browser, browser.get(link, follow=True)


def can_log_in(password: str) -> bool:
    return Client().post(LOGIN, {"username": "nora", "password": password}).status_code == 302


def test_saving_a_new_operator_sends_the_link_and_asks_for_no_password(admin_client: Client, post: Post) -> None:
    assert "password1" not in admin_client.get(ADD).content.decode()
    link = invited(admin_client, post)
    assert post.readers == ["nora@example.org"]
    nora = User.objects.get(username="nora")
    assert not nora.has_usable_password()
    page = admin_client.get(reverse("admin:auth_user_change", args=[nora.pk])).content.decode()
    assert "not accepted yet" in page
    browser, page = opened(link)
    assert link not in page.request["PATH_INFO"], "no address shows the token"
    answer = browser.post(page.request["PATH_INFO"], CHOSEN, follow=True)
    assert "Your password is set" in answer.content.decode()
    assert can_log_in(OWN)
    assert "Accepted." in admin_client.get(reverse("admin:auth_user_change", args=[nora.pk])).content.decode()


def test_where_mail_is_off_a_password_is_handed_over_as_before(admin_client: Client) -> None:
    assert "password1" in admin_client.get(ADD).content.decode()
    admin_client.post(ADD, filled(password1=OWN, password2=OWN))
    assert can_log_in(OWN)
    assert not Mail.objects.exists()
    for page in ("admin/invitation/MQ/a-b/", "admin/new-password/MQ/a-b/", "admin/forgotten-password/"):
        assert Client().get(f"/{page}").status_code == 404


@pytest.mark.parametrize(("chosen", "hello"), [("es", "Hola Nora,"), ("en", "Hello Nora,"), ("", "Hola Nora,")])
def test_the_mail_is_in_the_language_of_its_reader(admin_client: Client, post: Post, chosen: str, hello: str) -> None:
    """Chosen in the form; else that of whoever fills it in."""
    admin_client.post(ADD, filled(language=chosen), headers={"accept-language": "es"})
    deliver()
    assert hello in text_of(post.taken[0])
    assert hello in text_of(post.taken[0], "html")


def test_the_link_works_once(admin_client: Client, post: Post) -> None:
    link = invited(admin_client, post)
    browser, page = opened(link)
    browser.post(page.request["PATH_INFO"], CHOSEN)
    for again in (opened(link)[1], browser.get(page.request["PATH_INFO"])):
        assert "no longer valid" in again.content.decode()
    other = {"new_password1": "another-one-of-hers", "new_password2": "another-one-of-hers"}
    browser.post(page.request["PATH_INFO"], other)
    assert can_log_in(OWN)


@pytest.mark.parametrize(("hours", "is_valid"), [(71, True), (73, False)])
def test_the_link_works_for_72_hours(admin_user: User, post: Post, *, hours: int, is_valid: bool) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        admin = Client()
        admin.force_login(admin_user)
        link = invited(admin, post)
        clock.shift(timedelta(hours=hours))
        assert ("Choose the password" in opened(link)[1].content.decode()) == is_valid


def test_another_invitation_ends_the_first(admin_client: Client, post: Post) -> None:
    first = invited(admin_client, post)
    nora = User.objects.get(username="nora")
    page = reverse("admin:auth_user_invite", args=[nora.pk])
    assert "An earlier invitation stops working" in admin_client.get(page).content.decode()
    admin_client.post(page, {"step": "run"})
    deliver()
    second = link_in(post.taken[1], "/invitation/")
    assert "no longer valid" in opened(first)[1].content.decode()
    assert "Choose the password" in opened(second)[1].content.decode()


@pytest.mark.parametrize("change", [{"is_active": False}, {"email": "other@example.org"}])
def test_a_link_of_somebody_who_left_or_has_another_address_is_worth_nothing(
    admin_client: Client, post: Post, change: dict[str, Any]
) -> None:
    link = invited(admin_client, post)
    User.objects.filter(username="nora").update(**change)
    assert "no longer valid" in opened(link)[1].content.decode()


@pytest.mark.parametrize("link", ["MQ/a-b", "MQ/set-password", "AA/x", "zzzz/1-2", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5/1-2"])
def test_a_link_that_was_made_up_is_a_page_in_words(post: Post, link: str) -> None:
    for page in ("invitation", "new-password"):
        answer = Client().get(f"/admin/{page}/{link}/")
        assert answer.status_code == 200
        assert "no longer valid" in answer.content.decode()
    assert post.seen == 0


def test_who_opened_an_invitation_is_known_until_it_is_accepted(admin_client: Client, post: Post) -> None:
    browser, _page = opened(invited(admin_client, post))
    request = RequestFactory().get("/")
    request.session = SessionStore(browser.session.session_key)
    nora = User.objects.get(username="nora")
    assert find_invited_user(request) == nora
    stranger = RequestFactory().get("/")
    stranger.session = SessionStore()
    assert find_invited_user(stranger) is None
    accept(nora)
    assert find_invited_user(request) is None


def test_only_who_may_change_an_operator_invites(admin_client: Client, post: Post) -> None:
    pablo = operator("pablo")
    page = reverse("admin:auth_user_invite", args=[User.objects.get(username="admin").pk])
    browser = Client()
    browser.force_login(pablo)
    assert browser.post(page, {"step": "run"}).status_code == 403
    silent = User.objects.create_user("silent", is_staff=True)
    admin_client.post(reverse("admin:auth_user_invite", args=[silent.pk]), {"step": "run"})
    deliver()
    assert post.seen == 0, "without an address there is no invitation"


def test_a_password_of_ones_own_need_not_be_changed_and_the_rules_hold(admin_client: Client, post: Post) -> None:
    browser, page = opened(invited(admin_client, post))
    short = browser.post(page.request["PATH_INFO"], {"new_password1": "short", "new_password2": "short"})
    assert "too short" in short.content.decode()
    browser.post(page.request["PATH_INFO"], CHOSEN)
    nora = Client()
    nora.post(LOGIN, {"username": "nora", "password": OWN})
    assert nora.get(reverse("admin:index")).status_code == 200
