"""Rows of event files, read and to be read."""

from io import BytesIO
from typing import Any

from openpyxl import Workbook

from shipments.tracking.event_files.event_rows import BadRow, EventRow

HEADER = "tracking_code,status,occurred_at,source,reason"
CODE = "ACM0123456789A"


def good(rows: list[EventRow | BadRow]) -> list[EventRow]:
    assert [row for row in rows if isinstance(row, BadRow)] == []
    return [row for row in rows if isinstance(row, EventRow)]


def workbook(*rows: list[Any], sheets: dict[str, list[list[Any]]] | None = None) -> bytes:
    book = Workbook()
    for name, content in (sheets or {"Hoja1": list(rows)}).items():
        sheet = book.create_sheet(name)
        for row in content:
            sheet.append(row)
    del book["Sheet"]
    output = BytesIO()
    book.save(output)
    return output.getvalue()
