"""What was typed and not saved: leaving asks first, and the end of a session loses nothing."""

import uuid
from typing import Any

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.books import guide_row, workbook_bytes
from tests.browser.conftest import OPERATOR, PASSWORD
from tests.live.server import Server

OTHER = "oscar"


@pytest.fixture
def sent(admin_service: Server) -> Any:
    """A manifest of two guides."""
    client = admin_service.company(f"T{uuid.uuid4().hex[:10].upper()}")
    book = workbook_bytes([guide_row(1), guide_row(2)])
    answer = requests.post(f"{admin_service.api}/upload", headers=client, files={"manifest_file": book}, timeout=60)
    return answer.json()


@pytest.fixture
def form(admin_page: Page, sent: Any) -> Page:
    """The form that corrects a consignee."""
    admin_page.goto(f"/admin/shipments/guide/?q={sent['guides'][0]['tracking_code']}")
    admin_page.get_by_role("rowheader").get_by_role("link").first.click()
    admin_page.get_by_role("link", name="Correct consignee", exact=True).last.click()
    expect(admin_page.locator("[name=consignee_name]")).to_be_visible()
    return admin_page


def log_in(page: Page, name: str = OPERATOR, password: str = PASSWORD) -> None:
    page.fill("[name=username]", name)
    page.fill("[name=password]", password)
    page.press("[name=password]", "Enter")


def kept(page: Page) -> str:
    found: str | None = page.evaluate("sessionStorage.getItem('typed')")
    return found or ""


def test_comes_back_after_the_session_ended_while_it_was_sent(form: Page) -> None:
    form.fill("[name=consignee_name]", "Ana Quispe")
    form.fill("[name=reason]", "She called")
    form.context.clear_cookies(name="sessionid")
    form.get_by_role("button", name="Correct", exact=True).click()
    log_in(form)
    expect(form.locator("[name=consignee_name]")).to_have_value("Ana Quispe")
    expect(form.locator("[name=reason]")).to_have_value("She called")
    expect(form.get_by_text("What you had typed when your session ended is here again.")).to_be_visible()
    form.get_by_role("button", name="Correct", exact=True).click()
    expect(form.get_by_text("The consignee is corrected.")).to_be_visible()
    assert kept(form) == ""


def test_comes_back_after_the_palette_led_to_the_login(form: Page) -> None:
    asked: list[str] = []

    def leave(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.accept()

    form.on("dialog", leave)
    form.fill("[name=consignee_name]", "Ana Quispe")
    form.context.clear_cookies(name="sessionid")
    form.locator(".search-everything").click()
    form.locator("#search-input-command").press_sequentially("HX")
    log_in(form)
    expect(form.locator("[name=consignee_name]")).to_have_value("Ana Quispe")
    assert asked == []


def test_stays_through_a_form_that_is_shown_again_with_its_errors(form: Page) -> None:
    form.fill("[name=consignee_name]", "Ana Quispe")
    form.get_by_role("button", name="Correct", exact=True).click()
    expect(form.get_by_text("This field is required").first).to_be_visible()
    form.context.clear_cookies(name="sessionid")
    form.fill("[name=reason]", "She called")
    form.get_by_role("button", name="Correct", exact=True).click()
    log_in(form)
    expect(form.locator("[name=consignee_name]")).to_have_value("Ana Quispe")
    expect(form.locator("[name=reason]")).to_have_value("She called")


def test_is_never_another_operators(form: Page, admin_service: Server) -> None:
    admin_service.operator(OTHER, PASSWORD)
    address = form.url
    form.fill("[name=consignee_name]", "Ana Quispe")
    form.context.clear_cookies(name="sessionid")
    form.get_by_role("button", name="Correct", exact=True).click()
    log_in(form, OTHER)
    expect(form.locator("[name=consignee_name]")).to_be_visible()
    assert form.url == address
    expect(form.locator("[name=consignee_name]")).not_to_have_value("Ana Quispe")
    assert kept(form) == ""


def test_is_gone_on_logging_out(form: Page) -> None:
    form.context.clear_cookies(name="sessionid")  # the others go on with that session
    form.reload()
    log_in(form)
    form.fill("[name=consignee_name]", "Ana Quispe")
    assert "Ana Quispe" in kept(form)
    form.on("dialog", lambda dialog: dialog.accept())
    form.evaluate("document.querySelector('#logout-form').requestSubmit()")
    form.wait_for_url("**/logout/")
    assert kept(form) == ""


def test_leaving_asks_first_and_saving_does_not(form: Page) -> None:
    asked: list[str] = []

    def stay(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    form.on("dialog", stay)
    form.click("[name=consignee_name]")
    form.keyboard.type("x")
    address = form.url
    form.get_by_role("link", name="Manifests", exact=True).first.click()
    form.wait_for_timeout(500)
    assert (asked, form.url) == (["beforeunload"], address)
    form.fill("[name=reason]", "She called")
    form.get_by_role("button", name="Correct", exact=True).click()
    expect(form.get_by_text("The consignee is corrected.")).to_be_visible()
    assert asked == ["beforeunload"]


def test_passwords_codes_and_files_are_never_kept(admin_page: Page) -> None:
    admin_page.goto("/admin/password_change/")
    for name in ("old_password", "new_password1", "new_password2"):
        admin_page.fill(f"[name={name}]", "a-secret-of-mine")
    assert kept(admin_page) == ""
    admin_page.goto("/admin/events/import/")
    admin_page.set_input_files("[name=file]", {"name": "a.csv", "mimeType": "text/csv", "buffer": b"x"})
    assert kept(admin_page) == ""
