"""Receiving with a phone in a real browser: a scripted scanner, a network that comes and goes, two operators."""

import re
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
import requests
from playwright.sync_api import BrowserContext, Error, Page, expect

from tests.browser.conftest import OPERATOR, OpenPage
from tests.browser.test_everyday_work import fresh_code
from tests.documents import guide, manifest
from tests.live.server import Server

STORED = """() => new Promise((resolve, reject) => {
  const opening = indexedDB.open("prealerts-receiving");
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const rows = opening.result.transaction("scans").objectStore("scans").getAll();
    rows.onsuccess = () => { opening.result.close(); resolve(rows.result); };
  };
})"""
NONE_STORED = f"({STORED})().then(rows => rows.length === 0)"


def receiving(page: Page, *mawbs: str, place: str = "SCL-01") -> str:
    """Open a batch by the form, and return its id."""
    page.goto("/admin/receive/new/")
    page.get_by_label("Place").fill(place)
    page.get_by_label("Other MAWBs").fill(", ".join(mawbs))
    page.get_by_role("button", name="Begin to scan").click()
    expect(word(page)).to_have_text("Scan a code")
    # The page keeps itself for later meanwhile; its answers would bring back a session that a test takes away.
    page.wait_for_function("caches.match(location.href, {ignoreVary: true}).then(Boolean)")
    page.wait_for_load_state("networkidle")
    return page.url.rstrip("/").rpartition("/")[2]


def word(page: Page) -> Any:
    return page.locator("#receive-result .receive-word")


def scan(page: Page, code: str) -> None:
    """Type as a scanner does, wherever the page is."""
    page.keyboard.type(code)
    page.keyboard.press("Enter")


def stored(page: Page) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = page.evaluate(STORED)
    return rows


def scans_of(service: Server, batch: str) -> list[str]:
    """The codes as the service has them, in the order in which they were recorded."""
    printed = service.manage(
        "shell", "--no-imports", "-c",
        "from shipments.models import InboundScan; "
        f"print(*InboundScan.objects.filter(batch={batch.removeprefix('ib_')}).order_by('id')"
        ".values_list('code', flat=True))",
    )  # fmt: skip
    return printed.split()


@pytest.fixture(scope="session")
def client(admin_service: Server) -> dict[str, str]:
    return admin_service.company(fresh_code(), countries="CL,PE")


_serials = count(5_000_001)


def sent(
    service: Server, client: dict[str, str], guides: int, country: str = "CL", **fields: Any
) -> tuple[str, list[str]]:
    """A new MAWB, and the tracking codes of its guides."""
    serial = next(_serials)
    rows = [guide(number, country, **fields) for number in range(1, guides + 1)]
    body = manifest(*rows, country=country, mawb=f"045-{serial}{serial % 7}")
    answer = requests.post(f"{service.api}/process-pre-alert-json", json=body, headers=client, timeout=60)
    assert answer.status_code == 201, answer.text
    return body["mawb"], [each["tracking_code"] for each in answer.json()["guides"]]


def held(service: Server, code: str, status: str = "customs_held") -> None:
    service.manage(
        "shell", "--no-imports", "-c",
        "from shipments.models import Guide; "
        f"Guide.objects.filter(tracking_code='{code}').update(status='{status}')",
    )  # fmt: skip


def test_every_outcome_has_its_word(admin_page: Page, admin_service: Server, client: dict[str, str]) -> None:
    mawb, codes = sent(admin_service, client, 3)
    _other, others = sent(admin_service, client, 1)
    held(admin_service, codes[1])
    receiving(admin_page, mawb)
    for code, said in (
        (codes[0], "expected"), (codes[0], "again"), (others[0], "another MAWB"), ("NOBODY-1", "surplus"),
        (codes[1], "do not release"),
    ):  # fmt: skip
        scan(admin_page, code)
        expect(admin_page.locator("#receive-result")).to_contain_text(code)
        expect(word(admin_page)).to_have_text(said)
    expect(admin_page.locator("#receive-missing")).to_have_text("1")
    expect(admin_page.locator("#receive-held-list li")).to_have_count(1)
    admin_page.goto("/admin/receive/")  # goes on with the same batch, and the held parcel is still to be confirmed
    expect(admin_page.locator("#receive-held-list")).to_contain_text(codes[1])
    admin_page.get_by_role("button", name="Confirm", exact=True).click()
    expect(admin_page.locator("#receive-held")).to_be_hidden()
    admin_page.wait_for_function(NONE_STORED)


def test_a_network_that_is_cut_three_times_loses_no_scan_and_repeats_none(
    admin_page: Page, admin_service: Server, client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 45)
    batch = receiving(admin_page, mawb)
    for number, code in enumerate(codes):
        if number % 15 == 5:
            admin_page.context.set_offline(True)
        scan(admin_page, code)
        if number % 15 == 12:
            expect(word(admin_page)).to_have_text("not checked yet")
            admin_page.context.set_offline(False)
    expect(admin_page.locator("#receive-waiting")).to_have_text("0")
    expect(admin_page.locator("#receive-missing")).to_have_text("0")
    assert scans_of(admin_service, batch) == codes
    admin_page.wait_for_function(NONE_STORED)


def test_what_was_scanned_offline_survives_a_reload_and_what_is_held_comes_on_top(
    admin_page: Page, admin_service: Server, client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 3)
    batch = receiving(admin_page, mawb)
    held(admin_service, codes[0], "on_hold")
    admin_page.context.set_offline(True)
    for code in codes:
        scan(admin_page, code)
    expect(admin_page.locator("#receive-waiting")).to_have_text("3")
    expect(word(admin_page)).to_have_text("not checked yet")
    kept = {"order", "scan_id", "code", "scanned_at", "batch", "operator", "name"}
    assert [({*row}, row["code"]) for row in stored(admin_page)] == [(kept, code) for code in codes]
    admin_page.context.set_offline(False)
    admin_page.reload()
    expect(admin_page.locator("#receive-waiting")).to_have_text("0")
    expect(admin_page.locator("#receive-held-list li")).to_have_count(1)
    expect(admin_page.locator("#receive-held-list")).to_contain_text(codes[0])
    assert scans_of(admin_service, batch) == codes
    ((row, code),) = [({*row}, row["code"]) for row in stored(admin_page)]
    assert (row - kept, code) == ({"state", "hold", "outcome"}, codes[0])


CACHED = """async (wanted) => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
  for (const each of wanted) while (!(await caches.match(each))) await wait();
  if (wanted.length) await navigator.serviceWorker.ready;
  const found = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) found[new URL(url).pathname] = await (await cache.match(url)).text();
  }
  return found;
}"""


def cached(page: Page, *addresses: str) -> dict[str, str]:
    """Path -> text of what the browser keeps, once these addresses are among it."""
    kept: dict[str, str] = page.evaluate(CACHED, [*addresses])
    return kept


@pytest.mark.parametrize("address", ["/admin/receive/{batch}/", "/admin/receive/"])
def test_the_page_is_loaded_again_without_a_network_and_goes_on_scanning(
    admin_page: Page, admin_service: Server, client: dict[str, str], address: str
) -> None:
    mawb, codes = sent(admin_service, client, 4)
    batch = receiving(admin_page, mawb)
    address = address.format(batch=batch)
    cached(admin_page, address)
    scan(admin_page, codes[0])
    expect(word(admin_page)).to_have_text("expected")
    admin_page.context.set_offline(True)
    scan(admin_page, codes[1])
    expect(admin_page.locator("#receive-waiting")).to_have_text("1")
    for code in codes[2:]:
        admin_page.goto(address)
        expect(admin_page.locator("#receive-notice")).to_contain_text("No network")
        scan(admin_page, code)
        expect(word(admin_page)).to_have_text("not checked yet")
    expect(admin_page.locator("#receive-waiting")).to_have_text("3")
    admin_page.context.set_offline(False)
    expect(admin_page.locator("#receive-missing")).to_have_text("0")
    expect(admin_page.locator("#receive-notice")).to_be_hidden()
    assert scans_of(admin_service, batch) == codes
    admin_page.wait_for_function(NONE_STORED)


def test_what_the_browser_keeps_of_the_page_is_its_shell_and_static_files_without_a_name(
    admin_page: Page, client: dict[str, str], admin_service: Server
) -> None:
    mawb, codes = sent(admin_service, client, 1)
    batch = receiving(admin_page, mawb)
    scan(admin_page, codes[0])
    expect(word(admin_page)).to_have_text("expected")
    admin_page.reload()
    kept = cached(admin_page, f"/admin/receive/{batch}/")
    pages = {path: text for path, text in kept.items() if not path.startswith("/static/")}
    assert {*pages} == {f"/admin/receive/{batch}/", "/admin/receive/"}
    for text in pages.values():
        assert [word in text for word in (OPERATOR, "csrfmiddlewaretoken", codes[0], "Test Consignee")] == [False] * 4
    admin_page.goto("/admin/shipments/guide/")
    assert cached(admin_page).keys() == kept.keys()


def test_after_logging_out_nothing_of_the_page_is_left_in_the_browser(
    admin_page: Page, admin_service: Server, client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 1)
    admin_page.context.clear_cookies()
    log_in(admin_page, *make_operator(admin_service, "CL"), then="/admin/")
    batch = receiving(admin_page, mawb)
    cached(admin_page, f"/admin/receive/{batch}/")
    admin_page.route("**/scans/", lambda route: route.abort())
    scan(admin_page, codes[0])
    expect(admin_page.locator("#receive-waiting")).to_have_text("1")
    admin_page.evaluate("document.querySelector('#logout-form').requestSubmit()")
    admin_page.wait_for_url("**/logout/")
    admin_page.evaluate("""async () => {
      const left = async () => [...(await caches.keys()), ...(await navigator.serviceWorker.getRegistrations())];
      while ((await left()).length) await new Promise((resolve) => setTimeout(resolve, 50));
    }""")
    assert [row["code"] for row in stored(admin_page)] == codes
    admin_page.context.set_offline(True)
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        admin_page.goto(f"/admin/receive/{batch}/")
    admin_page.context.set_offline(False)


def test_a_page_loaded_without_a_network_sends_nothing_for_whoever_logged_in_meanwhile(
    admin_page: Page, admin_service: Server, logged_in: Sequence[Any], client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 1)
    batch = receiving(admin_page, mawb)
    cached(admin_page, f"/admin/receive/{batch}/")
    admin_page.context.set_offline(True)
    admin_page.reload()
    expect(admin_page.locator("#receive-notice")).to_contain_text("No network")
    scan(admin_page, codes[0])
    expect(admin_page.locator("#receive-waiting")).to_have_text("1")
    admin_page.context.clear_cookies()
    admin_page.context.set_offline(False)
    expect(admin_page.get_by_role("link", name="Log in")).to_be_visible()
    other = admin_page.context.new_page()
    log_in(other, *make_operator(admin_service, "CL"), then=f"/admin/receive/{batch}/")
    expect(other.locator("#receive-theirs")).to_contain_text("(1)")
    admin_page.evaluate("dispatchEvent(new Event('online'))")
    expect(admin_page.locator("#receive-notice")).to_contain_text("You may not scan here")
    assert scans_of(admin_service, batch) == []
    admin_page.context.clear_cookies()
    admin_page.context.add_cookies(logged_in)
    admin_page.reload()
    expect(admin_page.locator("#receive-missing")).to_have_text("0")
    assert scans_of(admin_service, batch) == codes


def make_operator(service: Server, *countries: str) -> tuple[str, str]:
    """An operator of these countries, and the password."""
    name, password = f"op{fresh_code()[:8].lower()}", "only-for-this-browser-test"
    service.manage(
        "shell", "--no-imports", "-c",
        "from django.contrib.auth.models import Group, User; from companies.models import OperatorProfile; "
        f"user = User.objects.create_user('{name}', password='{password}', is_staff=True); "
        "user.groups.set(Group.objects.filter(name='Operations')); "
        f"OperatorProfile.objects.create(user=user, countries={[*countries]})",
    )  # fmt: skip
    return name, password


def test_another_operators_scans_are_kept_as_theirs_and_go_out_when_they_are_back(
    admin_page: Page, admin_service: Server, logged_in: Sequence[Any], client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 2)
    batch = receiving(admin_page, mawb)
    admin_page.route("**/scans/", lambda route: route.abort())
    scan(admin_page, codes[0])
    expect(admin_page.locator("#receive-waiting")).to_have_text("1")
    admin_page.context.clear_cookies()
    admin_page.unroute("**/scans/")
    log_in(admin_page, *make_operator(admin_service, "CL"), then=f"/admin/receive/{batch}/")
    expect(admin_page.locator("#receive-theirs")).to_contain_text(f"{OPERATOR} (1)")
    expect(admin_page.locator("#receive-waiting")).to_have_text("0")
    assert codes[0] not in admin_page.locator("body").inner_text()
    scan(admin_page, codes[1])
    expect(word(admin_page)).to_have_text("expected")
    assert scans_of(admin_service, batch) == [codes[1]]
    context: BrowserContext = admin_page.context
    context.clear_cookies()
    context.add_cookies(logged_in)
    admin_page.goto(f"/admin/receive/{batch}/")
    expect(admin_page.locator("#receive-missing")).to_have_text("0")
    assert scans_of(admin_service, batch) == [codes[1], codes[0]]
    admin_page.wait_for_function(NONE_STORED)


def log_in(page: Page, name: str, password: str, *, then: str) -> None:
    page.goto(f"/admin/login/?next={then}")
    page.fill("[name=username]", name)
    page.fill("[name=password]", password)
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"**{then}")


def test_an_operator_of_another_country_reads_no_code_of_what_waits_in_the_same_browser(
    admin_page: Page, admin_service: Server, client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 1)
    peruvian, limas = sent(admin_service, client, 1, "PE")
    batch = receiving(admin_page, mawb)
    admin_page.route("**/scans/", lambda route: route.abort())
    scan(admin_page, codes[0])
    expect(admin_page.locator("#receive-waiting")).to_have_text("1")
    admin_page.context.clear_cookies()
    admin_page.unroute("**/scans/")
    log_in(admin_page, *make_operator(admin_service, "PE"), then="/admin/receive/")
    own = receiving(admin_page, peruvian, place="LIM-01")
    expect(admin_page.locator("#receive-theirs")).to_contain_text(f"{OPERATOR} (1)")
    scan(admin_page, limas[0])
    expect(word(admin_page)).to_have_text("expected")
    shown = admin_page.locator("body").inner_text()
    assert [text in shown for text in (codes[0], mawb, batch)] == [False] * 3
    assert (scans_of(admin_service, batch), scans_of(admin_service, own)) == ([], limas)
    assert [row["code"] for row in stored(admin_page)] == codes


def test_a_session_that_is_over_keeps_the_scans_and_leads_to_the_login(
    admin_page: Page, admin_service: Server, logged_in: Sequence[Any], client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 1)
    receiving(admin_page, mawb)
    admin_page.context.clear_cookies(name="sessionid")
    scan(admin_page, codes[0])
    expect(admin_page.get_by_role("link", name="Log in")).to_be_visible()
    admin_page.context.add_cookies(logged_in)
    admin_page.get_by_role("link", name="Log in").click()
    expect(admin_page.locator("#receive-missing")).to_have_text("0")


def test_scans_for_a_batch_that_was_closed_are_taken_into_another(
    admin_page: Page, admin_service: Server, client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 2)
    batch = receiving(admin_page, mawb)
    admin_service.manage(
        "shell", "--no-imports", "-c",
        f"from shipments.inbound.receiving import close; close({batch.removeprefix('ib_')}, actor='anyone')",
    )  # fmt: skip
    scan(admin_page, codes[0])
    admin_page.locator("#receive-notice").get_by_role("link", name="Open another batch").click()
    admin_page.get_by_role("button", name="Begin to scan").click()
    admin_page.get_by_role("button", name="Take them into this batch").click()
    expect(admin_page.locator("#receive-missing")).to_have_text("1")
    assert scans_of(admin_service, batch) == []


def test_a_bag_is_looked_at_and_received(admin_page: Page, admin_service: Server, client: dict[str, str]) -> None:
    bag = fresh_code()
    mawb, codes = sent(admin_service, client, 3, bag=bag)
    other = fresh_code()
    sent(admin_service, client, 1, bag=other)
    held(admin_service, codes[2])
    batch = receiving(admin_page, mawb)
    scan(admin_page, codes[0])
    expect(word(admin_page)).to_have_text("expected")
    scan(admin_page, bag)
    expect(word(admin_page)).to_have_text("bag")
    scan(admin_page, bag)  # once more
    expect(admin_page.locator("#receive-held-list li")).to_have_count(2)
    expect(admin_page.locator("#receive-bag-parcels li")).to_have_count(3)
    admin_page.get_by_role("button", name="Receive all").click()
    expect(admin_page.locator("#receive-missing")).to_have_text("0")
    expect(word(admin_page)).to_have_text("do not release")
    expect(admin_page.locator("#receive-held-list li")).to_have_count(1)
    expect(admin_page.locator("#receive-held-list")).to_contain_text(codes[2])
    assert sorted(scans_of(admin_service, batch)) == sorted(codes)
    scan(admin_page, other)
    expect(word(admin_page)).to_have_text("another MAWB")
    expect(admin_page.locator("#receive-result")).to_contain_text(f"Bag {other} is of another MAWB")
    assert bag not in scans_of(admin_service, batch)


CAMERA = """(code) => {
  window.BarcodeDetector = class { async detect() { return [{ rawValue: code }]; } };
  const canvas = document.createElement("canvas");
  canvas.getContext("2d");
  Object.defineProperty(navigator, "mediaDevices", { value: { getUserMedia: async () => canvas.captureStream(5) } });
}"""


def test_a_camera_that_sees_a_code_scans_it_once(
    open_page: OpenPage, admin_service: Server, logged_in: Any, client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 1)
    page = open_page(admin_service, logged_in)
    page.add_init_script(f"({CAMERA})('{codes[0]}')")
    batch = receiving(page, mawb)
    page.get_by_role("button", name="Camera").click()
    expect(word(page)).to_have_text("expected")
    page.wait_for_timeout(1500)
    assert scans_of(admin_service, batch) == [codes[0]]


def test_a_batch_is_closed_and_labelled_from_its_page(
    admin_page: Page, admin_service: Server, client: dict[str, str]
) -> None:
    mawb, codes = sent(admin_service, client, 2)
    receiving(admin_page, mawb)
    scan(admin_page, codes[0])
    expect(word(admin_page)).to_have_text("expected")
    admin_page.get_by_role("link", name="The batch").click()
    admin_page.get_by_role("link", name="Labels").click()
    expect(admin_page.locator(".label")).to_have_count(1)
    expect(admin_page.locator(".label-code")).to_have_text(codes[1])
    admin_page.go_back()
    admin_page.get_by_role("link", name="Close…").click()
    admin_page.locator("#content").get_by_role("button", name="Close").click()
    expect(admin_page.get_by_text(re.compile("The batch .* is closed"))).to_be_visible()
