"""docs/operations.md and docs/scaling.md: their commands looked up, their SQL run."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
from django.core.management import get_commands, load_command_class

from tests.books import guide_row, workbook_bytes
from tests.live import databases, server
from tests.live.server import ROOT, WITHOUT_CHECKS, Server
from tests.operations_page import BLOCKS, PAGE, only_postgresql, shell

# --- the commands -----------------------------------------------------------------------------------------------


def command_lines() -> list[list[str]]:
    """Every `manage.py ...` command of the page, and those of compose's `upkeep`, with their arguments."""
    spoken = re.findall(r"(?:manage\.py|run --rm upkeep) ((?:\"[^\"]*\"|[^`\n|#\";,)>])+)", PAGE)
    lines = [shlex.split(re.split(r"\s{2,}", line.strip())[0]) for line in spoken]
    return [line for line in lines if not line[0].startswith(("...", "-"))]


def test_the_page_names_the_commands_that_upkeep_is_made_of() -> None:
    named = {line[0] for line in command_lines()}
    assert {
        "sweep_files",
        "prune_webhook_log",
        "check_totals",
        "check_files",
        "migrate",
    } <= named
    assert {"rotate_api_password", "rotate_webhook_secret", "rotate_field_keys", "dispatch_webhooks"} <= named


@pytest.mark.parametrize("line", command_lines(), ids=" ".join)
def test_each_command_takes_the_arguments_it_is_shown_with(line: list[str]) -> None:
    name, *arguments = line
    assert name in get_commands()
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    if arguments or not any(action.required for action in parser._actions):
        parser.parse_args(arguments)


def test_each_log_line_that_is_an_alarm_is_written_somewhere() -> None:
    table = PAGE.partition("| alarm |")[2].partition("\n\n")[0]
    named = re.findall(r"lines? ((?:`[^`]+`(?:, )?)+)", table)
    said = {line for group in named for line in re.findall(r"`([^`]+)`", group)} - {"request"}
    code = "".join(
        path.read_text(encoding="utf-8")
        for app in ("prealerts", "shipments", "webhooks", "companies", "base")
        for path in (ROOT / app).rglob("*.py")
    )
    assert len(said) >= 8
    assert {line for line in said if f'"{line}"' not in code} == set()


# --- the SQL ----------------------------------------------------------------------------------------------------


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Server]:
    """A running service whose tables a test may change."""
    with server.served(tmp_path) as running:
        yield running


def run_sql(service: Server, block: str) -> list[tuple[Any, ...]]:
    """A block against the service's database; the rows of its last statement."""
    with psycopg.connect(service.environment["DATABASE_URL"], autocommit=True) as connection:
        cursor = connection.execute(BLOCKS[block])
        while cursor.nextset():
            pass
        return cursor.fetchall() if cursor.description else []


def post_manifest(service: Server, client: dict[str, str], mawb: str = "045-12345675") -> str:
    """Upload a manifest of one guide; its tracking code."""
    files = {"manifest_file": workbook_bytes([guide_row()], mawb=mawb)}
    answer = requests.post(f"{service.api}/upload", files=files, headers=client, timeout=60)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["guides"][0]["tracking_code"])


@only_postgresql
def test_what_waits_is_counted(scratch: Server) -> None:
    client = scratch.company("ACME")
    scratch.manage("add_webhook", "ACME", "https://hooks.example.com/in", *WITHOUT_CHECKS)
    post_manifest(scratch, client)
    ((waiting, oldest),) = run_sql(scratch, "what waits")
    assert (waiting, oldest >= 0) == (1, True)
    assert run_sql(scratch, "who blocks whom") == []


COUNT_BY_STATE = """
import json
from collections import Counter
from webhooks.models import Delivery
print(json.dumps(Counter(Delivery.objects.values_list("state", flat=True))))
"""


def coming_months(sql: str) -> str:
    """A block that speaks of the first months of 2027, about the two that come next."""
    coming = {}
    day = datetime.now(UTC).date()
    for written in ("2027-01", "2027-02"):
        day = (day.replace(day=1) + timedelta(days=31)).replace(day=1)
        coming.update({written: f"{day:%Y-%m}", written.replace("-", "_"): f"{day:%Y_%m}"})
    return re.sub("2027[-_]0[12]", lambda found: coming[found[0]], sql)


def run_with_psql(service: Server, block: str) -> None:
    """Run a block as psql does: each statement by itself."""
    command = ["psql", "--quiet", "--set=ON_ERROR_STOP=1", service.environment["DATABASE_URL"]]
    subprocess.run(command, input=coming_months(BLOCKS[block]), text=True, check=True, stdout=subprocess.DEVNULL)


def events_of(service: Server, client: dict[str, str], code: str) -> list[dict[str, Any]]:
    answer = requests.get(f"{service.api}/guides/{code}", headers=client, timeout=60)
    assert answer.status_code == 200, answer.text
    events: list[dict[str, Any]] = answer.json()["events"]
    return events


@only_postgresql
def test_events_and_deliveries_by_month_are_written_and_read_as_before(scratch: Server) -> None:
    client = scratch.company("ACME")
    scratch.manage("add_webhook", "ACME", "https://hooks.example.com/in", *WITHOUT_CHECKS)
    before = post_manifest(scratch, client)
    scratch.manage("advance_status", "--to", "in_transit", before, *WITHOUT_CHECKS)
    timeline = events_of(scratch, client, before)
    for block in ("before partitions", "partition events", "partition deliveries", "next months", "next months"):
        run_with_psql(scratch, block)
    assert events_of(scratch, client, before) == timeline
    after = post_manifest(scratch, client, "045-10000003")
    scratch.manage("advance_status", "--to", "customs_released", after, before, *WITHOUT_CHECKS)
    assert [events_of(scratch, client, code)[-1]["status"] for code in (before, after)] == ["customs_released"] * 2
    with psycopg.connect(scratch.environment["DATABASE_URL"]) as connection:
        for table, rows in (("shipments_guideevent", 5), ("webhooks_delivery", 5)):
            found = connection.execute(f"SELECT count(id), count(DISTINCT id) FROM {table}").fetchone()  # noqa: S608  # ours
            assert found == (rows, rows)
    scratch.manage("dispatch_webhooks", "--once", *WITHOUT_CHECKS)
    assert '"pending"' not in scratch.manage("shell", "--no-imports", "-c", COUNT_BY_STATE)
    run_with_psql(scratch, "drop a month")
    scratch.manage("prune_webhook_log", "--older-than", "125", *WITHOUT_CHECKS)
    for command in (("check_totals",), ("makemigrations", "--check", "--dry-run"), ("migrate", "--check")):
        scratch.manage(*command, *WITHOUT_CHECKS)


@only_postgresql
def test_a_service_on_sqlite_moves_to_postgresql_with_all_it_knows(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for directory in (old, new):
        directory.mkdir()
    sqlite = f"sqlite:///{old / 'service.sqlite3'}"
    with databases.scratch_database(os.environ["DATABASE_URL"], new) as url:
        with server.running(old, sqlite) as service:
            client = service.company("ACME")
            service.manage("add_webhook", "ACME", "https://hooks.example.com/in", *WITHOUT_CHECKS)
            service.operator("ana", "a-long-password-1")
            code = post_manifest(service, client)
            service.manage("advance_status", "--to", "in_transit", code, *WITHOUT_CHECKS)
            known = requests.get(f"{service.api}/guides/{code}", headers=client, timeout=60).json()
        shell("move to postgresql", DATABASE_URL=sqlite, NEW_DATABASE_URL=url, BACKUP=str(tmp_path))
        with server.running(new, url, is_migrated=True, MEDIA_ROOT=str(old / "media")) as moved:
            assert requests.get(f"{moved.api}/guides/{code}", headers=client, timeout=60).json() == known
            assert post_manifest(moved, client, "045-10000003") != code
            assert "All 2 files are present" in moved.manage("check_files", *WITHOUT_CHECKS)
            moved.manage("rotate_field_keys", *WITHOUT_CHECKS)
