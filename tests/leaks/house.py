"""Two companies and who works for them, and what the doors to them have in common."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import StringIO
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.management import call_command
from django.test import Client

from shipments.models import (
    Guide,
    UploadJob,
)
from tests.books import HEADER, guide_row, workbook_bytes
from tests.companies.operators.tokens.speaking import Program
from tests.conftest import BASE, Caller, as_file
from tests.leaks.marked import EMAIL, NAME, PHONE, ROW, SPELLED
from tests.shipments.carriers.sending import Sender

HAWB, JSON_HAWB, JOB_HAWB, LATE_HAWB, BATCH_HAWB = "ZQH100001", "ZQH200002", "ZQH300003", "ZQH400004", "ZQH500005"
NUMBER = "ZQN900900900"
SAID = f"{NAME}, {SPELLED}, {PHONE}"
PDF = b"%PDF-1.4 invoice of " + NAME.encode()
MAWBS = [f"045-{number:07d}{number % 7}" for number in range(1000001, 1000021)]
HEADINGS = (*HEADER, "Correo")


@dataclass
class House:
    """Two companies, the people and programs that work for them, and what they have brought in."""

    acme: Caller
    rival: Caller
    staff: Client
    scanner: Program
    sender: Sender
    lima: Program
    after: list[Callable[[], object]] = field(default_factory=list)
    """What is sent once the person is erased."""

    def guide(self, hawb: str = HAWB) -> Guide:
        return Guide.objects.select_related("manifest").get(hawb=hawb, manifest__company=self.acme.company)


def row(hawb: str, **changes: Any) -> dict[str, Any]:
    return guide_row(1, **{**ROW, "HAWB": hawb, "Correo": EMAIL, **changes})


def other(number: int = 2) -> dict[str, Any]:
    return guide_row(number, RUT="7654321-6", **{"Nombre destinatario": "Pedro Soto", "HAWB": f"P{number}"})


def book(hawb: str, mawb: str, *rows: dict[str, Any]) -> bytes:
    return workbook_bytes([row(hawb), other(), *rows], mawb=mawb, header=HEADINGS)


def unknown_book(mawb: str | None) -> bytes:
    return workbook_bytes([dict.fromkeys([NAME, "Zother"], SAID)], mawb=mawb, header=[NAME, "Zother"])


def call_with_file(command: str, content: str, suffix: str, *options: str, before: Sequence[str] = ()) -> None:
    """Run a command on a file. before: arguments that come before the file."""
    with NamedTemporaryFile("w", suffix=suffix) as file:
        file.write(content)
        file.flush()
        call_command(command, *before, file.name, *options, stdout=StringIO())


def queue(house: House, content: bytes, **form: Any) -> None:
    sent = {"manifest_file": as_file(content, f"{NAME}.xlsx"), **form}
    headers = {**house.acme.headers, "Prefer": "respond-async"}
    assert house.acme.client.post(f"{BASE}/upload", sent, headers=headers).status_code == 202


def work() -> None:
    """Let the worker read what waits; other tests may have the machine's places for reading."""
    unread = UploadJob.objects.unfinished()
    deadline = time.monotonic() + 120
    while unread.exists() and time.monotonic() < deadline:
        call_command("work", "--once")
