"""A client's own layout, as a format and as workbooks."""

import json
from collections.abc import Iterable, Sequence
from io import BytesIO, StringIO
from typing import Any

from django.core.management import call_command
from openpyxl import Workbook

from shipments.formats.format_files import import_format
from shipments.formats.publishing import publish
from shipments.models import FormatVersion
from tests.conftest import Caller

MAWB = "045-12345675"
NAME = "ACME Perú"
HEADINGS = ("Código envío", "Quién", "Papel", "Cosas", "Bruto", "Plata", "Bultos")
FIELDS = (
    "hawb", "consignee_name", "consignee_document", "description_original", "weight_kg", "fob_usd", "packages_count",
)  # fmt: skip
RUC, DNI = "20601234565", "45678912"
RUT = "12345678-5"


def format_json(*, headings: Sequence[str] = HEADINGS, columns: Sequence[dict[str, Any]] = (), **changes: Any) -> Any:
    """A format for Peru with these headings, one for each of `FIELDS`, then further `columns`. A change replaces a key
    of the format, or with the name of a field, keys of its column."""
    mapped: list[dict[str, Any]] = [
        {"heading": heading, "field": field, **({"unit": "kg"} if field == "weight_kg" else {})}
        for heading, field in zip(headings, FIELDS, strict=True)
    ]
    for column in mapped:
        column.update(changes.pop(column["field"], {}))
    content = {"prealerts_format": 1, "name": NAME, "country": "PE", "columns": [*mapped, *columns]}
    return content | changes


def bind(caller: Caller, content: Any = None, actor: str = "ana") -> FormatVersion:
    """Import a format and publish it."""
    saved = import_format(caller.company, json.dumps(content or format_json()).encode(), actor=actor)
    return publish(saved.version.format, saved.version.number, actor=actor)


def guide(number: int = 1, **changes: Any) -> list[Any]:
    """A row under `HEADINGS`. changes: heading -> cell."""
    row = dict(zip(HEADINGS, (f"H{number:04d}", "Ana Rojas", DNI, "Ropa", 1.5, 20.0, 1), strict=True))
    return [*(row | changes).values()]


def book(
    *rows: Iterable[Any], headings: Sequence[Any] = HEADINGS, above: Iterable[Sequence[Any]] = (), mawb: str = MAWB
) -> bytes:
    """An .xlsx with these rows (two guides by default) under the headings."""
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.append(["MAWB", mawb])
    for each in above:
        sheet.append(list(each))
    sheet.append([])
    for row in (headings, *(rows or (guide(1), guide(2)))):
        sheet.append(list(row))
    output = BytesIO()
    workbook.save(output)
    return output.getvalue()


def run(*arguments: str, **options: Any) -> str:
    """What a command prints."""
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()
