"""The service with its static files, and one browser in which an operator is logged in."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright

from tests.live import server
from tests.live.server import Server

OPERATOR, PASSWORD = "olga", "only-for-the-browser-tests"

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
def browser(chromium: str) -> Iterator[Browser]:
    """One running browser for a worker. While Playwright runs, Django takes the thread for an async one."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # these tests reach the database through the service alone
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def logged_in(browser: Browser, admin_service: Server) -> StorageState:
    """What a browser keeps of a login: hashing the password for each test again would take longer than most."""
    context = browser.new_context(base_url=admin_service.address)
    page = context.new_page()
    page.goto("/admin/login/")
    page.fill("[name=username]", OPERATOR)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    expect(page.get_by_role("heading", name="Today's work")).to_be_visible()
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture
def admin_page(browser: Browser, admin_service: Server, logged_in: StorageState) -> Iterator[Page]:
    """The start page of the admin, as a logged-in operator opens it."""
    context = browser.new_context(
        base_url=admin_service.address,
        storage_state=logged_in,
        permissions=["clipboard-read", "clipboard-write"],
    )
    page = context.new_page()
    page.goto("/admin/")
    expect(page.get_by_role("heading", name="Today's work")).to_be_visible()
    yield page
    context.close()
