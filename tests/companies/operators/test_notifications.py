"""*My notifications*: which mails an operator gets, in which language."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from companies.models import OperatorProfile
from tests.companies.mail.conftest import operator, post
from tests.mail_server import Post

__all__ = ["post"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("post")]
PAGE = reverse("notifications")


def browser_of(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def test_the_menu_of_the_account_leads_there_only_where_mail_is_on(post: Post, settings: Any) -> None:
    nora = browser_of(operator("nora"))
    assert PAGE in nora.get(reverse("admin:index")).content.decode()
    settings.MAIL = {}
    assert PAGE not in nora.get(reverse("admin:index")).content.decode()
    assert nora.get(PAGE).status_code == 404
    assert post.seen == 0


def test_an_operator_chooses_for_oneself_alone() -> None:
    nora, pablo = operator("nora"), operator("pablo")
    answer = browser_of(nora).post(PAGE, {"has_digest": "on", "language": "es"})
    assert answer.status_code == 302
    for user, chosen in ((nora, (True, False, "es")), (pablo, (False, True, "en"))):
        profile = OperatorProfile.objects.get(user=user)
        assert (profile.has_digest, profile.has_alerts, profile.language) == chosen


def test_the_page_says_where_mails_go_and_where_there_is_no_address() -> None:
    assert "nora@example.org" in browser_of(operator("nora")).get(PAGE).content.decode()
    silent = User.objects.create_user("silent", is_staff=True)
    assert "no e-mail address" in browser_of(silent).get(PAGE).content.decode()


@pytest.mark.parametrize("language", ["fr", "english", "\x00"])
def test_another_language_is_refused(language: str) -> None:
    answer = browser_of(operator("nora")).post(PAGE, {"language": language})
    assert answer.status_code == 400
    assert OperatorProfile.objects.get().language == "en"


def test_strangers_are_asked_to_log_in() -> None:
    assert Client().get(PAGE).headers["Location"].startswith(reverse("admin:login"))
