"""The API's reference in a real browser: readable, from our own origin alone, and by keyboard."""

import uuid
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.live.server import ROOT, Server

STRICT = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"
"""A policy without inline scripts and styles, and without any other origin."""


class Watch:
    """What the page asked for, and what it complained of."""

    def __init__(self, page: Page) -> None:
        self.hosts: set[str] = set()
        self.complaints: list[str] = []
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))


@pytest.fixture(params=["light", "dark"])
def page(open_page: OpenPage, admin_service: Server, request: pytest.FixtureRequest) -> Page:
    page = open_page(admin_service)
    page.emulate_media(color_scheme=request.param)
    return page


def test_it_shows_the_endpoints_and_the_webhooks_and_asks_nobody_else(page: Page, admin_service: Server) -> None:
    watch = Watch(page)
    page.goto("/docs/")
    expect(page.get_by_text("/api/public/pre-alerts/v1/process-pre-alert-json", exact=True)).to_be_visible()
    expect(page.get_by_text("guide.delivered")).to_be_visible()
    assert watch.hosts - {""} == {urlsplit(admin_service.address).netloc}  # without a host: pictures in the styles
    assert watch.complaints == []


def test_it_opens_an_endpoint_by_keyboard(page: Page) -> None:
    page.goto("/docs/")
    summary = page.locator("#operations-Tracking-getGuide button.opblock-summary-control")
    summary.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the reference"
    summary.focus()
    page.keyboard.press("Enter")
    expect(summary).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_text("One guide with its timeline")).to_be_visible()
    expect(page.get_by_text("not_found").first).to_be_visible()


def test_it_works_under_a_policy_without_anything_inline(page: Page) -> None:
    def with_policy(route: Route) -> None:
        answer: Any = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": STRICT})

    page.route("**/docs/", with_policy)
    watch = Watch(page)
    page.goto("/docs/")
    expect(page.get_by_text("Send a workbook")).to_be_visible()
    assert watch.complaints == []


def authorized(page: Page, service: Server) -> Page:
    """The reference, with the password of a company of its own."""
    word = service.company(f"T{uuid.uuid4().hex[:10].upper()}")["Authorization"].split()[1]
    page.goto("/docs/")
    page.get_by_role("button", name="Authorize").click()
    dialog = page.locator(".modal-ux")
    assert len(dialog.locator("h4").all()) == 1  # no box for a webhook's secret
    dialog.get_by_role("textbox").fill(word)
    dialog.get_by_role("button", name="Apply credentials").click()
    dialog.get_by_role("button", name="Close").click()
    return page


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("Pre-alerts-uploadManifest", "201"), ("Pre-alerts-postManifest", "201"), ("Tracking-listMawbs", "200"),
        ("Tracking-getGuide", "404"),
    ],
)  # fmt: skip
def test_a_call_is_made_from_the_page_as_it_proposes_it(
    open_page: OpenPage, admin_service: Server, name: str, status: str
) -> None:
    """A form with a file, JSON, a query and a path; `tests/prealerts/reference` makes the others."""
    page = authorized(open_page(admin_service), admin_service)
    operation = page.locator(f"#operations-{name}")
    operation.locator("button.opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    if files := operation.locator("input[type=file]").all():
        files[0].set_input_files(ROOT / "docs" / "examples" / "manifest-CL.xlsx")
    operation.get_by_role("button", name="Execute").click()
    answered = operation.locator(".live-responses-table tbody .response-col_status").first
    expect(answered).to_contain_text(status)
