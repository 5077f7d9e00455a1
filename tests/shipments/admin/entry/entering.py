"""What an operator does on the pages: send a file, see its preview, confirm it."""

import json
from pathlib import Path
from typing import Any

from django.test import Client
from django.urls import reverse

from shipments.models import Manifest
from tests.books import workbook_bytes
from tests.companies.admin_pages import text_of
from tests.conftest import Caller, as_file

PAGE = reverse("enter-manifest")
PDF = b"%PDF-1.7 an invoice"
LIST = reverse("admin:shipments_manifest_changelist")


def send(staff: Client, caller: Caller, content: bytes | None = None, name: str = "acme.xlsx", **more: Any) -> Any:
    file = as_file(workbook_bytes() if content is None else content, name)
    return staff.post(PAGE, {"company": caller.company.client_code, "manifest_file": file, **more})


def previewed(staff: Client, caller: Caller, content: bytes | None = None, **more: Any) -> str:
    """Upload a manifest; the address of its preview."""
    response = send(staff, caller, content, **more)
    assert response.status_code == 302, text_of(response)
    return str(response["Location"])


def confirmed(staff: Client, address: str) -> Manifest:
    response: Any = staff.post(address)
    assert response.status_code == 302, text_of(response)
    return Manifest.objects.get(pk=response["Location"].rstrip("/").split("/")[-2])


def stored_files(media: Path) -> list[Path]:
    return [path for path in media.rglob("*") if path.is_file()]


def said_of(json_body: dict[str, object]) -> bytes:
    return json.dumps(json_body).encode()
