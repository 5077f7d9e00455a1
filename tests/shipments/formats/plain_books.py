"""Workbooks of clients without formats, and the uploads in which they are sent."""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

from openpyxl import Workbook

HEADINGS = ("HAWB", "Consignatario", "RUT", "Dirección", "Descripción", "Bultos", "Peso (kg)", "Valor FOB USD")
GUIDES = (
    ("H1", "Ana Rojas", "12.345.678-5", "Calle 1", "Ropa", 1, 1.5, 20),
    ("H2", "Beto Soto", "7654321-6", "Calle 2", "Libro", 2, "2,25", "1.030,50"),
)
MAWB = ("MAWB", "045-12345675")


def _book(*rows: Sequence[Any]) -> bytes:
    workbook = Workbook()
    for row in rows:
        workbook.worksheets[0].append(list(row))
    output = BytesIO()
    workbook.save(output)
    return output.getvalue()


BOOKS: Mapping[str, Callable[[], bytes]] = {
    "plain": lambda: _book(MAWB, ("Vuelo", "LA501", "Destino", "SCL"), HEADINGS, *GUIDES),
    "without destination": lambda: _book(MAWB, HEADINGS, *GUIDES),
    "for Lima": lambda: _book(MAWB, ("Destino", "LIM"), HEADINGS, *GUIDES),
    "with bad values": lambda: _book(
        MAWB,
        (),
        HEADINGS,
        ("H1", "Ana Rojas", "12345678-9", "", "Ropa", "x", "muchos", -1),
        ("", "Sin guía", "1-9", "", "", 1),
    ),
    "with totals and a new column": lambda: _book(
        MAWB, (*HEADINGS, "Rarezas"), (*GUIDES[0], "a"), (*GUIDES[1], "b"), ("TOTAL", "", "", "", "", 3, 3.75, 1050.5)
    ),
    "in pounds and pesos": lambda: _book(MAWB, (*HEADINGS[:6], "Peso (lb)", "Valor CLP"), *GUIDES),
    "without a MAWB": lambda: _book(HEADINGS, *GUIDES),
    "without headings": lambda: _book(MAWB, *GUIDES),
    "of another layout": lambda: _book(MAWB, ("Código envío", "Quién", "Papel", "Cosas"), ("H1", "Ana", "1", "Ropa")),
    "damaged": lambda: b"PK\x03\x04 nothing",
}

FORMS: Sequence[tuple[str, Sequence[str], Mapping[str, str]]] = (
    *((book, ("CL",), {}) for book in BOOKS),
    *((book, ("CL", "PE"), {}) for book in ("plain", "without destination", "for Lima", "of another layout")),
    ("plain", ("PE",), {}),
    ("plain", ("CL",), {"destination_airport": "LIM"}),
    ("plain", ("CL", "PE"), {"destination_airport": "LIM"}),
    ("for Lima", ("CL",), {"destination_airport": "SCL"}),
    ("plain", ("CL",), {"destination_airport": "SCL", "flight_number": "LA 500", "colour": "red"}),
)
