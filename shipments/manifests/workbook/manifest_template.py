"""The Chilean format as a workbook to fill in: the download for clients, also used to write our examples."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import cache
from io import BytesIO
from typing import NamedTuple

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

_TEXT, _WHOLE, _WEIGHT, _MONEY, _MOMENT = "@", "0", "0.000", "0.00", "dd/mm/yyyy hh:mm"

_FIRST_LABEL_ROW = 3
_HEADINGS_ROW = 9
_LAST_VALIDATED_ROW = 50_000

_INK, _PAPER, _SOFT, _LINE = "FFFFFF", "1F3864", "DDE6F3", "B4C2D9"


class _Column(NamedTuple):
    heading: str
    width: int
    number_format: str
    hint: str
    is_required: bool = True


_LABELS = (
    ("MAWB", _TEXT),
    ("Vuelo", _TEXT),
    ("Aeropuerto de origen", _TEXT),
    ("Aeropuerto de destino", _TEXT),
    ("ETA (hora local)", _MOMENT),
)

_COLUMNS = (
    _Column("Guía hija (HAWB)", 20, _TEXT, "Una por envío, sin repetir."),
    _Column("Consignatario", 30, _TEXT, "Nombre completo o razón social."),
    _Column("RUT", 14, _TEXT, "Con dígito verificador; con o sin puntos y guion."),
    _Column("Dirección", 36, _TEXT, "Calle, número y departamento.", is_required=False),
    _Column("Comuna", 18, _TEXT, "Comuna de entrega.", is_required=False),
    _Column("Región", 20, _TEXT, "Región de entrega.", is_required=False),
    _Column("Teléfono", 16, _TEXT, "Con código de país.", is_required=False),
    _Column("Correo electrónico", 28, _TEXT, "Del consignatario.", is_required=False),
    _Column("Remitente", 24, _TEXT, "Quien envía, en origen.", is_required=False),
    _Column("Descripción", 36, _TEXT, "Qué contiene el envío."),
    _Column("Código arancelario (HS)", 16, _TEXT, "De 6 a 12 dígitos.", is_required=False),
    _Column("Bultos", 9, _WHOLE, "Número entero, 1 o más."),
    _Column("Peso bruto (kg)", 13, _WEIGHT, "Del envío completo, en kilogramos."),
    _Column("Valor FOB (US$)", 14, _MONEY, "Del envío completo, en dólares de los Estados Unidos."),
)

_INSTRUCTIONS = (
    "Cómo llenar este manifiesto",
    "Un archivo por guía aérea máster. Complete los datos de la parte superior y una fila por cada guía hija.",
    "Reemplace las filas de ejemplo por las suyas. No hace falta borrar columnas que no use.",
    "La guía máster se escribe con tres dígitos, un guion y ocho dígitos.",
    "Los encabezados con asterisco son necesarios. Una fila sin guía hija no se ingresa.",
    "Un RUT inválido no detiene la carga: el envío se crea y queda marcado para revisión.",
    "Varias filas con la misma guía hija y el mismo consignatario forman un solo envío con varios productos.",
    "La fecha de llegada es la hora local del aeropuerto de destino, con el día antes del mes.",
    "El peso va en kilogramos y el valor FOB en dólares. Escriba los números como números, sin unidades.",
)
# No number here has the form of a MAWB, and no sentence begins with a label: this sheet is read like any other.

_EXAMPLE_LABELS: Mapping[str, str | datetime] = {
    "MAWB": "045-12345675",
    "Vuelo": "LA2369",
    "Aeropuerto de origen": "MIA",
    "Aeropuerto de destino": "SCL",
    "ETA (hora local)": datetime(2026, 12, 15, 6, 45),  # noqa: DTZ001 - spreadsheets have no time zones
}
_EXAMPLE_GUIDES = (
    (
        "PA0000000001",
        "Antonia Fuentes Rojas",
        "12345678-5",
        "Avenida Los Leones 1280, depto. 52",
        "Providencia",
        "Metropolitana de Santiago",
        "+56 9 5550 0101",
        "antonia@example.com",
        "Example Outlet Inc.",
        "Zapatillas deportivas",
        "640411",
        1,
        1.25,
        59.9,
    ),
    (
        "PA0000000002",
        "Comercial Cordillera SpA",
        "76543210-3",
        "Calle Prat 856, oficina 301",
        "Valparaíso",
        "Valparaíso",
        "+56 32 555 0102",
        "compras@example.com",
        "Example Parts LLC",
        "Repuestos de bicicleta",
        "87149990",
        2,
        4.8,
        189.5,
    ),
)


@cache
def chile_template() -> bytes:
    """The template as an .xlsx: labels and headings in Spanish, two valid guides as examples, a sheet of instructions.

    Uploaded unchanged, it causes no warning and no notice.
    """
    return chile_workbook(_EXAMPLE_LABELS, _EXAMPLE_GUIDES)


def chile_workbook(labels: Mapping[str, str | date], guides: Sequence[Sequence[str | float | None]]) -> bytes:
    """A manifest in the template's layout, as an .xlsx.

    labels: value of each label above the table, by the label's text; omitted ones stay empty.
    guides: one sequence for each row, in the order of the template's columns.
    """
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "Manifiesto"
    _write_labels(sheet, labels)
    _write_headings(sheet)
    for number, guide in enumerate(guides, start=_HEADINGS_ROW + 1):
        for index, (column, value) in enumerate(zip(_COLUMNS, guide, strict=True), start=1):
            sheet.cell(number, index, value).number_format = column.number_format
    _write_instructions(workbook.create_sheet("Instrucciones"))
    file = BytesIO()
    workbook.save(file)
    return file.getvalue()


def _write_labels(sheet: Worksheet, labels: Mapping[str, str | date]) -> None:
    sheet["A1"] = "Manifiesto de carga aérea a Chile"
    sheet["A1"].font = Font(bold=True, size=14, color=_PAPER)
    for number, (label, number_format) in enumerate(_LABELS, start=_FIRST_LABEL_ROW):
        name, cell = sheet.cell(number, 1, label), sheet.cell(number, 2, labels.get(label))
        name.font = Font(bold=True)
        name.fill = PatternFill("solid", start_color=_SOFT)
        cell.number_format = number_format
        cell.alignment = Alignment(horizontal="left")
        cell.border = name.border = _border()


def _write_headings(sheet: Worksheet) -> None:
    for index, column in enumerate(_COLUMNS, start=1):
        letter = get_column_letter(index)
        sheet.column_dimensions[letter].width = column.width
        sheet.column_dimensions[letter].number_format = column.number_format
        cell = sheet.cell(_HEADINGS_ROW, index, f"{column.heading} *" if column.is_required else column.heading)
        cell.font = Font(bold=True, color=_INK)
        cell.fill = PatternFill("solid", start_color=_PAPER)
        cell.alignment = Alignment(wrap_text=True, vertical="center")
        cell.border = _border()
        cell.comment = Comment(column.hint, "Pre-Alerts")
        if column.number_format != _TEXT:
            _validate(sheet, letter, column)
    sheet.row_dimensions[_HEADINGS_ROW].height = 32
    sheet.freeze_panes = f"B{_HEADINGS_ROW + 1}"


def _validate(sheet: Worksheet, letter: str, column: _Column) -> None:
    is_whole = column.number_format == _WHOLE
    validation = DataValidation(
        type="whole" if is_whole else "decimal",
        operator="greaterThanOrEqual",
        formula1="1" if is_whole else "0",
        errorTitle=column.heading,
        error=column.hint,
        showErrorMessage=True,
    )
    validation.add(f"{letter}{_HEADINGS_ROW + 1}:{letter}{_LAST_VALIDATED_ROW}")
    sheet.add_data_validation(validation)


def _write_instructions(sheet: Worksheet) -> None:
    sheet.column_dimensions["A"].width = 110
    for number, text in enumerate(_INSTRUCTIONS, start=1):
        cell = sheet.cell(number, 1, text)
        cell.alignment = Alignment(wrap_text=True, vertical="top")
        cell.font = Font(bold=number == 1, size=12 if number == 1 else 11)


def _border() -> Border:
    side = Side(style="thin", color=_LINE)
    return Border(left=side, right=side, top=side, bottom=side)
