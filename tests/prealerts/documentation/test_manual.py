"""The operators' manual below `/admin/help/`: complete in both languages, and about every page of the admin."""

import html
import re
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils.translation.trans_real import translation

from prealerts.documentation.chapters import chapter_of
from prealerts.documentation.pages import CHAPTERS, LANGUAGES, ROOT
from tests.country_scope.addresses import addresses
from tests.country_scope.operators import operator_of, text_of

pytestmark = pytest.mark.django_db

MANUAL = ROOT / "docs" / "manual"
NO_PAGES = {
    "autocomplete", "jsi18n", "login", "logout", "sso-login", "sso-callback", "sso-logout", "toggle_sidebar",
    "view_on_site", "app_list", "password_change_done",
    "forgotten-password", "new-password", "invitation",
}  # fmt: skip
"""Addresses of the admin without a page of their own, and those before anybody has logged in."""


@pytest.fixture
def staff() -> Client:
    return operator_of("CL")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_chapter_has_its_text_and_its_picture_and_nothing_else_lies_there(language: str) -> None:
    kept = {path.name for path in (MANUAL / language).iterdir()}
    assert kept == {f"{slug}.{ending}" for slug in CHAPTERS for ending in ("md", "webp")}
    for chapter in CHAPTERS.values():
        text = chapter.path(language).read_text(encoding="utf-8")
        assert text.startswith(f"# {chapter.title_in(language)}\n")
        assert re.findall(r"!\[.+\]\((.+)\)", text) == [f"{chapter.slug}.webp"]


def test_its_pictures_are_light() -> None:
    pictures = list(MANUAL.glob("**/*.webp"))
    assert sum(path.stat().st_size for path in pictures) < 2_000_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_label_that_it_quotes_is_one_of_the_admins(language: str) -> None:
    spanish: Any = translation("es")
    words = {str(pair[language == "es"]).lower() for pair in spanish._catalog.items()}
    words |= {word.rpartition("\4")[2] for word in words}
    quoted = {
        (chapter.slug, label)
        for chapter in CHAPTERS.values()
        for label in re.findall(r"\*\*(.+?)\*\*", chapter.text(language))
    }
    assert {pair for pair in quoted if pair[1].lower() not in words | {"xlsx", "csv"}} == set()


def test_each_page_of_the_admin_has_its_chapter() -> None:
    request: Any = RequestFactory().get("/")
    without = set()
    for name, _route, _pattern in addresses():
        url_name = name.removeprefix("admin:")
        request.resolver_match = type("Match", (), {"url_name": url_name})
        if url_name and chapter_of(request) is None and not url_name.startswith("manual"):
            without.add(url_name)
    assert without <= NO_PAGES


def test_a_chapter_is_shown_in_the_readers_language_with_its_picture(staff: Client) -> None:
    links = set()
    for slug, chapter in CHAPTERS.items():
        address = reverse("manual-chapter", args=[slug])
        for language in LANGUAGES:
            page: Any = staff.get(address, headers={"accept-language": language})
            text = html.unescape(text_of(page))
            assert chapter.title_in(language) in text
            assert "**" not in text
            links |= {*re.findall(r'<article>.*?href="([^"]+)"', page.content.decode(), re.DOTALL)}
        assert staff.get(f"{address}{slug}.webp").headers["Content-Type"] == "image/webp"
    assert {link: staff.get(link).status_code for link in links} == dict.fromkeys(links, 200)


def test_a_page_leads_to_its_chapter_and_the_search_finds_it(staff: Client, client: Client) -> None:
    moves = reverse("manual-chapter", args=["moves"])
    assert f'href="{moves}"' in staff.get(reverse("admin:shipments_bulkmove_changelist")).content.decode()
    assert moves in staff.post(reverse("search"), {"s": "undoing"}).content.decode()
    assert staff.get(reverse("manual-chapter", args=["nothing"])).status_code == 404
    assert client.get(moves).status_code == 302
