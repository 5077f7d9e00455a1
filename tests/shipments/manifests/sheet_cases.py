"""Workbooks of several sheets, of broken text and of odd waybill numbers; see `row_cases`."""

from collections.abc import Mapping, Sequence

from shipments.manifests.cells import Cell
from tests.shipments.manifests.made_sheets import sheet
from tests.shipments.manifests.row_cases import (
    ANA,
    BESIDE_AND_ABOVE,
    BETO,
    CARLA,
    EN,
    ES,
    FIRST_ROWS,
    LABEL,
    NO_GUIDES,
    PAGES,
    PRODUCTS,
    READ,
    SECOND_HEADING_ROWS,
    TOTALS,
    TWO,
    A,
    B,
    C,
    Case,
    case,
    with_cell,
)

PLAIN = (*ES[:5], "Peso", ES[6])
FEW = ("HAWB", "Consignatario", "Peso (kg)", "Bultos")

SHEETS = (
    Case("a page a sheet", (sheet(LABEL, ES, ANA, BETO, name="1"), sheet(LABEL, ES, CARLA, name="2")), READ),
    Case("a page a sheet, the MAWB once", (sheet(LABEL, ES, ANA, BETO), sheet(ES, CARLA)), READ),
    Case("a page a sheet, columns in another order",
         (sheet(LABEL, ES, ANA, BETO), sheet(ES[::-1], CARLA[::-1])), READ),
    Case("a short list first, the whole one after",
         (sheet(LABEL, FEW, (A, "Ana Rojas", 1.5, 1), (B, "Beto Soto", 2.5, 2), name="Resumen"),
          sheet(ES, ANA, BETO, name="Detalle")), TWO, frozenset({"sheet_ignored"})),
    Case("the whole one first, a short list after",
         (sheet(LABEL, ES, ANA, BETO, name="Detalle"),
          sheet(FEW, (A, "Ana Rojas", 1.5, 1), (B, "Beto Soto", 2.5, 2), name="Etiquetas")), TWO,
         frozenset({"sheet_ignored"})),
    Case("a copy of the sheet", (sheet(LABEL, ES, ANA, BETO), sheet(LABEL, ES, ANA, BETO, name="Copia")), TWO,
         frozenset({"sheet_ignored"})),
    Case("other guides under other headings",
         (sheet(LABEL, ES, ANA, BETO), sheet(FEW, (C, "Carla Díaz", 4, 1), name="Pendientes")), {},
         refusal="Pendientes"),
    Case("the whole list lacks a guide of the short one",
         (sheet(LABEL, FEW, (A, "Ana Rojas", 1.5, 1), (C, "Carla Díaz", 4, 1), name="Resumen"),
          sheet(ES, ANA, BETO, name="Detalle")), {}, refusal="Resumen"),
    Case("a cover sheet with sums", (sheet(LABEL, ["Guías", "Bultos", "Peso"], [2, 3, 4], name="Portada"),
                                     sheet(ES, ANA, BETO)), TWO),
    Case("a sheet of weights by HAWB",
         (sheet(LABEL, ES, ANA, BETO), sheet(("HAWB", "Bultos", "Peso (kg)"), (C, 1, 4), name="Pesos")), TWO,
         frozenset({"sheet_ignored"})),
    Case("a sheet of instructions", (sheet(["Instrucciones"], ["HAWB: número de guía"]), sheet(LABEL, ES, ANA, BETO)),
         TWO),
    Case("guides on a sheet without headings, named in one word",
         (sheet(LABEL, ES, ANA, BETO), sheet(with_cell(CARLA, name="cencosud", rut=None), name="Hoja2")), {},
         refusal="Hoja2"),
    Case("a cover whose columns are others",
         (sheet(["MAWB", "Bultos"], [LABEL[1].replace("-", ""), 2], name="Portada"),
          sheet((ES[5], *ES[:5], ES[6]), (ANA[5], *ANA[:5], ANA[6]), (BETO[5], *BETO[:5], BETO[6]))), TWO),
    Case("guides under fewer headings above",
         (sheet(LABEL, FEW, (A, "cencosud", 1.5, 1), (), ES, BETO, CARLA),),
         {**READ, A: {**READ[A], "consignee_name": "cencosud", "fob_usd": None}},
         frozenset({"field_without_column", "rut_invalid_format", "values_missing"})),
    Case("guides without people under fewer headings above",
         (sheet(LABEL, ("HAWB", "Contenido", "Peso (kg)"), (A, None, 1.5), (), ES, BETO, CARLA),),
         {B: READ[B], C: READ[C]},
         frozenset({"field_without_column", "rows_left_out"})),
    Case("the same guides under fewer headings above",
         (sheet(LABEL, FEW, (A, "Ana Rojas", 1.5, 1), (), ES, ANA, BETO),), TWO,
         frozenset({"field_without_column", "hawb_rows_merged"})),
    Case("a line of sums below the guides", (sheet(LABEL, ES, ANA, BETO, (), (2, 4, 7, None, 3, 4.5)),), TWO,
         frozenset({"rows_left_out"})),
    Case("the MAWB below the guides",
         (sheet(LABEL, ("Item", *ES), (1, *ANA), (2, *BETO), ("Guía madre", LABEL[1], "Bultos", 3)),), TWO,
         frozenset({"rows_left_out"})),
    Case("a weight of the flight below the guides",
         (sheet(LABEL, ("Item", *ES), (1, *ANA), (2, *BETO), ("Bultos", 40, "Peso", 383.2)),), TWO,
         frozenset({"rows_left_out"})),
    Case("a guide with a short HAWB in a city that a label could be",
         (sheet(LABEL, ("Comuna", *ES), ("Til Til", *ANA), ("Guía", "002", *BETO[1:])),),
         {A: READ[A], "002": {**READ[B], "consignee_city": "Guía"}}),
    Case("a count of guides above", (sheet(LABEL, ("Guías", "Bultos", "Peso"), (2, 3, 4), (), ES, ANA, BETO),), TWO),
    Case("the sum of the flight above",
         (sheet(("Guía", "Consignatario", "Peso"), (LABEL[1], "courier", 4), (), ES, ANA, BETO),), TWO),
    Case("further guides under fewer headings",
         (sheet(LABEL, ES, ANA, BETO, (), ("HAWB", "Peso (kg)", "Consignatario"), (C, 4, "Carla Díaz")),),
         {**TWO, C: {**READ[C], "fob_usd": None}},
         frozenset({"field_without_column", "values_missing", "rut_invalid_format"})),
    Case("a second table beside the first",
         (sheet(LABEL, (*ES, None, *ES), (*ANA, None, *BETO), (*CARLA, None)),), {}, refusal="from column I on"),
    Case("the same headings again beside the guides, for the labels",
         (sheet(LABEL, (*ES, None, *ES), (*ANA, None, *ANA), (*BETO, None, *BETO)),), TWO,
         frozenset({"columns_kept"})),
    Case("contents of the guides below them",
         (sheet(LABEL, ES, ANA, BETO, (), ("HAWB", "Producto", "Cantidad", "Precio USD"), (A, "Polera", 2, 20),
                (A, "Gorro", 1, 5), (B, "Libro", 2, 30)),), TWO, frozenset({"rows_left_out"})),
    Case("a sheet of guides that do not travel", (sheet(LABEL, ES, ANA, BETO), sheet(ES, CARLA, name="Pendientes")),
         READ, frozenset({"may_not_travel"})),
    Case("a title of guides that do not travel",
         (sheet(LABEL, ES, ANA, BETO, ("Guías no embarcadas",), ES, CARLA),), READ,
         frozenset({"may_not_travel"})),
    Case("a unit for each row, and the headings again",
         (sheet(LABEL, (*ES[:5], "Peso", "Unidad", ES[6]), (*ANA[:5], 10, "LB", 20), (),
                (*ES[:5], "Peso", "Unidad", ES[6]), (*BETO[:5], 2.5, "KG", 30)),),
         {A: {**READ[A], "weight_kg": "4.536"}, B: READ[B]}),
    Case("a sheet for the next flight", (sheet(LABEL, ES, ANA, BETO), sheet(ES, CARLA, name="Próximo vuelo")), READ,
         frozenset({"may_not_travel"})),
    Case("a legend of colours above", (sheet(LABEL, ("En rojo: no embarcan",), ES, ANA, BETO),), TWO,
         frozenset({"may_not_travel"})),
    Case("a legend of colours for what is urgent", (sheet(LABEL, ("En rojo: urgente",), ES, ANA, BETO),), TWO),
    Case("a remark on one of the guides", (sheet(LABEL, ES, ANA, BETO, (), (f"La guía {A} no embarcó hoy",)),), TWO,
         frozenset({"may_not_travel"})),
    Case("a sheet that goes on without headings", (sheet(LABEL, ES, ANA, BETO), sheet(CARLA, name="2")), {},
         refusal="'2' has no headings, and its row 1"),
    Case("some guides again on a sheet without headings", (sheet(LABEL, ES, ANA, BETO), sheet(BETO)), TWO),
    Case("pounds stated on the first sheet", (sheet(LABEL, ("All weights in pounds",), PLAIN, ANA), sheet(PLAIN, BETO)),
         {A: {"weight_kg": "0.680"}, B: {"weight_kg": "1.134"}}),
    Case("pounds stated on a sheet whose name says so, beside another",
         (sheet(LABEL, PLAIN, ANA), sheet(PLAIN, BETO, name="LBS")),
         {A: {"weight_kg": "1.5"}, B: {"weight_kg": "1.134"}}),
    Case("a row of units on the first sheet",
         (sheet(LABEL, PLAIN, (None, None, None, None, None, "LB"), ANA), sheet(PLAIN, BETO)),
         {A: {"weight_kg": "0.680"}, B: {"weight_kg": "1.134"}}),
    Case("a row of units, and the headings again below",
         (sheet(LABEL, PLAIN, (None, None, None, None, None, "LB"), ANA, PLAIN, BETO),),
         {A: {"weight_kg": "0.680"}, B: {"weight_kg": "1.134"}}),
    Case("a unit above its column", (sheet(LABEL, (None, None, None, None, None, "en libras"), PLAIN, ANA),),
         {A: {"weight_kg": "0.680"}}),
    Case("people written in the middle of their columns",
         (sheet(LABEL, (None, None, "Remitente", None, None, "Destinatario"),
                ("HAWB", "Nombre", "Dirección", "Ciudad", "Nombre", "Dirección", "Ciudad", *PLAIN[2:]),
                (A, "Acme Ltd", "1 Main St", "Miami", "Ana Rojas", "Calle 1", "Arica", *ANA[2:]),
                (B, "Acme Ltd", "1 Main St", "Miami", "Beto Soto", "Calle 2", "Lota", *BETO[2:])),),
         {A: {**READ[A], "consignee_city": "Arica"}, B: {**READ[B], "consignee_city": "Lota"}}),
    Case("such a title with nothing below it", (sheet(LABEL, ES, ANA, BETO, (), ("Guías no embarcadas",)),), TWO),
    Case("products on a sheet of their own",
         (sheet(LABEL, ES, ANA, BETO),
          sheet(["HAWB", "Producto", "HS Code", "Cantidad", "Precio unitario"], [A, "Polera", "610910", 1, 20],
                [B, "Libro", "490199", 2, 15], name="Productos")), TWO, frozenset({"sheet_ignored"})),
)  # fmt: skip


def misread(text: Cell, encoding: str = "cp1252") -> Cell:
    """Text as a spreadsheet program shows it that took UTF-8 for another encoding."""
    if not isinstance(text, str):
        return text
    if encoding == "cp1252":  # the five bytes that Windows-1252 leaves out come through as control characters
        return "".join(
            bytes([byte]).decode("cp1252") if byte not in {0x81, 0x8D, 0x8F, 0x90, 0x9D} else chr(byte)
            for byte in text.encode()
        )
    return text.encode().decode(encoding)


def misread_all(row: Sequence[Cell], encoding: str = "cp1252") -> list[Cell]:
    """A row of such cells."""
    return [misread(cell, encoding) for cell in row]


JOSE = with_cell(ANA, name="José Ñúñez Álvarez", description="Camisón niña – talla M")
MISREAD = {A: {"consignee_name": "José Ñúñez Álvarez", "description_original": "Camisón niña – talla M"}}
REPAIRED = frozenset({"text_encoding_repaired"})

ENCODINGS = (
    Case("headings and values", (sheet(LABEL, misread_all(ES), misread_all(JOSE)),), MISREAD, REPAIRED),
    Case("values only", (sheet(LABEL, ES, misread_all(JOSE)),), MISREAD, REPAIRED),
    Case("twice", (sheet(LABEL, ES, misread_all(misread_all(JOSE))),), MISREAD, REPAIRED),
    Case("read as Latin-1", (sheet(LABEL, ES, misread_all(JOSE, "latin-1")),), MISREAD, REPAIRED),
    Case("read on a Mac", (sheet(LABEL, misread_all(ES, "mac_roman"), misread_all(JOSE, "mac_roman")),), MISREAD,
         REPAIRED),
    Case("read as code page 850", (sheet(LABEL, ES, misread_all(JOSE, "cp850")),), MISREAD, REPAIRED),
    Case("the labels above too",
         (sheet([misread("Guía Aérea Máster"), "045-12345675"], ES, misread_all(JOSE)),), MISREAD, REPAIRED),
    Case("half a character lost",
         (sheet(LABEL, ES, with_cell(ANA, name="JosÃ Rojas"), with_cell(BETO, name="Bet\ufffd Soto")),),
         {A: {"consignee_name": "JosÃ Rojas"}, B: {"consignee_name": "Bet\ufffd Soto"}},
         frozenset({"text_encoding_damaged"})),
    Case("headings that lost their accents",
         (sheet(LABEL, [str(text).replace("ó", "\ufffd") for text in ES], ANA, BETO),), TWO,
         frozenset({"text_encoding_damaged"})),
    case("Portuguese as it should be", with_cell(ANA, name="João Conceição", description="CORAÇÕES – MAÇÃ"),
         guides={A: {"consignee_name": "João Conceição", "description_original": "CORAÇÕES – MAÇÃ"}}),
    case("quotes after accents", with_cell(ANA, description="“CAFÉ” PERÚ–CHILE 5°"),
         guides={A: {"description_original": "“CAFÉ” PERÚ–CHILE 5°"}}),
)  # fmt: skip

HAWBS = (
    case("digits that the spreadsheet rounded", with_cell(ANA, hawb=1.23456789012345e17),
         with_cell(BETO, hawb=1.23456789012346e17),
         guides={"123456789012345000": READ[A], "123456789012346000": READ[B]}, says="hawb_digits_rounded"),
    *(case(f"HAWB {cell!r}", with_cell(ANA, hawb=cell), guides={hawb: READ[A]})
      for cell, hawb in ((" hx-1 ", "HX-1"), (123456789012345.0, "123456789012345"), (0.5, "0.5"), ("00123", "00123"),
                         ("H\x001\u200b\n2\ud800", "H1 2"))),
    case("digits lost to an exponent", with_cell(ANA, hawb="1,23457E+11"), with_cell(BETO, hawb="1,23458E+11"),
         guides={"1,23457E+11": {}, "1,23458E+11": {}}, says="hawb_digits_rounded"),
    case("an exponent with a point", with_cell(ANA, hawb="1.23457e+11"), BETO,
         guides={"1.23457E+11": {}, B: READ[B]}, says="hawb_digits_rounded"),
    case("a HAWB with E in it", with_cell(ANA, hawb="12E4567"), BETO, guides={"12E4567": {}, B: READ[B]}),
)  # fmt: skip

_NO_HAWB = ("Consignatario", "RUT", "Descripción", "Bultos", "Peso", "Valor FOB")
REFUSALS = (
    Case("headings without a HAWB", (sheet(LABEL, [], _NO_HAWB, ANA[1:], BETO[1:]),), {}, refusal="Row 3"),
    Case("headings without consignee, RUT and description",
         (sheet(LABEL, ("HAWB", "Bultos", "Peso", "Valor FOB", "Ciudad"), (A, 1, 1.5, 20, "Lota")),), {},
         refusal="onsignee"),
    Case("a MAWB of too few digits", (sheet(["MAWB", "045-1234567"], ES, ANA),), {}, refusal="045-1234567"),
    Case("a MAWB to come", (sheet(["MAWB:", "por confirmar"], ES, ANA),), {}, refusal="por confirmar"),
    Case("eleven digits without a label", (sheet(["Manifiesto", "04512345675"], ES, ANA),), {}, refusal="B1"),
    Case("label of several words, bare digits", (sheet(["MAWB del embarque", "04512345675"], ES, ANA),),
         {A: READ[A]}),
    Case("label between other words", (sheet(["Número de guía master LATAM:", "04512345675"], ES, ANA),),
         {A: READ[A]}),
    Case("label at the end", (sheet(["Documento madre / MAWB", 4512345675], ES, ANA),), {A: READ[A]}),
    Case("a slash between", (sheet(["MAWB", "045/12345675"], ES, ANA),), {A: READ[A]}),
    Case("points between", (sheet(["MAWB:", "045.1234.5675"], ES, ANA),), {A: READ[A]}),
    Case("carrier before the label", (sheet(["LATAM MAWB", "04512345675"], EN, ANA),), {A: READ[A]}),
)  # fmt: skip

CLASSES: Mapping[str, Sequence[Case]] = {
    "first rows": FIRST_ROWS,
    "second heading rows": SECOND_HEADING_ROWS,
    "totals": TOTALS,
    "products": PRODUCTS,
    "no guides": NO_GUIDES,
    "pages": PAGES,
    "beside and above the guides": BESIDE_AND_ABOVE,
    "sheets": SHEETS,
    "encodings": ENCODINGS,
    "HAWBs": HAWBS,
    "refusals and MAWBs": REFUSALS,
}
"""Every case by its class."""
