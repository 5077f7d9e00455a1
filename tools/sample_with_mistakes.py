"""A manifest with mistakes, to see what the API says of each: `python -m tools.sample_with_mistakes` writes it again.

docs/workbooks.md shows some of its answer. People and companies are invented.
"""

from datetime import datetime
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font

PATH = Path(__file__).parents[1] / "docs" / "examples" / "manifest-CL-mistakes.xlsx"

LABELS = (
    ("MAWB", "045-48216362"),  # the check digit is 1
    ("Vuelo", "LATAM Cargo"),  # a carrier's name
    ("Aeropuerto de destino", "SCL"),
)

HEADINGS = ("HAWB", "Consignatario", "RUT", "Descripción", "Cjs.", "Peso (lb)", "Valor FOB (USD)")
"""`Cjs.` means boxes to its writer only, so no column has the packages."""

ROWS = (
    ("EJEMPLO", "Nombre Apellido", "12.345.678-5", "Ejemplo: ropa", 1, 1, 10),
    ("AND2612160001", "Antonia Fuentes Rojas", "12.345.678-0", "Zapatillas deportivas", 1, 2.76, 59.9),  # check digit
    ("AND2612160002", "Benjamín Araya Muñoz", "15.872.436-7", "Libros impresos", 1, 4.63, "1.250"),  # thousands?
    ("AND2612160003", "Catalina Ñancupil Vera", "18.204.959-K", "Chaqueta", 1, "por pesar", 120),
    ("AND2612160004", "Diego Soto Barría", "9.876.543-3", "Audífonos", 1, 0.77, 45.99),
    ("AND2612160004", "Diego Soto Barría", "9.876.543-3", "Cargador", 1, 0.44, 12),  # two rows, one guide
    ("AND2612160001", "Emilia Paredes Godoy", "20.315.468-2", "Juego de construcción", 1, 3.97, 64.5),  # taken
    (None, "Óptica del Sur Limitada", "77.112.843-2", "Monturas de anteojos", 3, 6.06, 310),
    ("AND2612160005", "Francisca Olivares Pinto", "16.930.214-6", "Set de brochas", 1, None, 28.75),
    ("TOTAL", None, None, None, 8, 18.63, 1891.14),
)


def workbook() -> Workbook:
    """The workbook: labels, a blank row, the headings and the rows."""
    book = Workbook()
    book.properties.created = book.properties.modified = datetime(2026, 12, 1)  # noqa: DTZ001  # the same each time
    sheet = book.worksheets[0]
    sheet.title = "Manifiesto"
    for label in LABELS:
        sheet.append(label)
    sheet.append([])
    sheet.append(HEADINGS)
    for cell in sheet[sheet.max_row]:
        cell.font = Font(bold=True)
    for row in ROWS:
        sheet.append(row)
    for letter, width in zip("ABCDEFG", (22, 26, 14, 24, 6, 11, 16), strict=True):
        sheet.column_dimensions[letter].width = width
    return book


if __name__ == "__main__":
    workbook().save(PATH)
