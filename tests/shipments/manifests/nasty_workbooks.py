"""Manifests as they arrive: workbooks put together by agencies, marketplaces and people in a hurry. All invented."""

from typing import NamedTuple

from shipments.manifests.cells import Sheet
from tests.shipments.manifests.made_sheets import MAWB, sheet

Expected = tuple[str, str, str, str | None, str | None]
"""HAWB, consignee, RUT, weight in kilograms, FOB value in US dollars."""

ANA: Expected = ("H1", "Ana Rojas", "12345678-5", "1.500", "20.00")
BETO: Expected = ("H2", "Beto Soto", "7654321-6", "2.000", "30.00")


class Nasty(NamedTuple):
    """A workbook and what it means. warnings: row and code of each."""

    sheets: list[Sheet]
    guides: list[Expected]
    warnings: tuple[tuple[int, str], ...] = ()
    notices: tuple[str, ...] = ()


_NO_PACKAGES = ("field_without_column",)
"""Where no column counts packages."""

_SHORT = ["HAWB", "Consignatario", "RUT", "Contenido", "Peso Kg", "FOB US$"]

NASTY = {
    "a courier's sheet with logos, label rows, an item number and totals": Nasty(
        [
            sheet(
                ["COURIER EJEMPLO LTDA.", None, None, None, None, "R.U.T.: 76.543.210-3"],
                ["MANIFIESTO DE CARGA COURIER N° 2611-25"],
                [],
                ["GUIA MADRE:", None, "045-1234 5675", None, "VUELO:", "LA 505", None, "FECHA ARRIBO:",
                 "26/11/2026 06:45"],
                ["PROCEDENCIA:", None, "MIAMI - MIA", None, "DESTINO:", "SANTIAGO - SCL"],
                [],
                ["Item", "N° Guía", "Consignatario", "RUT", "Dirección", "Contenido", "Cant. Bultos",
                 "Peso Kgs.", "Valor FOB US$"],
                [1, "H1", "Ana Rojas", "12.345.678-5", "Calle 1", "Ropa", 1, "1,50", "20,00"],
                [2, "H2", "Beto Soto", "7.654.321-6", "Calle 2", "Libro", 2, "2,00", "30,00"],
                [None, None, None, None, None, "TOTALES", 3, 3.5, 50],
                [],
                ["Peso Total: 3,5 kg", "Bultos: 3", "Guías: 2"],
                ["Firma y timbre: ______________"],
                merged=[(1, 0, 1, 4), (2, 0, 2, 8)],
            )
        ],
        [ANA, BETO],
    ),
    "two-row headings repeated at a page break": Nasty(
        [
            sheet(
                ["MAWB:", MAWB],
                ["HAWB", "CONSIGNATARIO", None, "CARGA", None, None],
                [None, "NOMBRE", "RUT", "CONTENIDO", "PESO", "FOB"],
                ["H1", "Ana Rojas", "12345678-5", "Ropa", 1.5, 20],
                ["MANIFIESTO DE CARGA", None, None, None, "Página 2"],
                ["MAWB:", MAWB],
                ["HAWB", "CONSIGNATARIO", None, "CARGA", None, None],
                [None, "NOMBRE", "RUT", "CONTENIDO", "PESO", "FOB"],
                ["H2", "Beto Soto", "7654321-6", "Libro", 2, 30],
            )
        ],
        [ANA, BETO],
        notices=_NO_PACKAGES,
    ),
    "a marketplace's export: AWB is the house, a column of carriers is not": Nasty(
        [
            sheet(
                ["MAWB", "AWB", "LOCAL TRACKING PROVIDER", "MERCHANT CS NAME", "CONSIGNEE ADDRESS", "CITY",
                 "DESCRIPTION",
                 "WEIGHT", "VALUE", "RUT"],
                [MAWB, "H1", "DHL", "Ana Rojas", "Calle 1", "Maipú", "Ropa", 1.5, 20, "12345678-5"],
                [MAWB, "H2", "DHL", "Beto Soto", "Calle 2", "Maipú", "Libro", 2, 30, "7654321-6"],
            )
        ],
        [ANA, BETO],
        notices=_NO_PACKAGES,
    ),
    "a parcel platform's export: unit value beside declared value, charges, bag, ports": Nasty(
        [
            sheet(
                ["Origin Port *", "Destination Port *", "MAWB No. *", "Flight No. *", "STD *", "STA *", "Parcel No. *",
                 "Consignor Name *", "Consignor Address 1 *", "Consignee Name *", "Consignee Tax ID",
                 "Consignee Address 1 *",
                 "Consignee Address 2", "Description of Goods *", "HS Code *", "Item Value Per Unit *",
                 "Parcel Total Gross Weight *", "Parcel Total Freight Charges *", "Parcel Bag ID",
                 "Declared Value", "Currency"],
                ["HKG", "SCL", MAWB, "LA8090", "2026-11-20 10:00", "2026-11-21 23:00", "H1", "Shenzhen Co", "Road 1",
                 "Ana Rojas", "12345678-5", "Calle 1", "Depto 2", "toy", "950300", 5, 1.5, 1, "B1", 20, "USD"],
                ["HKG", "SCL", MAWB, "LA8090", "2026-11-20 10:00", "2026-11-21 23:00", "H2", "Shenzhen Co", "Road 1",
                 "Beto Soto", "7654321-6", "Calle 2", None, "toy", "950300", 5, 2, 1, "B1", 30, "USD"],
            )
        ],
        [ANA, BETO],
        notices=_NO_PACKAGES,
    ),
    "a box with the MAWB to the right of the table": Nasty(
        [
            sheet(
                _SHORT,
                ["H1", "Ana Rojas", "12345678-5", "Ropa", 1.5, 20, None, "MAWB:", MAWB],
                ["H2", "Beto Soto", "7654321-6", "Libro", 2, 30, None, "VUELO:", "LA505"],
            )
        ],
        [ANA, BETO],
        notices=_NO_PACKAGES,
    ),
    "instructions, an example, units and column numbers under the headings": Nasty(
        [
            sheet(
                [f"Guía Master N° {MAWB}"],
                ["1. HAWB", "2. Consignatario", "3. RUT", "4. Contenido", "5. Peso", "6. Valor FOB"],
                ["(obligatorio)", "(obligatorio)", "(sin puntos)", "(en español)", "LBS", "USD"],
                [1, 2, 3, 4, 5, 6],
                ["Ej.: AB123", "Juan Ejemplo", "11.111.111-1", "Ropa", 1, 10],
                ["H1", "Ana Rojas", "12345678-5", "Ropa", 3.306934, 20],
            )
        ],
        [ANA],
        notices=(*_NO_PACKAGES, "example_row_ignored"),
    ),
    "products of one parcel under merged cells": Nasty(
        [
            sheet(
                ["MAWB", MAWB],
                ["HAWB", "Consignatario", "RUT", "Contenido", "Bultos", "Peso Kg", "FOB US$", "Código HS"],
                ["H1", "Ana Rojas", "12345678-5", "Polera", 1, 1.5, 12.5, "6109.10"],
                [None, None, None, "Zapato", None, None, 7.5, "6403.99"],
                ["H2", "Beto Soto", "7654321-6", "Libro", 1, 2, 30, None],
                merged=[(3, column, 4, column) for column in (0, 1, 2, 4, 5)],
            )
        ],
        [ANA, BETO],
        notices=("hawb_rows_merged",),
    ),
    "numbers and money as text in every manner": Nasty(
        [
            sheet(
                ["AWB: 045-12345675 / LA505 / 25NOV26"],
                _SHORT,
                ["H1", "Ana Rojas", "12345678-5", "Ropa", "1,500 Kgs.", "US$ 20,00"],
                ["H2", "Beto Soto", "7654321-6", "Libro", "2.0", "30.00 USD"],
                ["H3", "Caro Díaz", "9876543-3", "Cable", "0,350", "1.234"],
                ["H4", "Dora Paz", "12345678-9", "Cable", "s/p", "€ 5"],
            )
        ],
        [ANA, BETO, ("H3", "Caro Díaz", "9876543-3", "0.350", "1234.00"), ("H4", "Dora Paz", "12345678-9", None, None)],
        warnings=((3, "ambiguous_number"), (5, "ambiguous_number"),
                  (6, "weight_kg_invalid"), (6, "fob_usd_invalid"), (6, "rut_invalid_format")),
        notices=_NO_PACKAGES,
    ),
    "identifiers typed with an apostrophe, names with line breaks": Nasty(
        [
            sheet(
                [MAWB],
                _SHORT,
                ["'h1", "Ana\r\nRojas", "'12345678-5", "Ropa\x0b", 1.5, 20],
                [" H2 ", "Beto\u00a0 Soto", "7654321\u20116", "Libro", 2, 30],
            )
        ],
        [ANA, BETO],
        notices=_NO_PACKAGES,
    ),
}  # fmt: skip
