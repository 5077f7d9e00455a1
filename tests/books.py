"""Workbooks as clients write them, for tests that need one rather than test how one is read."""

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

from openpyxl import Workbook

MAWB = "045-12345675"
HEADER = (
    "HAWB", "Nombre destinatario", "RUT", "Dirección", "Comuna", "Teléfono", "Contenido", "Peso (kg)", "Bultos",
    "Valor FOB USD",
)  # fmt: skip
VALID_RUTS = ("12345678-5", "7654321-6", "11222333-9", "9876543-3")


def guide_row(number: int = 1, **changes: Any) -> dict[str, Any]:
    """One good guide row under `HEADER`'s headings, numbered so that rows differ."""
    row: dict[str, Any] = {
        "HAWB": f"HAWB{number:05d}",
        "Nombre destinatario": f"Persona {number}",
        "RUT": VALID_RUTS[number % len(VALID_RUTS)],
        "Dirección": f"Calle {number} 123",
        "Comuna": "Providencia",
        "Teléfono": "+56 9 1234 5678",
        "Contenido": "Zapatillas",
        "Peso (kg)": 1.5,
        "Bultos": 1,
        "Valor FOB USD": 100.25,
    }
    return row | changes


def workbook_bytes(
    rows: Iterable[Mapping[str, Any]] | None = None,
    *,
    mawb: object = MAWB,
    header: Sequence[str] = HEADER,
    labels: Mapping[str, object] | None = None,
) -> bytes:
    """An .xlsx: `MAWB`, the destination SCL unless `labels` tell it, and further `labels` with their values on top,
    a blank row, the header, the rows."""
    book = Workbook()
    sheet = book.worksheets[0]
    if mawb is not None:
        tells_destination = any(label in (labels or {}) for label in ("Destino", "Destination"))
        sheet.append(["MAWB", mawb] if tells_destination else ["MAWB", mawb, "Destino", "SCL"])
    for label, value in (labels or {}).items():
        sheet.append([label, value])
    sheet.append([])
    sheet.append(list(header))
    for row in [guide_row(1), guide_row(2)] if rows is None else rows:
        sheet.append([row.get(name) for name in header])
    output = BytesIO()
    book.save(output)
    return output.getvalue()
