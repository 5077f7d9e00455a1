"""Five layouts as clients of three countries might have them: each as columns with their cells, and what is around."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from openpyxl import Workbook

NAMES = ("Rosa Quispe Mamani", "Juan Pérez Soto", "Elena Torres", "Importadora del Sur S.A.", "Luis Vega")
GOODS = ("Zapatillas", "Libros", "Audífonos", "Repuestos de auto", "Juguetes")
RUC, CDI = "20601234565", "50-12345678-2"
CUITS = ("20-12345678-6", "20-12345679-4", "20-12345680-8", "20-12345681-6", "20-12345682-4")
"""A document for each of the names."""


@dataclass(frozen=True)
class Column:
    """A column of a layout. cell: row number from 0 -> cell. told: keys of its answer besides the field."""

    heading: str
    field: str | None
    cell: Callable[[int], Any]
    told: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    group: str = ""


@dataclass(frozen=True)
class Layout:
    """above: rows above the headings; {mawb} is replaced. labels: as the API has them."""

    country: str
    columns: Sequence[Column]
    above: Sequence[Sequence[Any]] = (("MAWB", "{mawb}"),)
    labels: Sequence[Mapping[str, str]] = ()

    def answers(self) -> dict[str, Any]:
        """What a person says of it, as the API takes it. The last column is kept."""
        columns = [
            {"heading": each.heading, "group": each.group, "field": each.field, **each.told} for each in self.columns
        ]
        return {"answers": columns, "labels": self.labels}

    def book(self, mawb: str, guides: int = 12) -> bytes:
        """The workbook."""
        workbook = Workbook()
        sheet = workbook.worksheets[0]
        for row in self.above:
            sheet.append([cell.format(mawb=mawb) if isinstance(cell, str) else cell for cell in row])
        sheet.append([])
        if any(column.group for column in self.columns):
            sheet.append([column.group for column in self.columns])
        sheet.append([column.heading for column in self.columns])
        for number in range(guides):
            sheet.append([column.cell(number) for column in self.columns])
        file = BytesIO()
        workbook.save(file)
        return file.getvalue()


def cycle(*values: Any) -> Callable[[int], Any]:
    return lambda number: values[number % len(values)]


def numbered(prefix: str) -> Callable[[int], str]:
    return lambda number: f"{prefix}{number + 1:05d}"


def comma(values: Sequence[float]) -> Callable[[int], str]:
    """Numbers typed as text with a decimal comma."""
    return lambda number: f"{values[number % len(values)]:.2f}".replace(".", ",")


WEIGHTS, VALUES = (0.45, 1.25, 3.1, 0.8, 6.2), (22.5, 85.25, 150.75, 420.5, 60.9)
NAME, THINGS = cycle(*NAMES), cycle(*GOODS)
KILOS, DOLLARS = cycle(*WEIGHTS), cycle(*VALUES)
KG = {"unit": "kg"}


def named(*rows: tuple[Any, ...]) -> list[Column]:
    return [Column(*row) for row in rows]


LAYOUTS: Mapping[str, Layout] = {
    "a marketplace with SUNAT's document types": Layout(
        "PE",
        named(
            ("Nro. Paquete", "hawb", numbered("MKP-")),
            ("Comprador", "consignee_name", NAME),
            ("Clase Doc.", "consignee_document_type", cycle(1, 1, 7, 6, 4),
             {"values": {"1": "DNI", "6": "RUC", "7": "PASSPORT", "4": "CE"}}),
            ("Nro. Doc.", "consignee_document", cycle("45678912", "41234567", "AB123456", RUC, "001234567")),
            ("Artículo", "description_original", THINGS),
            ("Cant. Bultos", "packages_count", cycle(1, 1, 2)),
            ("Kg", "weight_kg", KILOS, KG),
            ("Importe US$", "fob_usd", DOLLARS),
            ("Tienda", "platform_name", cycle("AMAZON", "EBAY")),
            ("Obs.", None, cycle("frágil", None)),
        ),
        above=(("MANIFIESTO COURIER", None), ("MAWB", "{mawb}"), ("Vuelo", "LA2511")),
    ),
    "CUIT and CDI with decimal commas": Layout(
        "AR",
        named(
            ("Guía", "hawb", numbered("AR")),
            ("Apellido y nombre", "consignee_name", NAME),
            ("Clave fiscal", "consignee_document", cycle(*CUITS[:4], CDI)),
            ("Contenido", "description_original", THINGS),
            ("Kilos", "weight_kg", comma(WEIGHTS), {**KG, "decimals": "comma"}),
            ("Valor u$s", "fob_usd", comma(VALUES), {"decimals": "comma"}),
            ("Localidad", "consignee_city", cycle("Rosario", "Salta")),
            ("Nota", None, cycle("x")),
        ),
    ),
    "two rows of headings": Layout(
        "PE",
        [
            Column("Código", "hawb", numbered("LIM"), {}, "GUIA"),
            Column("Nombre", "consignee_name", NAME, {}, "RECIBE"),
            Column("Documento", "consignee_document", cycle("45678912", RUC), {}, "RECIBE"),
            Column("Ciudad", "consignee_city", cycle("Lima"), {}, "RECIBE"),
            Column("Qué es", "description_original", THINGS, {}, "CARGA"),
            Column("Kilos", "weight_kg", KILOS, KG, "CARGA"),
            Column("US$", "fob_usd", DOLLARS, {}, "CARGA"),
            Column("Nota", None, cycle("x"), {}, "OTROS"),
        ],
    ),
    "always the same destination": Layout(
        "AR",
        named(
            ("Hija", "hawb", numbered("EZE")),
            ("Persona", "consignee_name", NAME),
            ("Clave", "consignee_document", cycle(*CUITS)),
            ("Mercadería", "description_original", THINGS),
            ("Kgs brutos", "weight_kg", KILOS, KG),
            ("Monto en dólares", "fob_usd", DOLLARS),
            ("Barrio", "consignee_city", cycle("Palermo")),
            ("Nota", None, cycle("x")),
        ),
        labels=[{"field": "destination", "value": "EZE"}],
    ),
    "headings in two languages": Layout(
        "PE",
        named(
            ("House / Guía hija", "hawb", numbered("BI-")),
            ("Consignee / Destinatario", "consignee_name", NAME),
            ("ID / Documento", "consignee_document", cycle("45678912", RUC)),
            ("Goods / Mercancía", "description_original", THINGS),
            ("Gross weight / Peso bruto (kg)", "weight_kg", KILOS, KG),
            ("Value / Valor FOB USD", "fob_usd", DOLLARS),
            ("City / Ciudad", "consignee_city", cycle("Arequipa")),
            ("Remarks / Observaciones", None, cycle("x")),
        ),
        labels=[{"field": "destination", "value": "LIM"}],
    ),
}  # fmt: skip
