"""docs/operations.md, carried out: its backups restored, its SQL run, its commands looked up."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.test import Client

from shipments.models import ManifestFile
from tests.books import guide_row, workbook_bytes
from tests.companies.admin_pages import operator
from tests.conftest import Caller
from tests.live import server
from tests.live.server import ROOT, Server

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^<!-- run: ([\w ]+) -->\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
IS_POSTGRESQL = os.environ["DATABASE_URL"].startswith("postgres")
KIND = "postgresql" if IS_POSTGRESQL else "sqlite"
only_postgresql = pytest.mark.skipif(not IS_POSTGRESQL, reason="what the page says here is PostgreSQL's own")


# --- the commands -----------------------------------------------------------------------------------------------


def command_lines() -> list[list[str]]:
    """Every `manage.py ...` command of the page, and those of compose's `upkeep`, with their arguments."""
    spoken = re.findall(r"(?:manage\.py|run --rm upkeep) ((?:\"[^\"]*\"|[^`\n|#\";,)])+)", PAGE)
    lines = [shlex.split(re.split(r"\s{2,}", line.strip())[0]) for line in spoken]
    return [line for line in lines if line[0] != "..." and line != ["..."]]


def test_the_page_names_the_commands_that_upkeep_is_made_of() -> None:
    named = {line[0] for line in command_lines()}
    assert {
        "sweep_files",
        "prune_webhook_log",
        "prune_idempotency_keys",
        "check_totals",
        "check_files",
        "clearsessions",
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
        for app in ("prealerts", "shipments", "webhooks", "companies")
        for path in (ROOT / app).rglob("*.py")
    )
    assert len(said) >= 8
    assert {line for line in said if f'"{line}"' not in code} == set()


# --- backup and restore -----------------------------------------------------------------------------------------


def shell(block: str, **environment: str) -> None:
    """Run a block of the page unchanged."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    finished = subprocess.run(
        ["sh", "-c", BLOCKS[block]], cwd=ROOT, env={**os.environ, **environment, "PATH": path},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr


def places(url: str, directory: Path) -> dict[str, str]:
    """The variables that the page's commands speak of."""
    return {"DATABASE_URL": url, "DATABASE": url.removeprefix("sqlite:///"), "MEDIA_ROOT": str(directory / "media")}


@contextmanager
def uploading(service: Server, client: dict[str, str]) -> Iterator[list[str]]:
    """Upload one manifest after another while the `with` lasts; the MAWBs that were answered 201, so far."""
    taken: list[str] = []
    is_over = threading.Event()
    answered = threading.Event()

    def upload() -> None:
        for number in range(1_000_000, 1_001_000):
            if is_over.is_set():
                return
            mawb = f"045-{number}{number % 7}"
            files = {
                "manifest_file": workbook_bytes([guide_row(each) for each in range(1, 41)], mawb=mawb),
                "invoice_file": b"%PDF-1.7 " + mawb.encode(),
            }
            answer = requests.post(f"{service.api}/upload", files=files, headers=client, timeout=60)
            assert answer.status_code == 201, answer.text
            taken.append(mawb)
            if len(taken) >= 3:
                answered.set()

    thread = threading.Thread(target=upload)
    thread.start()
    assert answered.wait(60), "nothing was taken"
    try:
        yield taken
    finally:
        is_over.set()
        thread.join(60)


@pytest.mark.skipif(
    IS_POSTGRESQL and not shutil.which("pg_dump") and not os.environ.get("REQUIRE_TOOLS"),
    reason="pg_dump is not installed (Debian: postgresql-client)",
)
def test_a_backup_taken_under_load_restores_whole_and_secrets_open(tmp_path: Path) -> None:
    old, new, backup = tmp_path / "old", tmp_path / "new", tmp_path / "backup"
    for directory in (old, new, backup):
        directory.mkdir()
    with ExitStack() as stack:
        service = stack.enter_context(server.served(old))
        url = service.environment["DATABASE_URL"]
        restored_url = stack.enter_context(server.scratch_database(os.environ["DATABASE_URL"], new))
        client, neighbour = service.company("ACME"), service.company("RIVAL")
        service.manage("add_webhook", "ACME", "https://hooks.example.com/in")
        with uploading(service, client) as taken:
            sure = list(taken)
            shell(f"backup {KIND}", **places(url, old), BACKUP=str(backup))
        assert len(taken) >= len(sure) >= 3

        shell(f"restore {KIND}", **places(restored_url, new), BACKUP=str(backup))
        environment = {**service.environment, **places(restored_url, new)}
        shell("after a restore", **environment)
        restored = stack.enter_context(server.running(new, restored_url, is_migrated=True))

        listed = requests.get(f"{restored.api}/mawbs", headers=client, timeout=60).json()["mawbs"]
        assert set(sure) <= {each["mawb"] for each in listed}
        assert {each["total_guides"] for each in listed} == {40}
        assert requests.get(f"{restored.api}/mawbs", headers=neighbour, timeout=60).json()["mawbs"] == []
        detail = requests.get(f"{restored.api}/mawbs/{sure[0]}", headers=client, timeout=60)
        assert detail.content == requests.get(f"{service.api}/mawbs/{sure[0]}", headers=client, timeout=60).content
        again = requests.post(
            f"{restored.api}/upload",
            files={"manifest_file": workbook_bytes(mawb=sure[0])}, headers=client, timeout=60,
        )  # fmt: skip
        assert again.status_code == 409
        with_other_keys(restored)


def with_other_keys(restored: Server) -> None:
    """Without the keys and the pepper of the backup its secrets are useless, and this is reported."""
    other = {"FIELD_ENCRYPTION_KEYS": "b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItISE="}
    with pytest.raises(subprocess.CalledProcessError) as reported:
        replace(restored, environment={**restored.environment, **other}).manage("rotate_field_keys")
    assert "No key decrypts" in str(reported.value.stderr)


@pytest.mark.parametrize(
    ("spoil", "word"), [(lambda path: path.unlink(), "missing"), (lambda path: path.write_bytes(b"x"), "damaged")]
)
@pytest.mark.django_db
def test_a_file_that_a_backup_lacks_is_named(acme: Caller, rival: Caller, spoil: Any, word: str, capsys: Any) -> None:
    acme.upload()
    rival.upload()
    call_command("check_files")
    file = ManifestFile.objects.earliest("pk")
    spoil(Path(default_storage.path(str(file.file.name))))
    call_command("check_files", newest=1)
    with pytest.raises(CommandError, match="1 of 2 files"):
        call_command("check_files")
    assert f"{word}  {file.file.name}" in capsys.readouterr().out
    with pytest.raises(CommandError, match="at least 1"):
        call_command("check_files", newest=0)


# --- the SQL ----------------------------------------------------------------------------------------------------


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Server]:
    """A running service whose tables a test may change."""
    with server.served(tmp_path) as running:
        yield running


def run_sql(service: Server, block: str) -> list[tuple[Any, ...]]:
    """A block against the service's database; the rows of its last statement."""
    url = service.environment["DATABASE_URL"]
    if not url.startswith("postgres"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as database:
            return database.execute(BLOCKS[block]).fetchall()
    with psycopg.connect(url, autocommit=True) as connection:
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


def test_what_waits_is_counted_and_can_be_forgotten(scratch: Server) -> None:
    client = scratch.company("ACME")
    scratch.manage("add_webhook", "ACME", "https://hooks.example.com/in")
    post_manifest(scratch, client)
    if IS_POSTGRESQL:
        ((waiting, oldest),) = run_sql(scratch, "what waits")
        assert (waiting, oldest >= 0) == (1, True)
        assert run_sql(scratch, "who blocks whom") == []
    run_sql(scratch, "forget what waits")
    scratch.manage("dispatch_webhooks", "--once")
    assert '"cancelled": 1' in scratch.manage("shell", "--no-imports", "-c", COUNT_BY_STATE)


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
    scratch.manage("add_webhook", "ACME", "https://hooks.example.com/in")
    before = post_manifest(scratch, client)
    scratch.manage("advance_status", "--to", "in_transit", before)
    timeline = events_of(scratch, client, before)
    for block in ("before partitions", "partition events", "partition deliveries", "next months", "next months"):
        run_with_psql(scratch, block)
    assert events_of(scratch, client, before) == timeline
    after = post_manifest(scratch, client, "045-10000003")
    scratch.manage("advance_status", "--to", "customs_released", after, before)
    assert [events_of(scratch, client, code)[-1]["status"] for code in (before, after)] == ["customs_released"] * 2
    with psycopg.connect(scratch.environment["DATABASE_URL"]) as connection:
        for table, rows in (("shipments_guideevent", 5), ("webhooks_delivery", 5)):
            found = connection.execute(f"SELECT count(id), count(DISTINCT id) FROM {table}").fetchone()  # noqa: S608  # ours
            assert found == (rows, rows)
    scratch.manage("dispatch_webhooks", "--once")
    assert '"pending"' not in scratch.manage("shell", "--no-imports", "-c", COUNT_BY_STATE)
    run_with_psql(scratch, "drop a month")
    scratch.manage("prune_webhook_log", "--older-than", "125")
    for command in (("check_totals",), ("makemigrations", "--check", "--dry-run"), ("migrate", "--check")):
        scratch.manage(*command)


@only_postgresql
def test_a_service_on_sqlite_moves_to_postgresql_with_all_it_knows(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for directory in (old, new):
        directory.mkdir()
    sqlite = f"sqlite:///{old / 'service.sqlite3'}"
    with server.scratch_database(os.environ["DATABASE_URL"], new) as url:
        with server.running(old, sqlite) as service:
            client = service.company("ACME")
            service.manage("add_webhook", "ACME", "https://hooks.example.com/in")
            service.operator("ana", "a-long-password-1")
            code = post_manifest(service, client)
            service.manage("advance_status", "--to", "in_transit", code)
            known = requests.get(f"{service.api}/guides/{code}", headers=client, timeout=60).json()
        shell("move to postgresql", DATABASE_URL=sqlite, NEW_DATABASE_URL=url, BACKUP=str(tmp_path))
        with server.running(new, url, is_migrated=True, MEDIA_ROOT=str(old / "media")) as moved:
            assert requests.get(f"{moved.api}/guides/{code}", headers=client, timeout=60).json() == known
            assert post_manifest(moved, client, "045-10000003") != code
            assert "All 2 files are present" in moved.manage("check_files")
            moved.manage("rotate_field_keys")


# --- keys -------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_sessions_outlive_a_secret_key_that_is_kept_as_a_fallback_and_no_other(settings: Any) -> None:
    staff: Client = operator("view_guide")
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another-" + "k" * 50
    settings.SECRET_KEY_FALLBACKS = [former]
    assert staff.get("/admin/").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    other = operator("view_guide", username="other")
    settings.SECRET_KEY = "a-third-" + "k" * 50
    assert other.get("/admin/").status_code == 302
