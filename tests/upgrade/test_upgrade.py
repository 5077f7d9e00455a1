"""The databases of earlier releases, migrated to this version: every page and call answers, and totals hold."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from django.contrib import admin
from django.urls import Resolver404, resolve, reverse

from tests.books import workbook_bytes
from tests.live import server
from tests.live.databases import scratch_database
from tests.live.server import ROOT, WITHOUT_CHECKS, Server
from tests.operations_page import IS_POSTGRESQL

KEPT = sorted(Path(__file__).parent.glob("*.dump" if IS_POSTGRESQL else "*.sqlite3"))
PASSWORD = "correct-horse-battery-staple"
AT_MOST = 3
"""Pages of one kind that are opened."""
LEFT_OUT = {"admin:logout"}
OF_FILES = {"admin:shipments_manifest_download", "admin:shipments_layout_change"}
"""Views that need received files, which are not kept with the databases: they say so."""
SINCE = "guides?updated_since=2026-01-01T00:00:00Z"
CALLS = ("me", "mawbs", SINCE, "layouts", "webhooks/subscriptions", "webhooks/deliveries", "webhooks/event-types")
OPERATORS_CALLS = ("me", SINCE, "mawbs", "companies", "inbound-batches", "outgoing-layouts")
pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        IS_POSTGRESQL and not shutil.which("pg_restore") and not os.environ.get("REQUIRE_TOOLS"),
        reason="pg_restore is not installed (Debian: postgresql-client)",
    ),
]


@pytest.fixture(scope="module", params=KEPT, ids=lambda path: path.name)
def released(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service on what a release left, migrated to this version."""
    release, directory = request.param, tmp_path_factory.mktemp("released")
    with scratch_database(os.environ["DATABASE_URL"], directory) as url:
        if IS_POSTGRESQL:
            options = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
            subprocess.run(["pg_restore", *options, f"--dbname={url}", release], check=True)
        else:
            shutil.copy(release, url.removeprefix("sqlite:///"))
        with server.running(directory, url) as service:
            yield service


def password_of(service: Server, code: str) -> dict[str, str]:
    """A new password of a company, as its programs send it."""
    said = service.manage("rotate_api_password", code, *WITHOUT_CHECKS)
    found = re.search(r"pa_live_\w+", said)
    assert found, said
    return {"Authorization": f"Bearer {found[0]}"}


def view_of(address: str) -> str:
    """The name of the view; of an address that only the service knows, the address."""
    try:
        return resolve(urlsplit(address).path).view_name
    except Resolver404:
        return address


def walk(service: Server) -> Counter[str]:
    """Open the pages of the admin from link to link as a superuser. View -> how many of its pages were opened."""
    service.operator("root", PASSWORD)
    browser = requests.Session()
    login = service.address + reverse("admin:login")
    browser.get(login, timeout=60)
    sent = {"username": "root", "password": PASSWORD, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
    browser.post(login, sent, headers={"Referer": login}, timeout=60)
    lists = [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist") for model in admin.site._registry
    ]
    waiting, seen, opened = [reverse("admin:index"), *lists], set[str](), Counter[str]()
    while waiting:
        address = waiting.pop(0)
        view = view_of(address)
        if address in seen or view in LEFT_OUT or opened[view] >= AT_MOST:
            continue
        seen.add(address)
        opened[view] += 1
        answer = browser.get(service.address + address, timeout=60)
        is_answered = answer.status_code == 200 or (answer.status_code == 404 and view in OF_FILES)
        assert is_answered, f"{address}: {answer.status_code}"
        assert "login" not in urlsplit(answer.url).path, address
        found = re.findall(r'href="(/admin/[^"#]*)"', answer.text) if "html" in answer.headers["Content-Type"] else []
        waiting += map(unescape, found)
    return opened


def test_every_page_and_call_of_a_migrated_database_answers(released: Server) -> None:
    assert "All totals agree" in released.manage("check_totals", *WITHOUT_CHECKS)
    released.manage("rotate_field_keys", *WITHOUT_CHECKS)
    opened = walk(released)
    assert {
        "admin:shipments_guide_change",
        "admin:shipments_manifest_change",
        "reports",
        "privacy",
    } <= opened.keys()

    client = password_of(released, "ANDINA")
    answers = {path: requests.get(f"{released.api}/{path}", headers=client, timeout=60) for path in CALLS}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(CALLS, 200)
    mawbs = answers["mawbs"].json()["mawbs"]
    assert sum(each["total_guides"] for each in mawbs) > 20
    for mawb in (each["mawb"] for each in mawbs):
        detail = requests.get(f"{released.api}/mawbs/{mawb}", headers=client, timeout=60)
        assert detail.status_code == 200
        code = detail.json()["guides"][0]["tracking_code"]
        for path in (f"mawbs/{mawb}/findings", f"mawbs/{mawb}/guides", f"guides/{code}"):
            assert requests.get(f"{released.api}/{path}", headers=client, timeout=60).status_code == 200
    sent = {"manifest_file": workbook_bytes(mawb="045-10000003")}
    assert requests.post(f"{released.api}/upload", files=sent, headers=client, timeout=60).status_code == 201

    operators = f"{released.address}/api/operators/v1"
    who = {"grant_type": "password", "username": "root", "password": PASSWORD}
    token = requests.post(f"{operators}/tokens", json=who, timeout=60).json()["access_token"]
    bearer = {"Authorization": f"Bearer {token}"}
    for path in OPERATORS_CALLS:
        assert requests.get(f"{operators}/{path}", headers=bearer, timeout=60).status_code == 200, path


NEXT = """
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from base.gentle_migrations import AddIndexGently
state = MigrationLoader(connection).project_state()
for operation in (
    migrations.AddField("manifest", "next_word", models.CharField(max_length=20, default="", db_default="")),
    migrations.AddField("guide", "next_number", models.IntegerField(default=0, db_default=0)),
    migrations.AddField("guideevent", "next_moment", models.DateTimeField(null=True)),
    AddIndexGently("guide", models.Index(fields=["hawb"], name="guide_next_by_hawb")),
):
    after = state.clone()
    operation.state_forwards("shipments", after)
    with connection.schema_editor(atomic=not isinstance(operation, AddIndexGently)) as editor:
        operation.database_forwards("shipments", editor, state, after)
    state = after
"""
"""What the migrations of a next version may do: the rule of `test_migrations.py` allows each of these."""


@contextmanager
def under_load(service: Server, client: dict[str, str]) -> Iterator[Counter[int]]:
    """Upload, read and list, again and again, while the `with` lasts. Yields status -> answers, so far."""
    counted, is_over = Counter[int](), threading.Event()

    def call() -> None:
        for number in range(2_000_000, 2_100_000):
            if is_over.is_set():
                return
            files = {"manifest_file": workbook_bytes(mawb=f"045-{number}{number % 7}")}
            answer = requests.post(f"{service.api}/upload", files=files, headers=client, timeout=60)
            counted[answer.status_code] += 1
            for path in ("mawbs", SINCE):
                counted[requests.get(f"{service.api}/{path}", headers=client, timeout=60).status_code] += 1

    thread = threading.Thread(target=call)
    thread.start()
    try:
        yield counted
    finally:
        is_over.set()
        thread.join(120)


def test_no_request_fails_while_the_next_versions_migration_runs(released: Server) -> None:
    with under_load(released, password_of(released, "ANDINA")) as counted:
        while counted.total() < 6:
            time.sleep(0.05)
        subprocess.run(
            [sys.executable, "manage.py", "shell", "--no-imports", "-c", NEXT],
            cwd=ROOT, env=released.environment, check=True, timeout=server.COMMAND_SECONDS,
        )  # fmt: skip
        migrated = counted.total()
        while counted.total() < migrated + 6:  # the release's code on the new schema
            time.sleep(0.05)
    assert counted.keys() == {200, 201}
