"""Which tests run when: browsers and slow ones in targets of their own, and what asks no database once, not on each.

Loaded by `tests/conftest.py`. `make test` leaves `browser`, `image` and `slow` out; CI runs them all.
"""

from pathlib import Path

import pytest
from django.conf import settings

TESTS = Path(__file__).parent
ASK_NO_DATABASE = {
    "benchmarks",
    "browser",
    "companies/operators/test_guessing.py",
    "companies/operators/test_second_factor.py",
    "companies/operators/test_second_factor_gate.py",
    "companies/operators/test_session_limits.py",
    "container",
    "country_scope/test_no_circles.py",
    "country_scope/test_without_permission.py",
    "image",
    "leaks/test_admin_pages.py",
    "live/test_client.py",
    "live/test_client_installed.py",
    "live/test_client_scripted.py",
    "live/test_generated_clients.py",
    "prealerts/documentation",
    "prealerts/metrics",
    "prealerts/reference",
    "prealerts/watch",
    "proxy",
    "shipments/annotated",
    "shipments/formats/test_fresh_layouts.py",
    "shipments/manifests",
    "test_countries.py",
    "webhooks/test_example_receiver.py",
}
"""Folders and files that test a browser, a proxy, an image, a client, a session, a plot, a document, the reading of
workbooks or the links of pages, not the database behind them."""
ASK_THROUGH_A_SERVICE = {"live", "test_backups.py", "test_operations.py", "test_migrations.py"}
"""Places whose tests reach the database through a service that they start, without a fixture that says so."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--each", action="store_true", help="on PostgreSQL, run also what asks no database and ran on SQLite already"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: drives Chromium; `make test-browser`")
    config.addinivalue_line("markers", "image: builds the container image and runs it; `make image-test`")
    config.addinivalue_line("markers", "slow: needs Node, another PostgreSQL, or minutes; `make test-slow`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if place(item).startswith("browser/"):
            item.add_marker(pytest.mark.browser)
        if place(item).startswith("image/"):
            item.add_marker(pytest.mark.image)
            item.add_marker(pytest.mark.timeout(3600))
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(1800))
    is_second_run = "postgresql" in settings.DATABASES["default"]["ENGINE"] and not config.getoption("--each")
    if is_second_run and len({item.path for item in items}) > 1:  # a file named by itself is run as it was asked for
        once = [item for item in items if not asks_the_database(item)]
        config.hook.pytest_deselected(items=once)
        items[:] = [item for item in items if asks_the_database(item)]


def place(item: pytest.Item) -> str:
    """Where the test is, below `tests/`; empty for the fault matrix beside it."""
    return item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""


def is_in(places: set[str], here: str) -> bool:
    """Whether `here` is one of the places, which are files and folders, or below one."""
    return any(here == known or here.startswith(f"{known}/") for known in places)


def asks_the_database(item: pytest.Item) -> bool:
    """Whether another database could answer the test otherwise."""
    here = place(item)
    if is_in(ASK_NO_DATABASE, here):
        return False
    if not here or is_in(ASK_THROUGH_A_SERVICE, here):
        return True
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool(fixtures & {"db", "transactional_db"}) or item.get_closest_marker("django_db") is not None
