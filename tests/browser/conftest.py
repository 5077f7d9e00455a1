"""The service with its static files, and one browser in which an operator is logged in."""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.books import guide_row, workbook_bytes
from tests.browser.everyday_data import addresses_of
from tests.documents import guide, manifest
from tests.live import server
from tests.live.server import Server

OPERATOR, PASSWORD = "olga", "only-for-the-browser-tests"
REFUSED_OR_EMPTY = (
    "/no/such/page", "/admin/shipments/guide/?q=nothing&status__exact=lost", "/admin/shipments/manifest/?p=nonsense",
)  # fmt: skip
STORED = "local_storage,session_storage,indexeddb,cache_storage,service_workers"

expect.set_options(timeout=60_000)  # of a busy machine; nothing that passes waits for it


@pytest.fixture(scope="session")
def chromium() -> str:
    """The system's browser; without one these tests are skipped."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("no browser found: install chromium")
    return executable


@pytest.fixture(scope="session")
def admin_service(tmp_path_factory: Any) -> Iterator[Server]:
    """One for all modules of a worker: each test makes its own companies."""
    directory = tmp_path_factory.mktemp("admin_page")
    with server.served(directory, STATIC_ROOT=server.collected_static()) as running:
        running.operator(OPERATOR, PASSWORD)
        yield running


@pytest.fixture(scope="session")
def demo(tmp_path_factory: Any) -> Iterator[Server]:
    """What `make demo` makes, with the static files as they are served in production: hashed and compressed."""
    directory = tmp_path_factory.mktemp("demo")
    static = str(directory / "static")
    # Before the service starts: it serves the files that it finds then.
    before = server.Server("", {**os.environ, "STATIC_ROOT": static}, directory)
    before.manage("collectstatic", "--noinput", "--verbosity", "0", *server.WITHOUT_CHECKS)
    with server.served(directory, STATIC_ROOT=static) as running:
        running.manage("demo", "--manifests", "10", "--guides", "40", *server.WITHOUT_CHECKS)
        running.operator(OPERATOR, PASSWORD)
        yield running


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One running browser for a worker. While Playwright runs, Django takes the thread for an async one."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # these tests reach the database through the service alone
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


Contexts = Callable[[str, str], BrowserContext]
OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> Contexts:
    """`contexts(address, locale)`: the one for all tests of a worker. A new one would have an empty cache, and would
    load and compile every script and style again.
    """

    @cache
    def context(address: str, locale: str) -> BrowserContext:
        return browser.new_context(base_url=address, locale=locale)

    return context


@pytest.fixture
def open_page(contexts: Contexts) -> Iterator[OpenPage]:
    """`open_page(service, cookies, locale=...)`: a page that knows these cookies and nothing else of earlier ones."""
    used: set[BrowserContext] = set()

    def make(service: Server, cookies: Sequence[Any] = (), *, locale: str = "en-US") -> Page:
        context = contexts(service.address, locale)
        used.add(context)
        context.add_cookies(cookies)
        return context.new_page()

    yield make
    for context in used:
        forget(context)


def forget(context: BrowserContext) -> None:
    """Close the pages of a context; it keeps its cache, and none of what they stored or were allowed."""
    context.clear_cookies()
    context.clear_permissions()
    for page in context.pages:
        kept = {"origin": f"http://{urlsplit(page.url).netloc}", "storageTypes": STORED}
        context.new_cdp_session(page).send("Storage.clearDataForOrigin", kept)
        page.close()


@pytest.fixture(scope="session")
def logged_in(contexts: Contexts, admin_service: Server) -> list[Any]:
    """The cookies of a login: hashing the password for each test again would take longer than most."""
    return log_in(contexts, admin_service)


@pytest.fixture(scope="session")
def logged_in_demo(contexts: Contexts, demo: Server) -> list[Any]:
    """The same of the demo."""
    return log_in(contexts, demo)


def log_in(contexts: Contexts, service: Server) -> list[Any]:
    context = contexts(service.address, "en-US")
    page = context.new_page()
    page.goto("/admin/login/")
    page.fill("[name=username]", OPERATOR)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    expect(page.get_by_role("heading", name="Today's work")).to_be_visible()
    cookies: list[Any] = context.cookies()
    forget(context)
    return cookies


@pytest.fixture
def admin_page(open_page: OpenPage, admin_service: Server, logged_in: list[Any]) -> Page:
    """The start page of the admin, as a logged-in operator opens it."""
    page = open_page(admin_service, logged_in)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/admin/")
    expect(page.get_by_role("heading", name="Today's work")).to_be_visible()
    return page


@pytest.fixture(scope="session")
def busy(admin_service: Server) -> list[str]:
    """The addresses of the admin after some days of work of a company, which has a neighbour."""
    neighbour = admin_service.company(f"N{uuid.uuid4().hex[:10].upper()}")
    first = {"manifest_file": workbook_bytes([guide_row(1)])}
    assert requests.post(f"{admin_service.api}/upload", headers=neighbour, files=first, timeout=60).status_code == 201
    code = f"A{uuid.uuid4().hex[:10].upper()}"
    client = admin_service.company(code, countries="CL,PE")
    book = workbook_bytes([guide_row(number, RUT="1-9" if number == 4 else "12345678-5") for number in range(1, 15)])
    body = manifest(guide(1, "PE", fob_usd=2500), guide(2, "PE"), country="PE", mawb="045-12345686")
    for path, sent in (("upload", {"files": {"manifest_file": book}}), ("process-pre-alert-json", {"json": body})):
        answer = requests.post(f"{admin_service.api}/{path}", headers=client, timeout=60, **sent)
        assert answer.status_code == 201, answer.text
    admin_service.manage("shell", "-c", f"from tests.browser.everyday_data import fill; fill({code!r})")
    return [*addresses_of(admin_service), *REFUSED_OR_EMPTY]
