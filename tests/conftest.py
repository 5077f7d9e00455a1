"""Two companies in every test, so that a leak shows; manifests cheaply made; a real server where it matters."""

import gc
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import Client
from django.utils import translation

from companies.models import Company
from shipments.manifests.xlsx import parse_slots
from tests.books import workbook_bytes
from tests.emptying import use_deletion
from tests.examples import load_profile
from tests.live.databases import migrated_database, name_of, share
from tests.rendering import note_only_pages

_stores = count()
BASE = "/api/public/pre-alerts/v1"


def pytest_configure(config: pytest.Config) -> None:
    """Hash operators' passwords with a fast algorithm: the slow one takes a quarter of a second for each user."""
    gc.set_threshold(10_000, 20, 20)  # as in gunicorn.conf.py
    if not hasattr(config, "workerinput"):  # whose workers find the directory in the environment
        share(os.environ["DATABASE_URL"])
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    load_profile()
    use_deletion()
    note_only_pages()


def pytest_collection_finish() -> None:
    """Keep the collector from traversing 9,000 tests and Django again and again: a tenth of the suite's time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[None]:  # noqa: ARG001  # a name for each worker
    """Let the test database begin as a copy of a migrated one, so that `migrate` finds nothing to do."""
    migrated = migrated_database(os.environ["DATABASE_URL"])
    if connection.vendor == "postgresql":
        connection.settings_dict["TEST"]["TEMPLATE"] = name_of(migrated)
        yield
        return
    in_memory = connection.creation._get_test_db_name()  # type: ignore[attr-defined]  # nowhere documented
    with closing(sqlite3.connect(in_memory, uri=True)) as copy:
        with closing(sqlite3.connect(name_of(migrated))) as original:
            original.backup(copy)
        yield  # what is in memory lasts as long as a connection to it


@dataclass
class Caller:
    """A company with its password: makes requests as an integrator would."""

    company: Company
    password: str
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.password}"}

    def get(self, path: str, **extra: Any) -> Any:
        return self.client.get(BASE + path, headers=self.headers, **extra)

    def upload(self, content: bytes | None = None, **form: Any) -> Any:
        """POST upload: `content` as manifest_file (a good manifest when left out), `form` as further fields."""
        body = workbook_bytes() if content is None else content
        return self.client.post(f"{BASE}/upload", {"manifest_file": as_file(body), **form}, headers=self.headers)

    def post_form(self, form: dict[str, Any]) -> Any:
        return self.client.post(f"{BASE}/upload", form, headers=self.headers)

    def post_json(self, body: Any, **extra: Any) -> Any:
        """POST process-pre-alert-json: `body` as JSON, or as it is when it is bytes or text already."""
        content = body if isinstance(body, bytes | str) else json.dumps(body)
        content_type = extra.pop("content_type", "application/json")
        path = f"{BASE}/process-pre-alert-json"
        return self.client.generic("POST", path, content, content_type, headers=self.headers, **extra)


def as_file(content: bytes, name: str = "manifest.xlsx") -> Any:
    from django.core.files.uploadedfile import SimpleUploadedFile  # noqa: PLC0415  # kept beside its only use

    return SimpleUploadedFile(name, content)


def make_caller(code: str, **fields: Any) -> Caller:
    fields = {"allowed_countries": ["CL", "PE", "AR"], "tracking_prefix": code[:3], **fields}
    company = Company.objects.create(name=f"{code.title()} Ltda.", client_code=code, **fields)
    return Caller(company, company.set_new_password())


@pytest.fixture
def company_maker(db: None) -> Callable[..., Caller]:  # noqa: ARG001  # the database must be there first
    return make_caller


@pytest.fixture
def acme(db: None) -> Caller:  # noqa: ARG001  # as above
    return make_caller("ACME")


@pytest.fixture
def rival(db: None) -> Caller:  # noqa: ARG001  # as above
    return make_caller("RIVAL")


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each test has its own store of files: a directory that is only made when something is stored."""
    place = tmp_path_factory.getbasetemp() / "media" / str(next(_stores))
    settings.MEDIA_ROOT = str(place)
    settings.FILE_UPLOAD_TEMP_DIR = str(place / ".incoming")
    return place


@pytest.fixture(autouse=True, scope="session")
def _own_slots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Slots for reading workbooks that no other process has: companies of two processes have the same ids."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse_slots, "DIRECTORY", str(tmp_path_factory.mktemp("slots") / "parse-slots"))
        yield


@pytest.fixture(autouse=True)
def _no_language_left_behind() -> Iterator[None]:
    """A request leaves its language on the thread, where the next test would find it."""
    yield
    translation.deactivate()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which database it was: a suite that never saw PostgreSQL must not look as if it had."""
    terminalreporter.write_line(f"database: {connection.vendor}")
