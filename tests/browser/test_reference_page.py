"""The API's reference in a real browser: readable, from our own origin alone, and by keyboard."""

import re
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


def authorized(page: Page, service: Server, code: str) -> Page:
    """The reference, with the password of a company of this code."""
    word = service.company(code)["Authorization"].split()[1]
    page.goto("/docs/")
    page.get_by_role("button", name="Authorize").click()
    dialog = page.locator(".modal-ux")
    assert len(dialog.locator("h4").all()) == 1  # no box for a webhook's secret
    dialog.get_by_role("textbox").fill(word)
    dialog.get_by_role("button", name="Apply credentials").click()
    dialog.get_by_role("button", name="Close").click()
    return page


@pytest.mark.slow
def test_each_call_can_be_tried_as_the_page_proposes_it(open_page: OpenPage, admin_service: Server) -> None:
    """What is not there is 404; `GET guides` alone wants to be told which."""
    page = authorized(open_page(admin_service), admin_service, "TRIES")
    shown = page.locator(".opblock:not([id^=operations-webhooks])")
    shown.first.wait_for()
    answers = {}
    for name in [str(each.get_attribute("id")) for each in shown.all() if each.get_attribute("id")]:
        operation = page.locator(f"#{name}")
        operation.locator("button.opblock-summary-control").click()
        operation.get_by_role("button", name="Try it out").click()
        if files := operation.locator("input[type=file]").all():
            files[0].set_input_files(ROOT / "docs" / "examples" / "manifest-CL.xlsx")
        operation.get_by_role("button", name="Execute").click()
        status = operation.locator(".live-responses-table tbody .response-col_status").first
        expect(status).to_contain_text(re.compile(r"\d{3}"))
        answers[name.rpartition("-")[2]] = re.findall(r"\d{3}", status.inner_text())[0]
        operation.locator("button.opblock-summary-control").click()
    assert answers.pop("guides") == "400"
    assert set(answers.values()) == {"200", "201", "404"}, answers
    assert len(answers) > 30


def test_a_workbook_is_sent_from_the_page(open_page: OpenPage, admin_service: Server) -> None:
    page = authorized(open_page(admin_service), admin_service, "TRIED")
    operation = page.locator("#operations-Pre-alerts-uploadManifest")
    operation.locator("button.opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.locator("input[type=file]").first.set_input_files(ROOT / "docs" / "examples" / "manifest-CL.xlsx")
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table tbody .response-col_status")).to_contain_text("201")
    expect(operation.locator(".live-responses-table")).to_contain_text('"guides_created": 8')
