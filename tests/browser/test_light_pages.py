"""What a page weighs for a browser that has never been here, and how little of it moves while it appears.

Neither is a time: the bytes and the shifts are those of any machine.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, Request

from tests.live.server import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MOST_BYTES = 250_000
MOST_SHIFT = 0.1
PARTS: Sequence[Literal["responseBodySize", "responseHeadersSize"]] = ("responseBodySize", "responseHeadersSize")
LISTS = ("/admin/", "/admin/shipments/manifest/", "/admin/shipments/guide/", "/admin/reports/")
ROWS = ("/admin/shipments/manifest/", "/admin/shipments/guide/")
WATCH = """
window.shift = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({type: 'layout-shift', buffered: true});
"""


@pytest.fixture
def stranger(browser: Browser, demo: Server, logged_in_demo: list[Any]) -> Iterator[Page]:
    """A page that is logged in, in a context that has loaded nothing."""
    context = browser.new_context(base_url=demo.address, viewport={"width": 1400, "height": 900})
    context.add_cookies(logged_in_demo)
    yield context.new_page()
    context.close()


def test_the_start_page_is_light_on_the_first_visit(stranger: Page) -> None:
    requests: list[Request] = []
    stranger.on("requestfinished", lambda request: requests.append(request))  # noqa: PLW0108  # Playwright takes no built-in
    stranger.goto("/admin/", wait_until="networkidle")
    received = {request.url: sum(request.sizes()[part] for part in PARTS) for request in requests}
    assert len([address for address in received if "/static/" in address]) > 10
    assert sum(received.values()) < MOST_BYTES, received


def test_nothing_moves_while_a_page_appears(stranger: Page) -> None:
    stranger.add_init_script(WATCH)
    pages = list(LISTS)
    for address in ROWS:
        stranger.goto(address)
        link: Any = stranger.locator("#result_list tbody a").first
        pages.append(link.evaluate("link => new URL(link.href).pathname"))
    shifts: dict[str, float] = {}
    for address in pages:
        stranger.context.new_cdp_session(stranger).send("Network.clearBrowserCache")
        stranger.goto(address, wait_until="networkidle")
        shifts[address] = stranger.evaluate("window.shift")
    assert len(shifts) == 6
    assert {address: shift for address, shift in shifts.items() if shift >= MOST_SHIFT} == {}
