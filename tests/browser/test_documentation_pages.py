"""The guides below `/docs/` in a real browser: on a large screen and on a phone's, in light and dark."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from prealerts.documentation.pages import PAGES
from tests.browser.conftest import OpenPage
from tests.browser.test_reference_page import Watch
from tests.live.server import Server

WIDTHS = {"desktop": 1400, "phone": 390}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=WIDTHS)
def page(open_page: OpenPage, admin_service: Server, scheme: Any, request: pytest.FixtureRequest) -> Page:
    page = open_page(admin_service)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": WIDTHS[request.param], "height": 900})
    return page


@pytest.mark.parametrize("path", [*PAGES, "examples"])
def test_a_page_fits_its_screen_and_asks_nobody_else(page: Page, admin_service: Server, path: str) -> None:
    watch = Watch(page)
    page.goto(f"/docs/{path}/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate(OVERFLOW) <= 0
    assert watch.hosts - {""} == {urlsplit(admin_service.address).netloc}
    assert watch.complaints == []


def test_the_contents_lead_to_a_heading(page: Page) -> None:
    page.goto("/docs/reference/")
    contents = page.locator("details.contents")
    if page.viewport_size == {"width": WIDTHS["phone"], "height": 900}:
        expect(contents).not_to_have_attribute("open", "")
        contents.locator("summary").click()
    contents.get_by_role("link", name="Retries").click()
    expect(page.get_by_role("heading", name="Retries")).to_be_in_viewport()


def test_a_language_is_chosen_for_all_samples_at_once(page: Page) -> None:
    page.goto("/docs/quickstart/")
    expect(page.get_by_text("created = client.upload_manifest")).not_to_be_visible()
    page.locator("label", has_text="Python").first.click()
    expect(page.get_by_text("created = client.upload_manifest")).to_be_visible()
    expect(page.get_by_text("Idempotency-Key: manifest-CL")).not_to_be_visible()


def test_a_sample_can_be_copied_from_a_page_without_https(page: Page) -> None:
    """The clipboard of the browser is closed to such a page."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.add_init_script("document.addEventListener('copy', () => { window.copied = String(getSelection()); })")
    page.goto("/docs/quickstart/")
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert str(page.evaluate("window.copied")).startswith("export PREALERTS_ADDRESS=")
