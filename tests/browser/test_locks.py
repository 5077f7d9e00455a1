"""Security of the admin in a browser: second factor, lockout, country scope, audit pages, content security policy."""

import json
import time
import uuid
from base64 import b32decode
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from django_otp.oath import TOTP
from playwright.sync_api import Browser, Page, expect

from tests.books import guide_row, workbook_bytes
from tests.browser.conftest import OpenPage
from tests.browser.everyday_data import addresses_of
from tests.documents import guide, manifest
from tests.live import server
from tests.live.server import Server

PASSWORD = "only-for-the-browser-tests"


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: Any) -> Iterator[Server]:
    """The service as production has it: the second factor is asked for."""
    directory = tmp_path_factory.mktemp("guarded")
    with server.served(directory, STATIC_ROOT=server.collected_static(), ADMIN_SECOND_FACTOR="on") as running:
        yield running


@pytest.fixture
def page(open_page: OpenPage, guarded: Server) -> Page:
    """A page of the guarded service; nobody is logged in."""
    return open_page(guarded)


def fresh_name() -> str:
    return f"op{uuid.uuid4().hex[:10]}"


def log_in(page: Page, username: str, password: str = PASSWORD) -> None:
    page.goto("/admin/login/")
    page.fill("[name=username]", username)
    page.fill("[name=password]", password)
    page.press("[name=password]", "Enter")


def log_out(page: Page) -> None:
    page.context.clear_cookies()


def code_for(key: str, steps: int = 0) -> str:
    totp = TOTP(b32decode(key.replace(" ", "")))  # type: ignore[no-untyped-call]  # django-otp ships no types
    totp.time = time.time() + 30 * steps
    return f"{totp.token():06d}"  # type: ignore[no-untyped-call]  # as above


def give_code(page: Page, code: str) -> None:
    page.fill("[name=code]", code)
    page.press("[name=code]", "Enter")


def enrol(page: Page, username: str) -> tuple[str, list[str]]:
    """Log in for the first time: the app's key, and the recovery codes."""
    log_in(page, username)
    expect(page.get_by_role("heading", name="Set up the second factor")).to_be_visible()
    expect(page.locator(".second-factor-qr")).to_be_visible()
    page.wait_for_function("document.querySelector('.second-factor-qr').naturalWidth > 100")  # drawn, not only placed
    key = page.locator(".second-factor-key").inner_text()
    give_code(page, code_for(key))
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    return key, page.locator("#recovery-codes code").all_inner_texts()


def test_a_first_login_enrols_and_later_ones_ask_for_the_code(page: Page, guarded: Server) -> None:
    name = fresh_name()
    guarded.operator(name, PASSWORD)
    key, codes = enrol(page, name)
    assert len(set(codes)) == 10
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.path().read_text(encoding="utf-8").split() == codes
    page.get_by_role("link", name="I have saved them").click()
    expect(page.get_by_role("heading", name="Today's work")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("have already been shown").first).to_be_visible()

    log_out(page)
    log_in(page, name)
    expect(page.get_by_text("Enter the six digits")).to_be_visible()
    page.goto("/admin/shipments/guide/")
    expect(page.get_by_text("Enter the six digits")).to_be_visible()
    give_code(page, "000000" if code_for(key, 1) != "000000" else "111111")
    expect(page.get_by_text("The code is wrong")).to_be_visible()
    time.sleep(1.1)  # django-otp lets the next code wait for a second
    give_code(page, code_for(key, 1))
    expect(page).to_have_url(f"{guarded.address}/admin/shipments/guide/")


def test_a_recovery_code_opens_once(page: Page, guarded: Server) -> None:
    name = fresh_name()
    guarded.operator(name, PASSWORD)
    _key, codes = enrol(page, name)
    for shown in ("9 recovery codes are left.", "The code is wrong"):
        log_out(page)
        log_in(page, name)
        give_code(page, codes[0])
        expect(page.get_by_text(shown)).to_be_visible()


@pytest.fixture
def attacked(tmp_path: Any) -> Iterator[Server]:
    """A service of its own: what one test uses up of an address, all others there lack for a minute."""
    with server.served(tmp_path, STATIC_ROOT=server.collected_static(), ADMIN_SECOND_FACTOR="on") as running:
        yield running


def test_others_at_an_address_stop_no_browser_that_has_logged_in_before(
    open_page: OpenPage, browser: Browser, attacked: Server
) -> None:
    name = fresh_name()
    attacked.operator(name, PASSWORD)
    page = open_page(attacked)
    log_in(page, name)
    page.context.clear_cookies(name="sessionid")
    stranger = browser.new_context(base_url=attacked.address).new_page()
    for _ in range(11):
        log_in(stranger, name, "a-wrong-guess")
    expect(stranger.get_by_role("heading", name="Too many wrong passwords")).to_be_visible()
    log_in(page, name)
    expect(page.get_by_role("heading", name="Set up the second factor")).to_be_visible()
    stranger.context.close()


@pytest.fixture
def two_countries(admin_service: Server) -> dict[str, str]:
    """Tracking codes of a guide in Chile and one in Peru, of the same company."""
    client = admin_service.company(f"C{uuid.uuid4().hex[:10].upper()}", countries="CL,PE")
    book = workbook_bytes([guide_row(1)])
    here = requests.post(f"{admin_service.api}/upload", files={"manifest_file": book}, headers=client, timeout=60)
    body = manifest(guide(1, "PE"), country="PE", mawb=f"999-{uuid.uuid4().int % 10**8:08d}")
    there = requests.post(f"{admin_service.api}/process-pre-alert-json", json=body, headers=client, timeout=60)
    assert (here.status_code, there.status_code) == (201, 201), there.text
    return {"CL": here.json()["guides"][0]["tracking_code"], "PE": there.json()["guides"][0]["tracking_code"]}


MAKE_SCOPED = """
from django.contrib.auth.models import Group, User
from companies.models import OperatorProfile
from shipments.models import Guide
import json
user = User.objects.create_user("{name}", password="{password}", is_staff=True)
user.groups.add(Group.objects.get(name="Operations"))
OperatorProfile.objects.create(user=user, countries=["CL"])
print("IDS" + json.dumps(dict(Guide.objects.filter(tracking_code__in={codes}).values_list("tracking_code", "pk"))))
"""


def test_a_scoped_operator_finds_no_guide_of_another_country_by_its_address(
    open_page: OpenPage, admin_service: Server, two_countries: dict[str, str]
) -> None:
    name = fresh_name()
    made = admin_service.manage(
        "shell", "-c", MAKE_SCOPED.format(name=name, password=PASSWORD, codes=list(two_countries.values()))
    )
    ids = json.loads(made.rpartition("IDS")[2])
    page = open_page(admin_service)
    log_in(page, name)
    expect(page.get_by_role("heading", name="Today's work")).to_be_visible()
    page.goto(f"/admin/shipments/guide/{ids[two_countries['CL']]}/change/")
    expect(page.get_by_text(two_countries["CL"]).first).to_be_visible()
    foreign = page.goto(f"/admin/shipments/guide/{ids[two_countries['PE']]}/change/")
    assert foreign is not None
    assert foreign.status == 404
    assert two_countries["PE"] not in page.content()
    page.goto(f"/admin/shipments/guide/?q={two_countries['PE']}")
    expect(page.locator("#result_list")).to_have_count(0)
    page.goto(f"/admin/shipments/guide/?q={two_countries['CL']}")
    expect(page.locator("#result_list")).to_have_count(1)


def test_the_audit_pages_show_who_opened_and_who_changed_what(
    admin_page: Page, admin_service: Server, two_countries: dict[str, str]
) -> None:
    admin_page.goto(f"/admin/shipments/guide/?q={two_countries['CL']}")
    admin_page.get_by_role("rowheader").get_by_role("link", name=two_countries["CL"]).click()
    expect(admin_page.get_by_role("link", name="Advance to")).to_be_visible()
    admin_page.get_by_role("link", name="Activity log").click()
    row = admin_page.get_by_role("row").filter(has_text=two_countries["CL"]).first
    expect(row).to_contain_text("Opened.")
    expect(row).to_contain_text("olga")
    code = f"D{uuid.uuid4().hex[:10].upper()}"
    admin_service.company(code)
    admin_service.manage("deactivate_company", code)
    admin_page.get_by_role("link", name="Configuration changes").click()
    row = admin_page.get_by_role("row").filter(has_text=code).first
    expect(row).to_contain_text("active: yes → no")
    expect(row).to_contain_text("a command")


TABS = 8
"""Open at once: each page is listened to until it has been silent for half a second, and they wait together."""


def hear(tab: Page, problems: list[str]) -> None:
    """Add what a tab throws, or says to its console as an error, to `problems`."""
    tab.on("pageerror", lambda error: problems.append(f"{tab.url}: {error.stack or error}"))
    tab.on(
        "console",
        lambda line: (
            problems.append(f"{tab.url}: {line.text}")
            if line.type == "error" and "the server responded with a status of 40" not in line.text
            else None
        ),
    )


def test_no_page_of_the_admin_breaks_the_policy_or_throws(
    admin_page: Page, admin_service: Server, two_countries: dict[str, str]
) -> None:
    assert two_countries
    company = admin_service.company(f"E{uuid.uuid4().hex[:10].upper()}")
    assert company
    addresses = addresses_of(admin_service)
    addresses += [
        "/admin/", "/admin/password_change/", "/admin/events/import/", "/admin/second-factor/",
        "/admin/second-factor/enrol/", "/admin/companies/", "/no/such/page", "/admin/shipments/guide/?q=x&country=CL",
    ]  # fmt: skip
    problems: list[str] = []
    tabs = [admin_page, *(admin_page.context.new_page() for _ in range(TABS - 1))]
    for tab in tabs:
        hear(tab, problems)
    for some in (addresses[start : start + TABS] for start in range(0, len(addresses), TABS)):
        opened = list(zip(tabs, some, strict=False))
        for tab, address in opened:
            tab.goto(address)
        for tab, _address in opened:
            tab.wait_for_load_state("networkidle")
    assert len(addresses) > 40
    assert problems == []
    inline = "document.head.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))"
    admin_page.evaluate(inline)
    assert "Content Security Policy" in problems[0]  # a breach would have been heard
    assert admin_page.evaluate("window.ran") is None
