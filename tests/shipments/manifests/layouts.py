"""One manifest, written in many layouts: what the property test reads back."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from shipments.manifests.cells import Cell, Sheet
from tests.shipments.manifests.made_sheets import Cells, sheet


@dataclass(frozen=True)
class Written:
    """A guide as it is meant. rut: body and check digit. weight in grams, value in cents."""

    hawb: str
    names: tuple[str, str, str]
    rut: tuple[int, str]
    street: str
    number: int
    city: str
    description: str
    packages: int
    grams: int
    cents: int

    def name(self) -> str:
        """The whole name."""
        return " ".join(self.names)

    def kilograms(self) -> Decimal:
        """The weight."""
        return Decimal(self.grams) / 1000

    def dollars(self) -> Decimal:
        """The value."""
        return Decimal(self.cents) / 100


@dataclass(frozen=True)
class Layout:
    """How a manifest is written. Every part can be chosen apart from the others."""

    mawb: str = "beside"
    words: str = "spanish"
    rut: str = "hyphen"
    name: str = "whole"
    address: str = "whole"
    numbers: str = "numeric"
    weight: str = "kg"
    groups: bool = False
    totals: bool = False
    numeric_hawbs: bool = False
    shuffled: bool = False
    extra_columns: bool = False
    repeated_headings: bool = False
    instructions: bool = False
    blank_rows: bool = False
    rows_above: int = 2


LAYOUTS = {
    "label beside, Spanish": Layout(),
    "label above, English": Layout(mawb="below", words="english", totals=True),
    "label and number in one cell, two-row headings": Layout(mawb="inside", groups=True),
    "a column that repeats the MAWB, names of the API": Layout(mawb="column", words="api", rows_above=0),
    "a numeric column, identifiers as numbers": Layout(mawb="numeric column", numeric_hawbs=True, rut="numeric"),
    "a cover sheet": Layout(mawb="cover", rows_above=5),
    "a label below the table": Layout(mawb="footer", totals=True, blank_rows=True),
    "the customs courier sheet: RUT in two columns, name in three, address in two": Layout(
        mawb="column", words="starred", rut="two columns", name="three columns", address="two columns", rows_above=0
    ),
    "decimal commas and dots in RUTs": Layout(numbers="comma", rut="dots", totals=True),
    "English numbers as text with currency": Layout(words="english", numbers="point", mawb="inside"),
    "pounds": Layout(weight="lb", words="english"),
    "grams in a column of units": Layout(weight="unit column"),
    "headings in row thirty": Layout(rows_above=29),
    "columns in any order among others": Layout(shuffled=True, extra_columns=True),
    "page breaks and instructions": Layout(repeated_headings=True, instructions=True, totals=True, blank_rows=True),
    "everything at once": Layout(
        mawb="cover", words="starred", rut="two columns", name="three columns", address="two columns", numbers="comma",
        totals=True, shuffled=True, extra_columns=True, repeated_headings=True, instructions=True, blank_rows=True,
        rows_above=12,
    ),
}  # fmt: skip

_WORDS = {
    "spanish": {
        "mawb": "Guía Master", "hawb": "Guía Hija", "name": "Consignatario", "rut": "RUT", "digit": "DV",
        "street": "Dirección", "number": "N° Calle", "city": "Comuna", "description": "Descripción",
        "packages": "Bultos", "weight": "Peso bruto", "value": "Valor FOB (US$)",
        "given": "Nombre consignatario", "surname": "Apellido Paterno", "second surname": "Apellido Materno",
    },
    "english": {
        "mawb": "Master AWB No.", "hawb": "House AWB Number", "name": "Consignee Name *", "rut": "Consignee Tax ID",
        "digit": "Check digit", "street": "Consignee Address", "number": "Street number", "city": "City",
        "description": "Description of Goods *", "packages": "No. of Pcs.", "weight": "Gross Weight",
        "value": "Declared Value (USD)", "given": "First Name", "surname": "Surname",
        "second surname": "Second Surname",
    },
    "api": {
        "mawb": "mawb", "hawb": "hawb", "name": "consignee_name", "rut": "consignee_rut", "digit": "dv",
        "street": "consignee_address", "number": "street number", "city": "consignee_city",
        "description": "description_original", "packages": "packages_count", "weight": "weight_kg", "value": "fob_usd",
        "given": "first name", "surname": "surname", "second surname": "second surname",
    },
    "starred": {
        "mawb": "*GUIA MADRE", "hawb": "*GUIA HIJA", "name": "*CONSIGNATARIO", "rut": "*RUT DESTINATARIO",
        "digit": "*DIGITO VERIFICADOR (DEL RUT)", "street": "*DIRECCION DESTINATARIO",
        "number": "*NUMERO DIRECCION DESTINATARIO", "city": "*COMUNA DESTINATARIO", "description": "*CONTENIDO",
        "packages": "*CANTIDAD BULTOS", "weight": "*KILOS", "value": "*VALOR DECLARADO",
        "given": "*NOMBRE DESTINATARIO O RAZON SOCIAL", "surname": "*APELLIDO PATERNO",
        "second surname": "*APELLIDO MATERNO",
    },
}  # fmt: skip

_EXTRA: tuple[tuple[str, Callable[[int], Cell]], ...] = (
    ("N°", lambda index: index + 1),
    ("Peso Volumétrico", lambda index: 90 + index),
    ("Valor CIF", lambda index: 9000 + index),
    ("Shipper", lambda _: "Acme Exports"),
    ("Shipper address", lambda _: "1 Industrial Way, Miami"),
    ("Flete", lambda index: 3.5 + index),
    ("País de origen", lambda _: "Estados Unidos"),
    ("Observaciones", lambda index: "frágil" if index % 2 else None),
)

Column = tuple[str, Callable[[Written], Cell]]


def write(layout: Layout, mawb: str, guides: Sequence[Written], chance: random.Random) -> list[Sheet]:
    """The sheets of a manifest in this layout. chance: decides what the layout leaves open."""
    sheets: list[Sheet] = []
    table, groups = _table(layout, mawb, guides, chance)
    rows: list[list[Cell]] = []
    if layout.mawb == "beside":
        rows = [["MAWB", None, ":", mawb]]
    elif layout.mawb == "below":
        rows = [["VUELO", "MAWB"], ["LA501", mawb.replace("-", " ")]]
    elif layout.mawb == "inside":
        rows = [[f"GUIA MASTER N° {mawb[:8]} {mawb[8:]}"]]
    elif layout.mawb == "cover":
        sheets.append(sheet(["RESUMEN"], ["MAWB", "Bultos"], [mawb.replace("-", ""), len(guides)], name="Portada"))
    banners: list[list[Cell]] = [["MANIFIESTO DE CARGA"], [], ["Agencia de prueba", None, "Santiago"]]
    rows += [banners[index % 3] for index in range(layout.rows_above - len(rows))]
    footer: list[list[Cell]] = [[], ["Master AWB", None, mawb]] if layout.mawb == "footer" else []
    merged = [(first + len(rows), left, last + len(rows), right) for first, left, last, right in groups]
    return [*sheets, sheet(*rows, *table, *footer, ["Firma: ________"], name="Detalle", merged=merged)]


def _table(
    layout: Layout, mawb: str, guides: Sequence[Written], chance: random.Random
) -> tuple[list[Cells], list[tuple[int, int, int, int]]]:
    columns = _columns(layout, mawb)
    if layout.extra_columns:
        position = {id(guide): index for index, guide in enumerate(guides)}
        for heading, value in _EXTRA:
            columns.append((heading, lambda guide, value=value: value(position[id(guide)])))  # type: ignore[misc]  # a default keeps the loop's value
    if layout.shuffled:
        chance.shuffle(columns)
    headings: list[Cell] = [heading for heading, _ in columns]
    table: list[Cells] = [headings]
    merged: list[tuple[int, int, int, int]] = []
    if layout.groups:
        table, merged = _grouped(columns)
    if layout.instructions:
        table.append(["Obligatorio" for _ in columns])
    for index, guide in enumerate(guides):
        if layout.repeated_headings and index and index % 3 == 0:
            table.append(headings)
        if layout.blank_rows and chance.random() < 0.3:
            table.append([])
        table.append([value(guide) for _, value in columns])
    if layout.totals:
        summed = {
            "packages": sum(guide.packages for guide in guides),
            "weight": sum(guide.grams for guide in guides) / 1000,
        }
        words = {_WORDS[layout.words][field]: total for field, total in summed.items()}
        table.append(
            [next((total for word, total in words.items() if heading.startswith(word)), None) for heading, _ in columns]
        )
        table[-1] = [*table[-1]]
        house = headings.index(_WORDS[layout.words]["hawb"])
        table[-1] = ["TOTAL" if column == house else cell for column, cell in enumerate(table[-1])]
    return table, merged


def _columns(layout: Layout, mawb: str) -> list[Column]:
    words = _WORDS[layout.words]
    columns: list[Column] = [(words["hawb"], _hawb(layout))]
    if layout.mawb == "column":
        columns.insert(0, (words["mawb"], lambda _: mawb))
    if layout.mawb == "numeric column":
        columns.insert(0, (words["mawb"], lambda _: float(mawb.replace("-", ""))))
    columns += _rut(layout, words) + _name(layout, words)
    if layout.address == "whole":
        columns.append((words["street"], lambda guide: f"{guide.street} {guide.number}"))
    else:
        columns.append((words["street"], lambda guide: guide.street))
        columns.append((words["number"], lambda guide: float(guide.number)))
    columns.append((words["city"], lambda guide: guide.city))
    columns.append((words["description"], lambda guide: guide.description))
    columns.append((words["packages"], lambda guide: guide.packages))
    columns += _weight(layout, words)
    columns.append((words["value"], lambda guide: _number(layout, guide.dollars(), "US$ ")))
    return columns


def _hawb(layout: Layout) -> Callable[[Written], Cell]:
    return (lambda guide: float(guide.hawb)) if layout.numeric_hawbs else (lambda guide: f" {guide.hawb.lower()}")


def _rut(layout: Layout, words: dict[str, str]) -> list[Column]:
    if layout.rut == "two columns":
        return [(words["rut"], lambda guide: float(guide.rut[0])), (words["digit"], lambda guide: guide.rut[1].lower())]
    if layout.rut == "dots":
        return [(words["rut"], lambda guide: f"{guide.rut[0]:,}".replace(",", ".") + f"-{guide.rut[1].lower()}")]
    if layout.rut == "numeric":
        return [(words["rut"], lambda guide: _numeric_rut(*guide.rut))]
    return [(words["rut"], lambda guide: f"{guide.rut[0]}-{guide.rut[1]}")]


def _numeric_rut(body: int, digit: str) -> Cell:
    return float(f"{body}{digit}") if digit != "K" else f"{body}K"


def _name(layout: Layout, words: dict[str, str]) -> list[Column]:
    if layout.name == "whole":
        return [(words["name"], lambda guide: guide.name())]
    parts = ("given", "surname", "second surname")
    return [(words[part], lambda guide, index=index: guide.names[index]) for index, part in enumerate(parts)]  # type: ignore[misc]  # as above


def _weight(layout: Layout, words: dict[str, str]) -> list[Column]:
    if layout.weight == "lb":
        return [(f"{words['weight']} (LBS)", lambda guide: float(guide.kilograms() / Decimal("0.45359237")))]
    if layout.weight == "unit column":
        return [("Peso", lambda guide: guide.grams), ("Unidad de peso", lambda _: "gr")]
    return [(words["weight"], lambda guide: _number(layout, guide.kilograms(), ""))]


def _number(layout: Layout, value: Decimal, currency: str) -> Cell:
    if layout.numbers == "numeric":
        return float(value)
    text = f"{value:,.2f}" if currency else f"{value:,.3f}"
    if layout.numbers == "comma":
        return text.translate(str.maketrans(",.", ".,"))
    return f"{currency}{text}"


_GROUPS = {"name": "CONSIGNATARIO", "rut": "CONSIGNATARIO", "street": "CONSIGNATARIO", "city": "CONSIGNATARIO"}


def _grouped(columns: Sequence[Column]) -> tuple[list[Cells], list[tuple[int, int, int, int]]]:
    """Two rows of headings: the consignee's under one merged group, a shipper's before it, the others merged down."""
    words = {word: field for field, word in _WORDS["spanish"].items()}
    plain = {"name": "NOMBRE", "rut": "RUT", "street": "DIRECCION", "city": "COMUNA"}
    top: list[Cell] = []
    bottom: list[Cell] = []
    for heading, _ in columns:
        field = words.get(heading, "")
        top.append(None if field in _GROUPS else heading)
        bottom.append(plain.get(field))
    grouped = [index for index, cell in enumerate(bottom) if cell]
    top[grouped[0]] = "DATOS DEL CONSIGNATARIO"
    merged = [(1, grouped[0], 1, grouped[-1])]
    merged += [(1, index, 2, index) for index, cell in enumerate(bottom) if not cell]
    return [top, bottom], merged
