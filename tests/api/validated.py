"""Validating a workbook, and what is stored afterwards."""

from typing import Any

from shipments.intake.annotated_workbook import MEDIA_TYPE
from tests.books import guide_row, workbook_bytes
from tests.conftest import BASE, Caller, as_file

BAD = [guide_row(1), guide_row(2, RUT="12345678-9"), guide_row(3, **{"Peso (kg)": "mucho"})]


def validate(caller: Caller, content: bytes | None = None, headers: Any = None, **form: Any) -> Any:
    body = workbook_bytes() if content is None else content
    fields = {"manifest_file": as_file(body), **form}
    return caller.client.post(f"{BASE}/upload/validate", fields, headers={**caller.headers, **(headers or {})})


def annotated(caller: Caller, content: bytes | None = None, **form: Any) -> Any:
    return validate(caller, content, {"Accept": MEDIA_TYPE}, **form)
