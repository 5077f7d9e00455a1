"""What the admin prints: documents without what only a screen has, on white, with the number of each page."""

from typing import Any

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.states import GUIDES, MANIFESTS, first_row
from tests.live.server import Server

BATCHES = "/admin/shipments/inboundbatch/"
PRINTED = {
    "a manifest": (MANIFESTS, "change/"),
    "a guide": (GUIDES, "change/"),
    "a batch": (BATCHES, "change/"),
    "a batch's differences": (BATCHES, "sheet/"),
    "the labels of a batch": (BATCHES, "labels/"),
    "a list": (GUIDES, ""),
    "the report": ("/admin/reports/", ""),
}
"""The list whose first row it is, or the page, and the last part of the row's address."""
SEEN = "found => found.filter(each => each.checkVisibility()).map(each => each.outerHTML.slice(0, 90))"
NUMBERED = """[...document.styleSheets].some(
    sheet => [...sheet.cssRules].some(rule => /^@page.*counter\\(page/.test(rule.cssText)))"""


@pytest.mark.parametrize("what", PRINTED)
def test_a_printed_page_has_no_controls_and_a_number(
    open_page: OpenPage, demo: Server, logged_in_demo: list[Any], what: str
) -> None:
    page = open_page(demo, logged_in_demo)
    of, part = PRINTED[what]
    page.goto(first_row(page, of) + part if part else of)
    page.emulate_media(media="print")
    assert page.locator("nav, button, select, input[type=submit], header, .pa-export").evaluate_all(SEEN) == []
    ground = page.locator("html, body, #page, #main").evaluate_all(
        "all => all.map(each => getComputedStyle(each).backgroundColor)"
    )
    assert set(ground) <= {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}
    assert page.evaluate(NUMBERED)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
