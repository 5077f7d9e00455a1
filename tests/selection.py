"""Which tests run when: `make test` stays in one process, and what asks no database runs once, not on each.

Loaded by the options in `pyproject.toml`. What starts the service (`live`), a browser or an image, or takes minutes
(`slow`), has a target of its own; CI runs them all.
"""

from pathlib import Path

import pytest
from django.conf import settings

TESTS = Path(__file__).parent
ASK_NO_DATABASE = {
    "api/test_http.py",
    "api/test_plain_sentences.py",
    "api/test_reading_time.py",
    "api/test_upload_readings.py",
    "api/test_validation_annotated.py",
    "base/admin/test_chips.py",
    "base/admin/test_empty_lists.py",
    "browser",
    "companies/operators/test_guessing.py",
    "companies/operators/test_second_factor.py",
    "companies/operators/test_second_factor_gate.py",
    "companies/operators/test_session_limits.py",
    "base/admin/test_saved_views.py",
    "companies/test_company_admin.py",
    "companies/test_password_pages.py",
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
    "prealerts/test_error_pages.py",
    "prealerts/watch",
    "proxy",
    "shipments/intake/test_annotated_workbooks.py",
    "shipments/admin/entry",
    "shipments/admin/test_event_columns.py",
    "shipments/admin/test_rules_page.py",
    "shipments/admin/test_trouble.py",
    "shipments/admin/test_understanding.py",
    "shipments/admin/test_wording.py",
    "shipments/layouts/test_fresh_layouts.py",
    "shipments/manifests",
    "test_countries.py",
    "webhooks/admin/test_subscription_admin.py",
    "webhooks/test_example_receiver.py",
}
"""Folders and files that test a browser, a proxy, an image, a client, a session, a document, HTTP, the reading of
workbooks, the words and steps of pages or the links between them, not the database behind them."""
START_THE_SERVICE = {
    "container/test_as_in_the_image.py",
    "live",
    "prealerts/metrics/test_web_metrics.py",
    "proxy",
    "test_backups.py",
    "test_operations.py",
    "upgrade/test_upgrade.py",
    "webhooks/dispatcher/test_dispatcher_metrics.py",
    "webhooks/dispatcher/test_dispatcher_process.py",
    "webhooks/test_example_receiver.py",
}
"""Folders and files whose tests start gunicorn, the dispatcher, the proxy, commands or backups as processes, as in
production: a fortieth of the tests, and a third of the time of all. The Makefile's `LIVE_PLACES` hold them all."""
LONGEST_NAME = 80
"""Characters of a value in the name of its test."""
ASK_THROUGH_A_SERVICE = {"live", "test_backups.py", "test_operations.py", "upgrade/test_upgrade.py"}
"""Places whose tests reach the database through a service that they start, without a fixture that says so."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--short", action="store_true", help="fewer cases of the fault matrix and of slow tests, as in CI")
    parser.addoption(
        "--each", action="store_true", help="on PostgreSQL, run also what asks no database and ran on SQLite already"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: drives Chromium; `make test-browser`")
    config.addinivalue_line("markers", "image: builds the container image and runs it; `make image-test`")
    config.addinivalue_line("markers", "live: starts the service as processes; `make test-live`")
    config.addinivalue_line("markers", "slow: needs Node, another PostgreSQL, or minutes; `make test-slow`")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Do not name a long value, nor its length, which differs with the time in a workbook: a test's name goes to every
    worker, where it must be the same, and into the environment of each process.
    """
    return f"a long {argname}" if isinstance(val, str | bytes) and len(val) > LONGEST_NAME else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        here = place(item)
        if is_in(START_THE_SERVICE, here):
            item.add_marker(pytest.mark.live)
        if here.startswith("browser/"):
            item.add_marker(pytest.mark.browser)
        if here.startswith("image/"):
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
