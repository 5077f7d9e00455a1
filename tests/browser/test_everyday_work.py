"""What operators do all day, in a real browser against the running service."""

import re
import uuid
from typing import Any

import requests
from playwright.sync_api import Locator, Page, Route, expect

from tests.books import guide_row, workbook_bytes
from tests.browser.conftest import OPERATOR, PASSWORD as OPERATORS_PASSWORD
from tests.live.server import Server

PASSWORD = re.compile(r"^pa_live_[0-9A-Za-z]{49}$")


def fresh_code() -> str:
    """A client code that no other test knows."""
    return f"B{uuid.uuid4().hex[:12].upper()}"


def opens(service: Server, password: str) -> bool:
    """Whether `password` opens the API."""
    answer = requests.get(f"{service.api}/mawbs", headers={"Authorization": f"Bearer {password}"}, timeout=60)
    return answer.status_code == 200


def uploaded(service: Server, client: dict[str, str], guides: int) -> dict[str, Any]:
    """What the service answers to a workbook with so many guides."""
    book = workbook_bytes([guide_row(number) for number in range(1, guides + 1)])
    answer = requests.post(f"{service.api}/upload", files={"manifest_file": book}, headers=client, timeout=60)
    assert answer.status_code == 201, answer.text
    result: dict[str, Any] = answer.json()
    return result


def statuses(service: Server, client: dict[str, str], mawb: str) -> dict[str, int]:
    answer = requests.get(f"{service.api}/mawbs/{mawb}", headers=client, timeout=60).json()
    counts: dict[str, int] = answer["guides_by_status"]
    return counts


def shown_password(page: Page) -> str:
    shown = page.locator("#api-password")
    expect(shown).to_have_text(PASSWORD)
    return shown.inner_text()


def button(page: Page, name: str) -> Locator:
    return page.locator("#content").get_by_role("button", name=name)


def onboard(page: Page, code: str) -> str:
    """Onboard a company by its form; the password that the next page shows."""
    page.goto("/admin/companies/company/add/")
    page.fill("[name=name]", f"{code} SpA")
    page.fill("[name=client_code]", code)
    page.check("[name=allowed_countries][value=CL]")
    page.get_by_role("button", name="Save").click()
    return shown_password(page)


def test_onboarding_shows_the_password_once(admin_page: Page, admin_service: Server) -> None:
    password = onboard(admin_page, fresh_code())
    assert opens(admin_service, password)
    button(admin_page, "Copy").first.click()  # the others copy what to send the client
    expect(button(admin_page, "Copied")).to_be_visible()
    assert admin_page.evaluate("navigator.clipboard.readText()") == password
    admin_page.reload()
    expect(admin_page.get_by_text("has already been shown")).to_be_visible()
    assert password not in admin_page.content()


def test_the_way_back_shows_no_password(admin_page: Page) -> None:
    password = onboard(admin_page, fresh_code())
    admin_page.get_by_role("link", name="To the company").click()
    expect(admin_page.get_by_role("link", name="Rotate API password")).to_be_visible()
    admin_page.go_back()
    expect(admin_page.get_by_text("has already been shown")).to_be_visible()
    assert password not in admin_page.content()


def test_a_list_longer_than_its_page_is_selected_as_a_whole(admin_page: Page, admin_service: Server) -> None:
    code, neighbours = fresh_code(), fresh_code()
    client, neighbour = admin_service.company(code), admin_service.company(neighbours)
    sent = uploaded(admin_service, client, guides=60)
    uploaded(admin_service, neighbour, guides=2)
    admin_page.goto(f"/admin/shipments/guide/?company={code}")
    admin_page.check("#action-toggle")
    expect(admin_page.get_by_text("50 of 50 selected")).to_be_visible()
    admin_page.get_by_role("link", name="Select the whole list, 60").click()
    expect(admin_page.get_by_text("The whole list is selected, 60")).to_be_visible()
    admin_page.select_option("[name=action]", "advance_selected")
    admin_page.get_by_role("button", name="Run").click()
    expect(admin_page.get_by_text("and 50 more guides")).to_be_visible()
    admin_page.select_option("[name=status]", "in_transit")
    button(admin_page, "Preview").click()
    button(admin_page, "Confirm").click()
    expect(admin_page.get_by_role("heading", name="What happened", exact=True).last).to_be_visible()
    assert statuses(admin_service, client, sent["mawb"]) == {"in_transit": 60}
    assert statuses(admin_service, neighbour, sent["mawb"]) == {"registered": 2}


def test_a_rut_is_checked_as_it_is_typed_and_a_good_one_ends_the_review(
    admin_page: Page, admin_service: Server
) -> None:
    client = admin_service.company(fresh_code())
    book = workbook_bytes([guide_row(1, RUT="1-9")])
    sent = requests.post(
        f"{admin_service.api}/upload", files={"manifest_file": book}, headers=client, timeout=60
    ).json()
    admin_page.goto(f"/admin/shipments/guide/?q={sent['guides'][0]['tracking_code']}")
    admin_page.get_by_role("rowheader").get_by_role("link", name=sent["guides"][0]["tracking_code"]).click()
    admin_page.get_by_role("link", name="Correct consignee", exact=True).last.click()
    for typed, verdict in (
        ("12345678-0", "Not a valid RUT"),
        ("11.111.111-1", "a known placeholder"),
        ("0000000-0", "a known placeholder"),
        ("12.345.678-5", "✓ Valid RUT"),
    ):
        admin_page.fill("[name=consignee_document]", typed)
        expect(admin_page.get_by_text(verdict)).to_be_visible()
    button(admin_page, "Correct").click()
    expect(admin_page.get_by_text("the guide no longer needs review")).to_be_visible()
    expect(admin_page.get_by_role("link", name="Mark as reviewed")).to_have_count(0)


def test_no_page_asks_for_an_icon_that_is_not_there(admin_page: Page) -> None:
    missing: list[str] = []
    admin_page.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
    for address in ("/admin/", "/admin/shipments/guide/", "/docs/"):
        admin_page.goto(address)
        assert admin_page.locator("link[rel=icon]").get_attribute("href").endswith("icon.svg")  # type: ignore[union-attr]  # it is there
    assert missing == []


def test_a_double_click_sends_a_form_once(admin_page: Page, admin_service: Server) -> None:
    sent = uploaded(admin_service, admin_service.company(fresh_code()), guides=1)
    admin_page.goto(f"/admin/shipments/manifest/{sent['manifest_id']}/change/")
    posts: list[Route] = []
    # Never answered, so that the page is there for the second click. Playwright takes no built-in function.
    admin_page.route("**/note/", lambda route: posts.append(route))  # noqa: PLW0108
    admin_page.fill("[name=text]", "Called the client.")
    button(admin_page, "Add the note").evaluate("add => { add.click(); setTimeout(() => add.click(), 200); }")
    admin_page.wait_for_timeout(600)
    assert len(posts) == 1


def over(page: Page) -> None:
    """End the session, as if its time were over."""
    page.context.clear_cookies(name="sessionid")


def test_after_the_end_of_a_session_the_search_leaves_for_the_login_and_comes_back(admin_page: Page) -> None:
    admin_page.goto("/admin/shipments/manifest/?channel__exact=api")
    over(admin_page)
    admin_page.keyboard.press("Control+k")
    admin_page.locator("#search-input-command").press_sequentially("045")
    admin_page.wait_for_url("**/admin/login/?next=/admin/shipments/manifest/*")
    admin_page.fill("[name=username]", OPERATOR)
    admin_page.fill("[name=password]", OPERATORS_PASSWORD)
    admin_page.press("[name=password]", "Enter")
    admin_page.wait_for_url("**/admin/shipments/manifest/?channel__exact=api")
    admin_page.goto("/admin/search/")
    admin_page.get_by_role("searchbox", name="Search").last.press_sequentially("manifests")
    expect(admin_page.locator("#content").get_by_role("link", name="Manifests", exact=True)).to_be_visible()


def test_a_page_that_updates_itself_throws_nothing_and_leaves_for_the_login_when_the_session_is_over(
    admin_page: Page, busy: list[str]
) -> None:
    waiting = next(page for page in busy if re.fullmatch("/admin/webhooks/delivery/[0-9]+/change/", page))
    thrown: list[str] = []
    admin_page.on("pageerror", lambda error: thrown.append(error.stack or str(error)))
    admin_page.goto(waiting)
    expect(admin_page.locator("[hx-trigger='every 2s']")).to_have_count(1)
    admin_page.locator("#main").evaluate("main => main.classList.add('as-opened')")
    expect(admin_page.locator("#main:not(.as-opened, .htmx-added, .htmx-settling)")).to_have_count(1)
    assert thrown == []
    over(admin_page)
    admin_page.wait_for_url(f"**/admin/login/?next={waiting}")


def test_a_person_is_erased_with_a_mistyped_guide_that_is_ticked(admin_page: Page, admin_service: Server) -> None:
    client, phone = admin_service.company(fresh_code()), {"Teléfono": "+56 9 5551 7733"}
    rows = [
        guide_row(number, RUT=rut, **phone) for number, rut in ((1, "9876543-3"), (2, "9876543-K"), (3, "9876545-0"))
    ]
    answer = requests.post(
        f"{admin_service.api}/upload", files={"manifest_file": workbook_bytes(rows)}, headers=client, timeout=60
    )
    codes = [each["tracking_code"] for each in answer.json()["guides"]]
    admin_page.goto("/admin/privacy/")
    for name, text in (("documents", "9.876.543-3"), ("reference", "PRIV-7")):
        admin_page.fill(f"[name={name}]", text)
    admin_page.select_option("[name=country]", "CL")
    button(admin_page, "Find").click()
    admin_page.get_by_label(codes[1]).check()
    admin_page.get_by_label("Type the case reference").fill("PRIV-6")
    button(admin_page, "Erase").click()
    expect(admin_page.get_by_text("That is not the case reference. Nothing was erased.")).to_be_visible()
    expect(admin_page.get_by_label(codes[1])).to_be_checked()
    admin_page.get_by_label("Type the case reference").fill("PRIV-7")
    button(admin_page, "Erase").click()
    erased = re.compile(r"The person's data is erased(\. This is the receipt|, as far as it has been read)\.")
    expect(admin_page.get_by_text(erased)).to_be_visible()  # the second while other tests' uploads wait to be read
    shown = [requests.get(f"{admin_service.api}/guides/{code}", headers=client, timeout=60).json() for code in codes]
    assert [each["consignee_name"] for each in shown] == ["", "", "Persona 3"]
