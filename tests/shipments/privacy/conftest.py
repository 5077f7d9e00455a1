"""A person with parcels at two companies, somebody else beside them, and everything that speaks of them."""

import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from shipments.models import Guide, Manifest
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller, as_file

PERSON = "12345678-5"
SOMEBODY_ELSE = "7654321-6"
Run = Callable[..., str]
PDF = b"%PDF-1.4 invoice of Marta Quispe"


@pytest.fixture
def uploaded(acme: Caller, rival: Caller) -> dict[str, Manifest]:
    """One manifest of each company with files: Marta's guide `M1` and Pedro's `P1` in both."""
    manifests = {}
    for caller in (acme, rival):
        rows = [
            guide_row(1, HAWB="M1", RUT=PERSON, **{"Nombre destinatario": "Marta Quispe", "Valor FOB USD": 100.25}),
            guide_row(2, HAWB="P1", RUT=SOMEBODY_ELSE, **{"Nombre destinatario": "Pedro Soto", "Valor FOB USD": 7.75}),
        ]
        answer = caller.upload(workbook_bytes(rows), invoice_file=as_file(PDF, "Marta Quispe.pdf"))
        assert answer.status_code == 201, answer.json()
        manifests[caller.company.client_code] = Manifest.objects.get(pk=answer.json()["manifest_id"])
    return manifests


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run a command with `stdin` on standard input; what it printed."""

    def command(*arguments: str, stdin: str = "", **options: Any) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        output = io.StringIO()
        call_command(*arguments, stdout=output, stderr=io.StringIO(), **options)
        return output.getvalue()

    return command


def guide(manifest: Manifest, hawb: str) -> Guide:
    return Guide.objects.get(manifest=manifest, hawb=hawb)


def later(days: int) -> Any:
    return time_machine.travel(timezone.now() + timedelta(days=days), tick=True)


def stored(media: Path) -> int:
    return sum(path.is_file() for path in media.rglob("*") if ".incoming" not in path.parts)
