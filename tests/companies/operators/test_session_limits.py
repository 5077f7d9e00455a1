"""An admin session ends when it was idle, when it is old, and everywhere when its password is changed."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.companies.admin_pages import is_in, text_of
from tests.conftest import Caller
from tests.production import under_production

pytestmark = pytest.mark.django_db

START, LOGIN = reverse("admin:index"), reverse("admin:login")
HOUR = 3600


@pytest.fixture
def clock() -> Iterator[Any]:
    with time_machine.travel(time.time(), tick=False) as traveller:
        yield traveller


@pytest.mark.parametrize(("minutes", "stays"), [(29, True), (30, False)])
def test_an_idle_session_ends(admin_client: Client, clock: Any, minutes: int, stays: bool) -> None:  # noqa: FBT001  # a table
    assert is_in(admin_client)
    clock.shift(minutes * 60)
    assert is_in(admin_client) is stays


def test_a_busy_session_ends_after_eight_hours_however_often_it_is_written(admin_client: Client, clock: Any) -> None:
    for _ in range(8 * 4 - 1):
        assert is_in(admin_client)
        clock.shift(15 * 60)
    assert is_in(admin_client)
    clock.shift(15 * 60)
    assert not is_in(admin_client)


def test_the_login_says_why(admin_client: Client, clock: Any) -> None:
    assert is_in(admin_client)
    clock.shift(HOUR)
    assert "You were inactive for a while. Please log in again." in text_of(admin_client.get(START, follow=True))


@pytest.mark.parametrize(
    ("open_page", "leads_to"),
    [
        ("http://testserver/admin/shipments/guide/?q=A%201", "/admin/shipments/guide/%3Fq%3DA%25201"),
        ("http://testserver/admin/", "/admin/"),
        ("http://evil.example//evil.example/", "/admin/"),
        ("http://[", "/admin/"),
        ("", "/admin/"),
    ],
)
def test_htmx_leaves_the_page_for_the_login_which_leads_back_to_it(
    admin_client: Client, clock: Any, open_page: str, leads_to: str
) -> None:
    assert is_in(admin_client)
    clock.shift(HOUR)
    stranger = Client()
    for ask in (admin_client.post, admin_client.get, stranger.post, stranger.get):
        answer: Any = ask("/admin/search/", headers={"HX-Request": "true", "HX-Current-URL": open_page})
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer["HX-Redirect"] == f"{LOGIN}?next={leads_to}"


def test_a_form_that_is_sent_too_late_leads_back_to_its_page(admin_client: Client) -> None:
    page = "http://testserver/admin/shipments/guide/7/change/"
    late = Client().post("/admin/shipments/guide/7/note/", headers={"Referer": page})
    assert late["Location"] == f"{LOGIN}?next=/admin/shipments/guide/7/change/"
    assert "HX-Redirect" not in admin_client.post(START, headers={"HX-Request": "true"})


def test_a_new_login_begins_anew(clock: Any) -> None:
    user = User.objects.create_superuser("olga")
    client = Client()
    for _ in range(2):
        client.force_login(user)
        assert is_in(client)
        clock.shift(HOUR)
        assert not is_in(client)


def test_a_new_password_ends_every_other_session() -> None:
    user = User.objects.create_superuser("olga", password="correct-horse-battery")
    here, elsewhere = Client(), Client()
    for client in (here, elsewhere):
        client.force_login(user)
    changed = {
        "old_password": "correct-horse-battery",
        "new_password1": "another-horse-battery",
        "new_password2": "another-horse-battery",
    }
    assert here.post(reverse("admin:password_change"), changed).status_code == 302
    assert [is_in(here), is_in(elsewhere)] == [True, False]


def test_pages_carry_the_policy_and_the_api_does_not(admin_client: Client, acme: Caller) -> None:
    policy = admin_client.get(START)["Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert "unsafe-inline" not in directives["script-src"]
    assert directives["frame-ancestors"] == directives["base-uri"] == "'none'"
    assert "Content-Security-Policy" in admin_client.get("/no/such/page")
    assert "Content-Security-Policy" not in acme.get("/mawbs")


def test_none_of_our_templates_holds_a_script() -> None:
    import re  # noqa: PLC0415  # kept beside its only use

    from django.conf import settings  # noqa: PLC0415  # as above

    inline = re.compile(r"<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:", re.IGNORECASE)
    templates = [path for app in ("base", "companies", "prealerts", "shipments", "webhooks")
                 for path in (settings.BASE_DIR / app).rglob("*.html")]  # fmt: skip
    assert len(templates) > 10
    assert [path.name for path in templates if inline.search(path.read_text(encoding="utf-8"))] == []


def test_in_production_cookies_are_for_https_alone_and_the_api_is_never_redirected() -> None:
    reported = under_production()
    assert reported["cookies"] == {
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SESSION_COOKIE_HTTPONLY": True,
    }
    assert reported["session_cookie"] == "__Host-sessionid"
    assert reported["hsts"] == 365 * 24 * HOUR
    assert reported["statuses"] == {"/admin/": 301, "/api/public/pre-alerts/v1/mawbs": 401, "/health": 200}
    assert reported["second_factor"] is True
