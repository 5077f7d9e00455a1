"""axe-core reports no violation of WCAG 2.1 AA or of its best practices on any page, in light and, of colours, in dark,
on a large screen and on a phone's.

axe-core comes from npm, in the version of the lock file in `tests/javascript`. The short form looks at each page
once: light on the large screen, or dark on the phone's.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from prealerts.documentation.pages import PAGES
from tests.browser.conftest import OpenPage
from tests.browser.states import STATES
from tests.javascript.packages import require_package
from tests.live.server import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

WIDTHS = (1400, 390)
LANGUAGES = {"light": "en", "dark": "es"}
"""Each scheme in one language: contrast does not depend on words, and the longer Spanish ones are seen once."""
WITHOUT_LOGIN = ("/admin/login/", "/docs/", *(f"/docs/{slug}/" for slug in PAGES), "/docs/examples/")
IN_SHORT = {"light": WIDTHS[:1], "dark": WIDTHS[1:]}
STILL = "* { animation: none !important; transition: none !important; }"
"""A colour on its way to another one has a contrast that nobody reads."""
Problems = Callable[[str], Iterator[str]]
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
RULES = {
    "light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    "dark": ["color-contrast", "link-in-text-block"],
}
"""All in light; in dark those about colours, which alone depend on the scheme. The short form, which looks at each page
in one scheme, has all of them in both."""
VIOLATIONS = """
async rules => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ['violations']});
  return found.violations.flatMap(({id, nodes}) => nodes.map(({target, any, all, none}) =>
    `${id}: ${target.join(' ')}: ${[...any, ...all, ...none].map(({message}) => message).join('; ')}`));
}
"""


@pytest.fixture(scope="module")
def axe() -> str:
    return (require_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(params=LANGUAGES)
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tab(open_page: OpenPage, admin_service: Server, logged_in: list[Any], scheme: Literal["light", "dark"]) -> Page:
    page = open_page(admin_service, logged_in, locale=LANGUAGES[scheme])
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    return page


@pytest.fixture
def problems(tab: Page, axe: str, scheme: str, pytestconfig: pytest.Config) -> Problems:
    """`problems(where)`: what is wrong with the tab's page as it is, on each screen."""

    return lambda where: problems_of(tab, axe, where, scheme, pytestconfig)


def problems_of(page: Page, axe: str, where: str, scheme: str, config: pytest.Config) -> Iterator[str]:
    """Yield what is wrong with the page as it is, on each screen."""
    page.add_style_tag(content=STILL)
    page.evaluate(axe)
    is_short = config.getoption("--short")
    for width in IN_SHORT[scheme] if is_short else WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if (beyond := page.evaluate(TOO_WIDE)) > 0:
            yield f"{where} at {width}: wider than the screen by {beyond}"
        for violation in page.evaluate(VIOLATIONS, RULES["light" if is_short else scheme]):
            yield f"{where} at {width}: {violation}"


def in_turn(addresses: Sequence[str], scheme: str, config: pytest.Config) -> Sequence[str]:
    """All of them, or in the short form every other one in each scheme."""
    return addresses[[*LANGUAGES].index(scheme) :: len(LANGUAGES)] if config.getoption("--short") else addresses


def test_no_page_of_the_admin_has_a_violation(
    tab: Page, problems: Problems, busy: list[str], scheme: str, pytestconfig: pytest.Config
) -> None:
    found: list[str] = []
    for address in in_turn(busy, scheme, pytestconfig):
        tab.goto(address)
        found += problems(address)
    assert len(busy) > 110
    assert not found, "\n".join(found)


def test_no_page_before_the_login_has_a_violation(
    tab: Page, problems: Problems, scheme: str, pytestconfig: pytest.Config
) -> None:
    tab.context.clear_cookies()
    found: list[str] = []
    for address in in_turn(WITHOUT_LOGIN, scheme, pytestconfig):
        tab.goto(address)
        tab.wait_for_load_state("networkidle")  # the reference is drawn by a script
        found += problems(address)
    assert not found, "\n".join(found)


def test_nothing_that_opens_on_a_page_has_a_violation(tab: Page, problems: Problems, busy: list[str]) -> None:
    assert busy
    found: list[str] = []
    tab.goto("/admin/")
    tab.keyboard.press("Control+k")
    tab.locator("#search-input-command").press_sequentially("045")
    expect(tab.locator("#command-results a").first).to_be_visible()
    found += problems("the search")
    tab.set_viewport_size({"width": WIDTHS[0], "height": 900})
    tab.goto("/admin/webhooks/delivery/")
    tab.locator(".pa-open-filters").click()
    expect(tab.locator("#changelist-filter")).to_be_visible()
    found += problems("the filters")
    of_a_manifest = (address for address in busy if address.startswith("/admin/shipments/manifest/"))
    advance = next(address for address in of_a_manifest if address.endswith("/advance/"))
    tab.set_viewport_size({"width": WIDTHS[0], "height": 900})
    tab.goto(advance)
    tab.select_option("[name=status]", "delivered")
    tab.locator("#content button[type=submit]").first.click()
    expect(tab.locator(".pa-table")).to_be_visible()
    found += problems("the preview of a move")
    assert not found, "\n".join(found)


def test_no_state_of_a_page_has_a_violation(
    open_page: OpenPage,
    demo: Server,
    logged_in_demo: list[Any],
    scheme: Literal["light", "dark"],
    axe: str,
    pytestconfig: pytest.Config,
) -> None:
    page = open_page(demo, logged_in_demo, locale=LANGUAGES[scheme])
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    found: list[str] = []
    names = in_turn(list(STATES), scheme, pytestconfig)
    for name in names:
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        STATES[name](page)
        found += problems_of(page, axe, name, scheme, pytestconfig)
    assert len(STATES) >= 26
    assert not found, "\n".join(found)
