"""What Chromium tells a screen reader of the admin's pages, and what the keyboard reaches without a mouse."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.live.server import Server

PAGES = ("/admin/", "/admin/shipments/guide/", "/admin/companies/company/add/", "/admin/privacy/", "/admin/reports/")
ICONS = "[...document.querySelectorAll('.material-symbols-outlined')].map(({textContent}) => textContent.trim())"
TEXT = {"StaticText", "InlineTextBox"}


def named(tab: Page) -> Iterator[tuple[str, str]]:
    """Role and name of everything in the accessibility tree of the page, but plain text."""
    session = tab.context.new_cdp_session(tab)
    nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    for node in nodes:
        if not node["ignored"] and node["role"]["value"] not in TEXT:
            yield node["role"]["value"], node.get("name", {}).get("value", "")


@pytest.mark.parametrize("address", PAGES)
def test_a_page_has_one_main_part_and_no_name_begins_with_an_icons(
    open_page: OpenPage, admin_service: Server, logged_in: list[Any], address: str
) -> None:
    tab = open_page(admin_service, logged_in)
    tab.goto(address)
    expect(tab.locator("[role=main]")).to_be_visible()
    found = list(named(tab))
    roles = [role for role, _name in found]
    assert roles.count("main") == 1
    assert ("navigation", "Menu") in found
    icons = set(filter(None, tab.evaluate(ICONS)))
    assert len(icons) > 10
    assert [each for each in found if each[1] in icons or each[1].startswith(tuple(f"{icon} " for icon in icons))] == []
    assert [each for each in found if each[0] in {"link", "button", "navigation", "region"} and not each[1]] == []


def test_the_keyboard_skips_the_menu_and_opens_what_is_no_button(admin_page: Page) -> None:
    admin_page.keyboard.press("Tab")
    skip = admin_page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    admin_page.keyboard.press("Enter")
    expect(admin_page.locator("#main")).to_be_focused()
    admin_page.keyboard.press("Tab")
    menu = admin_page.get_by_role("button", name="Show or hide the menu")
    expect(menu).to_be_focused()
    admin_page.keyboard.press("Enter")
    expect(admin_page.get_by_role("navigation", name="Menu")).to_be_hidden()
    admin_page.keyboard.press("Enter")
    account = admin_page.get_by_role("button", name="olga")
    account.focus()
    admin_page.keyboard.press("Enter")
    expect(admin_page.get_by_role("button", name="Log out")).to_be_visible()


def test_escape_closes_the_search_and_leads_back_to_what_opened_it(admin_page: Page) -> None:
    opener = admin_page.get_by_role("button", name="Search")
    opener.focus()
    admin_page.keyboard.press("Enter")
    search = admin_page.get_by_role("dialog").get_by_label("Search")
    expect(search).to_be_focused()
    search.fill("nothing of the kind")
    admin_page.keyboard.press("Escape")
    expect(search).to_be_hidden()
    expect(opener).to_be_focused()
