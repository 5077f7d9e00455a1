"""Workbooks as they come, and what must be read from them: which rows are guides, and what is said of the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from base.errors import DomainError
from shipments.manifests.cells import Cell, Sheet
from shipments.manifests.manifest import ParsedManifest
from tests.shipments.manifests.made_sheets import MAWB, Cells, read, sheet

Outcome = Literal["right", "wrong", "lost", "empty", "unsaid", "needless", "refused", "taken"]
"""`wrong`, `lost` and `empty`: values or guides that differ, are missing, or are missing a value. `unsaid`: the guides
are right, and what has to be said is not. `needless`: more was said than has to be. `refused`: a good workbook.
`taken`: one that has to be refused."""


@dataclass(frozen=True)
class Case:
    """A workbook. guides: HAWB -> fields that matter; says: codes of warnings and notices; refusal: part of its words.

    rows: (products, totals, left out), where the case counts them.
    """

    name: str
    sheets: tuple[Sheet, ...]
    guides: Mapping[str, Mapping[str, object]]
    says: frozenset[str] = frozenset()
    refusal: str = ""
    rows: tuple[int, int, int] | None = None


LABEL = ("MAWB", MAWB)
ES = ("HAWB", "Consignatario", "RUT", "Descripción", "Bultos", "Peso (kg)", "Valor FOB (USD)")
EN = ("House AWB", "Consignee Name", "Tax ID", "Description of Goods", "Pieces", "Gross Weight", "Declared Value")
ANA: Cells = ("AND2612150001", "Ana Rojas", "12345678-5", "Ropa", 1, 1.5, 20)
BETO: Cells = ("AND2612150002", "Beto Soto", "7654321-6", "Libros", 2, 2.5, 30)
CARLA: Cells = ("AND2612150003", "Carla Díaz", "11222333-9", "Juguetes", 1, 4, 50)
A, B, C = "AND2612150001", "AND2612150002", "AND2612150003"
READ = {
    A: {"consignee_name": "Ana Rojas", "weight_kg": "1.5", "fob_usd": "20", "packages_count": 1},
    B: {"consignee_name": "Beto Soto", "weight_kg": "2.5", "fob_usd": "30", "packages_count": 2},
    C: {"consignee_name": "Carla Díaz", "weight_kg": "4", "fob_usd": "50", "packages_count": 1},
}
TWO = {A: READ[A], B: READ[B]}


def with_cell(row: Cells, **changes: Cell) -> list[Cell]:
    """A row with other cells: hawb, name, rut, description, packages, weight, fob."""
    names = ("hawb", "name", "rut", "description", "packages", "weight", "fob")
    return [changes.get(name, cell) for name, cell in zip(names, row, strict=True)]


def case(
    name: str,
    *rows: Cells,
    guides: Mapping[str, Mapping[str, object]] = READ,
    says: str = "",
    counts: tuple[int, int, int] | None = None,
    headings: Cells = ES,
) -> Case:
    """One sheet: the MAWB, the headings, these rows."""
    return Case(name, (sheet(LABEL, headings, *rows),), guides, frozenset(says.split()), rows=counts)


ASKED = "which column is the HAWB"


def outcome(given: Case) -> Outcome:
    """What reading the case's workbook comes to."""
    try:
        manifest = read(*given.sheets)
    except DomainError as refusal:
        if not given.refusal:
            return "refused"
        return "right" if given.refusal in refusal.message else "unsaid"
    if any(question.field == "hawb" for question in manifest.questions):
        return "right" if given.refusal == ASKED else "refused"
    return "taken" if given.refusal else _read_outcome(given, manifest)


def _read_outcome(given: Case, manifest: ParsedManifest) -> Outcome:
    found = {guide.hawb: guide for guide in manifest.guides}
    if given.guides.keys() - found.keys():
        return "lost"
    if found.keys() - given.guides.keys():
        return "wrong"
    for hawb, fields in given.guides.items():
        for field, expected in fields.items():
            value = getattr(found[hawb], field)
            if isinstance(value, Decimal) and value == Decimal(str(expected)):
                continue
            if value != expected:
                return "wrong" if value not in (None, "") else "empty"
    said = {warning.code for warning in manifest.warnings} | {notice.code for notice in manifest.notices}
    if given.says - said:
        return "unsaid"
    if given.rows is not None and given.rows != _account(manifest):
        return "unsaid"
    return "needless" if said - given.says - {"columns_kept"} else "right"


def _account(manifest: ParsedManifest) -> tuple[int, int, int]:
    rows = getattr(manifest, "rows", None)
    return (rows.products, rows.totals, rows.left_out) if rows else (-1, -1, -1)


NO_KILOS = {**TWO, A: {**READ[A], "weight_kg": None}}
NO_DOLLARS = {**TWO, A: {**READ[A], "fob_usd": None}}

FIRST_ROWS = (
    case("weight says kilos", with_cell(ANA, weight="kilos"), BETO, guides=NO_KILOS, says="weight_kg_invalid"),
    case("weight says KG", with_cell(ANA, weight="KG"), BETO, guides=NO_KILOS, says="weight_kg_invalid"),
    case("value says USD", with_cell(ANA, fob="USD"), BETO, guides=NO_DOLLARS, says="fob_usd_invalid"),
    case("value to be confirmed", with_cell(ANA, fob="US$ por confirmar"), BETO, guides=NO_DOLLARS,
         says="fob_usd_invalid"),
    case("weight in lb to come", with_cell(ANA, weight="lbs TBC"), BETO, guides=NO_KILOS, says="weight_kg_invalid",
         headings=EN),
    case("HAWB of letters, weight says kilos", with_cell(ANA, hawb="ABCXYZ", weight="kilos", packages=None), BETO,
         guides={"ABCXYZ": {"weight_kg": None, "consignee_name": "Ana Rojas"}, B: READ[B]},
         says="weight_kg_invalid values_missing"),
    case("only a name and USD", with_cell(ANA, rut=None, weight=None, packages=None, fob="USD"), BETO,
         guides={A: {"fob_usd": None}, B: READ[B]}, says="fob_usd_invalid rut_invalid_format values_missing"),
    case("both say their units", with_cell(ANA, weight="kilos", fob="dólares"), BETO,
         guides={A: {"fob_usd": None, "weight_kg": None}, B: READ[B]}, says="fob_usd_invalid weight_kg_invalid"),
    case("bultos says cajas", with_cell(ANA, packages="cajas"), BETO, guides=TWO, says="packages_count_invalid"),
)  # fmt: skip

SECOND_HEADING_ROWS = (
    case("units below in brackets", (None, None, None, None, None, "(LBS)", "(USD)"), with_cell(ANA, weight=10),
         guides={A: {"weight_kg": "4.536"}}, headings=("HAWB", "Name", "RUT", "Description", "Pcs", "Weight", "Value"),
         counts=(0, 0, 0)),
    case("units and words below", ("N° guía", "Nombre completo", "Con guión", "En español", "N°", "lbs", "US$"),
         with_cell(ANA, weight=10), guides={A: {"weight_kg": "4.536"}},
         headings=("HAWB", "Consignatario", "RUT", "Descripción", "Bultos", "Peso", "Valor"), counts=(0, 0, 0)),
    case("second language below, unit there", (*ES[:5], "Peso (lb)", "Valor (USD)"), with_cell(ANA, weight=10),
         guides={A: {"weight_kg": "4.536"}}, headings=EN, counts=(0, 0, 0)),
    case("second language, then units", (*ES[:5], "Peso", "Valor"), (None,) * 5 + ("LB", "USD"),
         with_cell(ANA, weight=10), guides={A: {"weight_kg": "4.536"}}, headings=EN, counts=(0, 0, 0)),
    *(case(f"below: {words}", [word or None for word in words.split("|")], ANA, guides={A: READ[A]})
      for words in ("String(35)|String(70)|String(12)|String|Int|Decimal(12,3)|Decimal",
                    "Obligatorio|Obligatorio|Obligatorio|Obligatorio|Obligatorio|Obligatorio|Obligatorio",
                    "Texto|Texto|Texto|Texto|Número|Número|Número", "A|B|C|D|E|F|G", "(1)|(2)|(3)|(4)|(5)|(6)|(7)",
                    "Máx. 20 caracteres|Nombre completo|Sin puntos|Qué es|Entero|Con 2 decimales|US$",
                    "|Nombre completo|12345678-9|En español|n°|kilos|dólares",
                    "X(20)|X(50)|X(12)|X(200)|9(3)|9(5)|9(8)", "最多20个字符|最多50个字符|必填|文本|整数|数字|数字")),
    case("numbers of the columns below", (1, 2, 3, 4, 5, 6, 7), ANA, guides={A: READ[A]}),
    case("Chinese rules", ("限20个字符", "收件人全名", "不能中文", "英文", "整数", "保留3位小数", "USD"), ANA,
         guides={A: READ[A]}, counts=(0, 0, 1)),
)  # fmt: skip

TOTALS = (
    *(case(words, ANA, BETO, (words, None, None, None, 3, 4, 50), guides=TWO, counts=(0, 1, 0))
      for words in ("TOTAL 2 GUIAS", "TOTAL SANTIAGO", "Sub total:", "Total HAWBs: 2", "Grand Total:", "合计")),
    case("Portuguese totals under the descriptions", ANA, BETO, (None, None, None, "Total geral", None, 4, 50),
         guides=TWO, counts=(0, 1, 0)),
    case("totals under the units", ("LB", *ANA), ("KG", *BETO), ("Totales", None, None, None, None, 3, 4, 50),
         guides={A: {"weight_kg": "0.680"}, B: {"weight_kg": "2.5"}}, headings=("UM", *ES[:5], "Peso", ES[6]),
         counts=(0, 1, 0)),
    case("totals under the names", ANA, BETO, (None, "TOTALES", None, None, 3, 4, 50), guides=TWO, counts=(0, 1, 0)),
    case("sums without a word", ANA, BETO, (None, None, None, None, 3, 4, 50), guides=TWO, counts=(0, 1, 0)),
    case("count of guides in the HAWB column", ANA, BETO, (2, None, None, None, 3, 4, 50), guides=TWO,
         says="rows_left_out", counts=(0, 1, 0)),
    case("count in words under the names", ANA, BETO, (None, "2 guías", None, None, 3, 4, 50), guides=TWO,
         says="rows_left_out", counts=(0, 1, 0)),
    case("count in words under the descriptions", ANA, BETO, (None, None, None, "2 envíos", 3, 4, 50), guides=TWO,
         says="rows_left_out", counts=(0, 1, 0)),
    case("TOTAL with the count beside it", ANA, BETO, ("TOTAL", "2 guías", None, None, 3, 4, 50), guides=TWO,
         counts=(0, 1, 0)),
    case("RESUMEN", ANA, BETO, ("RESUMEN MIA1", None, None, "Carga general", 3, 4, 50), guides=TWO,
         says="rows_left_out", counts=(0, 1, 0)),
    case("subtotal of each page, then all", ANA, ("SUBTOTAL", None, None, None, 1, 1.5, 20), BETO, CARLA,
         ("SUBTOTAL PAG. 2", None, None, None, 3, 6.5, 80), ("TOTAL GENERAL", None, None, None, 4, 8, 100),
         counts=(0, 3, 0)),
    case("carried forward", ANA, BETO, ("Suma y sigue", None, None, None, 3, 4, 50),
         ("Viene de la página anterior", None, None, None, 3, 4, 50), CARLA, counts=(0, 2, 0)),
    case("sums of pages without words", ANA, BETO, (None, None, None, None, 3, 4, 50), CARLA,
         (None, None, None, None, 1, 4, 50), (None, None, None, None, 4, 8, 100), counts=(0, 3, 0)),
    case("totals above the guides", ("TOTAL", None, None, None, 3, 4, 50), ANA, BETO, guides=TWO, counts=(0, 1, 0)),
    case("sums above the guides", (None, None, None, None, 3, 4, 50), ANA, BETO, guides=TWO, counts=(0, 1, 0)),
    case("totals of more guides", ANA, BETO, ("TOTAL", None, None, None, 5, 8, 90), guides=TWO, says="totals_differ",
         counts=(0, 1, 0)),
    case("totals of which one differs", ANA, BETO, ("TOTAL", None, None, None, 5, 4, 50), guides=TWO, counts=(0, 1, 0)),
    case("sums with a rounding", ANA, with_cell(BETO, fob=30.333), (None, None, None, None, 3, 4, 50.33),
         guides={A: READ[A], B: {"fob_usd": "30.33"}}, counts=(0, 1, 0)),
    case("a guide that weighs what all before it weigh", ANA, with_cell(BETO, weight=1.5, fob=20, packages=1),
         guides={A: READ[A], B: {"weight_kg": "1.5"}}),
    case("freight beneath", ANA, BETO, ("FLETE", None, None, "Flete aéreo", None, 4, 120), guides=TWO,
         says="rows_left_out", counts=(0, 0, 1)),
    case("freight without a HAWB", ANA, BETO, (None, None, None, "Flete internacional", None, None, 120), guides=TWO,
         says="hawb_missing", counts=(0, 0, 1)),
)  # fmt: skip

SHOES: Cells = (None, None, None, "Zapatos", None, 0.5, 10)
BOOK: Cells = (None, None, None, "Libro", None, 1, 5)
SUMMED: Mapping[str, Mapping[str, object]] = {
    A: {"fob_usd": "30", "weight_kg": "2"},
    B: {"fob_usd": "35", "weight_kg": "3.5"},
    C: READ[C],
}

PRODUCTS = (
    case("rows that number the packages", ANA, with_cell(ANA, packages=2, fob=5), guides={
         A: {"packages_count": 2, "weight_kg": "1.5", "fob_usd": "25"}}, says="hawb_rows_merged packages_differ"),
    case("products below their guides", ANA, SHOES, BETO, BOOK, CARLA, guides=SUMMED, says="hawb_rows_merged",
         counts=(2, 0, 0)),
    case("products below each guide, the last one, too", ANA, SHOES, BETO, BOOK, CARLA, SHOES,
         guides={**SUMMED, C: {"fob_usd": "60"}}, says="hawb_rows_merged", counts=(3, 0, 0)),
    case("a pallet's tare below products", ANA, SHOES, BETO, BOOK, CARLA, (None, None, None, "TARA PALLET", None, 12),
         guides=SUMMED, says="hawb_rows_merged hawb_missing", counts=(2, 0, 1)),
    case("a tare with a value of zero", ANA, SHOES, BETO, BOOK, (None, None, None, "Zuncho", None, 1, 0), CARLA,
         guides=SUMMED, says="hawb_rows_merged rows_left_out", counts=(2, 0, 1)),
    *(case(f"{words} among products", ANA, SHOES, (None, None, None, words, None, 0.8, 5), BETO, BOOK, CARLA,
           guides=SUMMED, says="hawb_rows_merged rows_left_out", counts=(2, 0, 1))
      for words in ("Hielo seco", "Gel refrigerante", "ULD AKE12345", "Empty pallet", "Film")),
    case("the only product", ANA, SHOES, BETO, guides=TWO, says="rows_left_out", counts=(0, 0, 1)),
    case("two products below the only guide that has any", ANA, SHOES, BOOK, BETO, guides=TWO, says="rows_left_out",
         counts=(0, 0, 2)),
    case("weights without a value", ANA, SHOES[:6], BETO, BOOK[:6], CARLA, says="rows_left_out", counts=(0, 0, 2)),
    case("a product without a measure, but a quantity", (*ANA, 1), (*(None,) * 3, "Zapatos", *(None,) * 3, 2),
         (*BETO, 2), guides=TWO, says="rows_left_out", counts=(0, 0, 1), headings=(*ES, "Unidades")),
    *(case(f"{words} at the end", ANA, BETO, (None, None, None, words, 1, 12, None), guides=TWO, says="hawb_missing",
           counts=(0, 0, 1))
      for words in ("TARA PALLET", "MASTER CARTON", "SACA 2", "Capacidad ULD", "Peso según MAWB", "Diferencia")),
    case("bags between the guides", ANA, (None, None, None, "SACA 1", 1, 4, 50), BETO,
         (None, None, None, "SACA 2", 2, 9, 70), CARLA, says="hawb_missing", counts=(0, 0, 2)),
    case("numbered labels that no list has", ANA, (None, None, None, "Rack 1", None, 4, 50), BETO,
         (None, None, None, "Rack 2", None, 9, 70), CARLA, says="rows_left_out", counts=(0, 0, 2)),
    case("a product after a blank row is nobody's", ANA, (), (None, None, None, "Zapatos", None, 0.5, 10), BETO,
         guides=TWO, says="hawb_missing", counts=(0, 0, 1)),
    case("a product above all guides is nobody's", (None, None, None, "Zapatos", 1, 0.5, 10), ANA, BETO, guides=TWO,
         says="hawb_missing", counts=(0, 0, 1)),
    case("a row with a consignee and no HAWB", ANA, with_cell(CARLA, hawb=None), BETO, guides=TWO,
         says="hawb_missing", counts=(0, 0, 1)),
    case("the products of a guide that was left out go with it", ANA, with_cell(BETO, hawb=A), SHOES, CARLA, BOOK,
         with_cell(BETO), guides={A: READ[A], B: READ[B], C: {"fob_usd": "55"}},
         says="duplicate_hawb hawb_rows_merged", counts=(1, 0, 2)),
    case("a product that is called Total", ANA, (None, None, None, "Total Repair shampoo", None, 0.5, 10), BETO, BOOK,
         CARLA, guides=SUMMED, says="hawb_rows_merged", counts=(2, 0, 0)),
    case("the same HAWB on each row", ANA, (A, None, None, "Zapatos", None, 0.5, 10), BETO,
         guides={A: {"fob_usd": "30"}, B: READ[B]}, says="hawb_rows_merged", counts=(1, 0, 0)),
    case("weights of further packages", ANA, (A, None, None, None, None, 2.5, None), BETO,
         guides={A: {"weight_kg": "4"}, B: READ[B]}, says="hawb_rows_merged", counts=(1, 0, 0)),
)  # fmt: skip

STAMP: Cells = ("Bodega Central", "Juan Pérez", "76543210-3", "Recibido conforme", 1, 2, 3)

NO_GUIDES = (
    case("words for a HAWB", with_cell(BETO, hawb="ANULADA"), ANA, with_cell(CARLA, hawb="NO LLEGO"),
         BETO, CARLA, says="hawb_missing", counts=(0, 0, 2)),
    case("a bag above the first guide", ("SACA 1", None, None, "Consolidado", 12, 40, 300), ANA, BETO, guides=TWO,
         says="rows_left_out", counts=(0, 0, 1)),
    case("HAWBs to come", ANA, with_cell(BETO, hawb="PENDIENTE"), with_cell(CARLA, hawb="S/N"), guides={A: READ[A]},
         says="hawb_missing", counts=(0, 0, 2)),
    case("a HAWB that became a date", ANA, with_cell(BETO, hawb=date(2026, 11, 3)), guides={A: READ[A],
         "2026-11-03": READ[B]}, says="hawb_digits_rounded"),
    case("no consignee, RUT nor description", ANA, ("AND2612150009", None, None, None, 1, 7, 70), BETO, guides=TWO,
         says="rows_left_out", counts=(0, 0, 1)),
    case("a HAWB and a name only", ANA, ("AND2612150009", "Dora Paz"), BETO, guides=TWO, says="rows_left_out",
         counts=(0, 0, 1)),
    case("a HAWB alone", ANA, ("AND2612150009",), BETO, guides=TWO, says="rows_left_out", counts=(0, 0, 1)),
    case("signatures", ANA, BETO, (), ("Firma:", "Juan Soto"), ("Nombre y RUT", None, "9999999-9"), guides=TWO,
         counts=(0, 0, 2)),
    case("notes", ANA, BETO, ("Nota: la carga no incluye baterías",), ("* Valores en dólares americanos",),
         guides=TWO, counts=(0, 0, 2)),
    case("prepared by, with date", ANA, BETO, (), ("Preparado por", "Juan Soto", None, "Fecha", "25/11/2026"),
         guides=TWO, counts=(0, 0, 1)),
    *(case(f"no guide: {other}", ANA, other, BETO, guides=TWO)
      for other in (("====", "====", "====", "===="), ("-----", None, None, "-----"), ("Firma autorizada", "Juan Soto"),
                    ("Vuelo:", "LA 501"), ("MANIFIESTO DE CARGA", None, "Página 2", "de 3"),
                    ("MAWB", "045-12345675", "VUELO", "LA501"), ("   ", "\u00a0", None, " "))),
    *(case(f"a stamp below {between}", ANA, BETO, between, STAMP, guides=TWO, says="rows_left_out")
      for between in ((), ("TOTAL", None, None, None, 3, 4, 50))),
    case("blank rows between", ANA, (), (), BETO, guides=TWO, counts=(0, 0, 0)),
    case("an example row", with_cell(CARLA, hawb="Ejemplo: AND000"), ANA, BETO, guides=TWO, says="example_row_ignored",
         counts=(0, 0, 1)),
    case("a table of another kind below", ANA, BETO, (), ("País", "Guías", "Bultos", "Peso", "Valor"),
         ("Chile", 2, 3, 4, 50), ("Perú", 0, 0, 0, 0), guides=TWO, says="rows_left_out", counts=(0, 0, 3)),
    case("a list of invoices below", ANA, BETO, (), ("Factura", "Proveedor", "Monto", "Moneda", "Fecha"),
         ("F-1001", "Acme", 50, "USD", "25/11/2026"), guides=TWO, says="rows_left_out", counts=(0, 0, 2)),
)  # fmt: skip

SHIFTED = ("N°", "HAWB", "RUT", "Consignatario", "Valor FOB (USD)", "Peso (lb)", "Bultos", "Descripción")

PAGES = (
    case("headings repeated on each page", ANA, ES, BETO, ES, CARLA, counts=(0, 0, 2)),
    case("page footer, headings in capitals", ANA, ("Página 1 de 2",), [str(text).upper() for text in ES], BETO,
         guides=TWO, counts=(0, 0, 2)),
    case("other columns on the second page", ANA, (), SHIFTED, (1, B, "7654321-6", "Beto Soto", 30, 10, 2, "Libros"),
         guides={A: READ[A], B: {**READ[B], "weight_kg": "4.536"}}, counts=(0, 0, 1)),
    case("other columns without a blank row", ANA, SHIFTED, (1, B, "7654321-6", "Beto Soto", 30, 10, 2, "Libros"),
         guides={A: READ[A], B: {**READ[B], "weight_kg": "4.536"}}, counts=(0, 0, 1)),
    case("one column more in the middle", ANA, (*ES[:3], "Teléfono", *ES[3:]),
         [*BETO[:3], "+56 9 1234 5678", *BETO[3:]],
         guides={A: READ[A], B: {**READ[B], "consignee_phone": "+56 9 1234 5678"}}, counts=(0, 0, 1)),
    case("the second page in pounds", ANA, (*ES[:5], "Peso (lb)", "Valor FOB (USD)"), with_cell(BETO, weight=10),
         guides={A: READ[A], B: {**READ[B], "weight_kg": "4.536"}}, counts=(0, 0, 1)),
    Case("guides under headings without a HAWB",
         (sheet(LABEL, ES, ANA, BETO, [], ("N°", "Consignatario", "RUT", "Descripción", "Peso", "Valor"),
                (1, "Carla Díaz", "11222333-9", "Juguetes", 4, 50)),), {}, refusal=ASKED),
)  # fmt: skip

NO_VALUES = {hawb: {**fields, "fob_usd": None} for hawb, fields in TWO.items()}

BESIDE_AND_ABOVE = (
    case("a list behind an empty column goes on below the guides", (*ANA, None, "001", "Santiago"),
         (*BETO, None, "002", "Maipú"), (*(None,) * 8, "003", "Arica"), (*(None,) * 8, "004", "Iquique"), guides=TWO,
         counts=(0, 0, 2), headings=(*ES, None, "Código", "Comuna")),
    case("a list beside the guides goes on below them", (*ANA, "Santiago"), (*BETO, "Maipú"), (*(None,) * 7, "Arica"),
         (*(None,) * 7, "Talca"), guides=TWO,
         counts=(0, 0, 2), headings=(*ES, "Comuna")),
    case("a shorter list behind an empty column", (*ANA, None, "Chilexpress"), (*BETO, None, "Starken"), CARLA,
         counts=(0, 0, 0), headings=(*ES, None, "Agencia")),
    *(case(f"values in {currency}", ANA, BETO, guides=NO_VALUES, says="currency_unknown",
           headings=(*ES[:6], f"Valor FOB ({currency})"))
      for currency in ("CAD", "AUD", "MXN", "C$", "A$", "Mex$")),
    *(Case(f"all values in {words}", (sheet(LABEL, (f"Valores en {words}",), (*ES[:6], "Valor FOB"), ANA, BETO),),
           NO_VALUES, frozenset({"currency_unknown"}))
      for words in ("dólares canadienses", "dólares australianos", "pesos mexicanos")),
    case("units that change between rows", with_cell(ANA, weight="1.5 kg"), with_cell(BETO, weight="250 g"),
         with_cell(CARLA, weight="4 lb"), guides={**READ, B: {"weight_kg": "0.25"}, C: {"weight_kg": "1.814"}},
         headings=(*ES[:5], "Peso", ES[6])),
    case("rows that change the unit", (*(None,) * 5, "kg", "USD"), ANA, (*(None,) * 5, "lb", "USD"), BETO,
         guides={hawb: {**fields, "weight_kg": None} for hawb, fields in TWO.items()}, says="weight_unit_unknown",
         headings=(*ES[:5], "Peso", ES[6])),
    case("a note that changes the unit", ANA, (None, None, None, "Desde aquí en libras"), BETO,
         guides={hawb: {**fields, "weight_kg": None} for hawb, fields in TWO.items()}, says="weight_unit_unknown"),
    case("a guide whose goods say that it is cancelled", ANA, with_cell(BETO, description="ANULADA"), guides=TWO,
         says="may_not_travel"),
    *(Case(f"two flights: {rows}", (sheet(LABEL, *rows, ES, ANA, BETO),), TWO, frozenset({"flight_number_ambiguous"}))
      for rows in ([("Vuelo", "LA2401-LA502")], [("Vuelo", "LA2401/18NOV LA502/19NOV")],
                   [("1er vuelo", "LA2401"), ("2do vuelo", "LA502")])),
    case("RUTs without check digits, one of which reads as whole", with_cell(ANA, rut="12345678"),
         with_cell(BETO, rut="7654321"), with_cell(CARLA, rut="13656649"),
         guides={hawb: {**fields, "review_reasons": ("rut_invalid_format",)} for hawb, fields in READ.items()},
         says="rut_invalid_format"),
    Case("two arrivals above the guides",
         (sheet(LABEL, ("Vuelo", "LA2401", "ETA", "24-11-2026 05:15"), ("Vuelo", "LA502", "ETA", "25-11-2026 05:15"),
                ES, ANA, BETO),), TWO, frozenset({"flight_number_ambiguous", "scheduled_arrival_ignored"})),
)  # fmt: skip
