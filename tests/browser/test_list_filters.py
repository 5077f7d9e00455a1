"""The filters of every list, by mouse: what a person picks in the drawer narrows the rows."""

from collections.abc import Iterator

import pytest
from django.contrib.admin import site
from django.urls import get_resolver, reverse
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.usefixtures("busy")

get_resolver().url_patterns  # noqa: B018  # reading it is what registers the pages
LISTS = [
    reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    for model, admin in site._registry.items()
    if admin.list_filter
]
OPTIONS = ".select2-results__option:not(.loading-results, .select2-results__option--load-more)"


def opened(page: Page) -> Locator:
    page.get_by_role("button", name="Filters").click()
    drawer = page.get_by_role("dialog", name="Filters")
    expect(drawer).to_be_visible()
    return drawer


def rows(page: Page) -> list[str]:
    return page.locator("#result_list .data-row").all_inner_texts()


def picks(page: Page, control: Locator) -> Iterator[None]:
    """Pick each of the control's values in turn, by mouse, the last one first."""
    if control.locator("[type=date]").count():
        control.locator("[type=date]").first.fill("2030-01-01")
        yield
    elif control.locator("[type=radio], [type=checkbox]").count():
        for label in reversed(control.locator("label").all()):
            label.click()
            yield
    elif control.locator("[type=text]").count():
        control.locator("[type=text]").fill("nowhere")
        yield
    else:
        control.locator(".select2-selection").click()
        expect(page.locator(OPTIONS).first).to_be_visible()
        for number in reversed(range(page.locator(OPTIONS).count())):
            if not page.locator(OPTIONS).first.is_visible():
                control.locator(".select2-selection").click()
            page.locator(OPTIONS).nth(number).click()
            yield


def narrows(page: Page, address: str, number: int) -> bool:
    """Whether a value of the filter with this number, applied by the button, changes the rows."""
    page.goto(address)
    before = rows(page)
    for _picked in picks(page, opened(page).locator(".pa-filters > :not([type=hidden])").nth(number)):
        page.get_by_role("button", name="Apply").click()
        page.wait_for_url(f"**{address}?*")
        if rows(page) != before:
            return True
        page.goto(address)
        opened(page)
    return False


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("address", LISTS)
def test_a_value_of_each_filter_picked_by_mouse_changes_the_rows(admin_page: Page, address: str) -> None:
    admin_page.goto(address)
    assert rows(admin_page)
    titles = opened(admin_page).locator("legend, .pa-title").all_inner_texts()
    assert titles
    assert not [title for title in titles if title.startswith(("By ", " "))]
    assert [title for number, title in enumerate(titles) if not narrows(admin_page, address, number)] == []


def test_several_states_are_picked_at_once_and_the_search_stays(admin_page: Page) -> None:
    for search in ("", "q=HX&"):
        admin_page.goto(f"/admin/shipments/guide/?{search}p=1")
        drawer = opened(admin_page)
        for state in ("Delivered", "Lost"):
            drawer.get_by_label(state, exact=True).check()
        drawer.get_by_role("button", name="Apply").click()
        admin_page.wait_for_url(f"**/guide/?{search}status__exact=delivered&status__exact=lost")
        expect(admin_page.get_by_text("Status: Delivered, Lost")).to_be_visible()
        found = admin_page.locator("#result_list td.field-shown_status").all_inner_texts()
        assert {text.strip() for text in found} == ({"Delivered", "Lost"} if not search else set())


def test_the_drawer_takes_the_focus_keeps_it_and_gives_it_back(admin_page: Page) -> None:
    admin_page.goto("/admin/shipments/guide/")
    for closing in ("key", "button", "outside"):
        drawer = opened(admin_page)
        expect(drawer.get_by_role("button", name="Close")).to_be_focused()
        admin_page.keyboard.press("Shift+Tab")
        assert drawer.locator(":focus").count() == 1
        if closing == "key":
            admin_page.keyboard.press("Escape")
        elif closing == "button":
            drawer.get_by_role("button", name="Close").click()
        else:
            admin_page.mouse.click(100, 400)
        expect(drawer).to_be_hidden()
        expect(admin_page.get_by_role("button", name="Filters")).to_be_focused()
