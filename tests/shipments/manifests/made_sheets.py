"""Workbooks for tests, built in memory from plain rows."""

from collections.abc import Sequence

from shipments.manifests.cells import Cell, Row, Sheet, Workbook
from shipments.manifests.manifest import FlightFields, Notice, ParsedManifest, RowWarning
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from shipments.manifests.sheets.surveys import Survey
from shipments.wording.rendering import in_words

Cells = Sequence[Cell]


def sheet(
    *rows: Cells, name: str = "Hoja1", merged: Sequence[tuple[int, int, int, int]] = (), is_cut: bool = False
) -> Sheet:
    """A sheet as `opening` returns it: rows numbered from 1, without empty ones; empty cells None, trimmed on the
    right."""
    numbered: list[Row] = []
    for number, cells in enumerate(rows, start=1):
        row = [None if cell == "" else cell for cell in cells]
        while row and row[-1] is None:
            row.pop()
        if row:
            numbered.append((number, row))
    return Sheet(name=name, rows=numbered, merged=tuple(merged), is_cut=is_cut)


def surveyed(*sheets: Sheet) -> Survey:
    """What the survey of a workbook with these sheets finds."""
    return survey(Workbook(sheets=sheets))


def read(*sheets: Sheet, form: FlightFields | None = None) -> ParsedManifest:
    """A workbook with these sheets, read as a manifest for Chile."""
    found = read_survey("CL", surveyed(*sheets), form or FlightFields())
    assert all([*map(said, found.warnings), *map(said, found.notices)]), "a finding without its sentence"
    return found


MAWB = "045-12345675"
MAWB_LABEL = ("MAWB", MAWB)
HEADINGS = ("HAWB", "Consignatario", "RUT", "Dirección", "Descripción", "Bultos", "Peso (kg)", "Valor FOB", "HS Code")
FIRST_ROW = 3


def row(hawb: Cell = "H1", name: Cell = "Ana Rojas", rut: Cell = "12345678-5", **other: Cell) -> list[Cell]:
    """A guide under `HEADINGS`."""
    values: dict[str, Cell] = {"address": "Calle 1", "description": "Ropa", "packages": 1}
    values |= {"weight": 1.5, "fob": 20, "hs": "610910"}
    return [hawb, name, rut, *(values | other).values()]


def manifest(*rows: Cells) -> ParsedManifest:
    """These rows under `HEADINGS`, read."""
    return read(sheet(MAWB_LABEL, HEADINGS, *rows))


def warned(read_manifest: ParsedManifest) -> list[tuple[int, str, str]]:
    """Row, field and code of each warning."""
    return [(warning.row_index, warning.field, warning.code) for warning in read_manifest.warnings]


def noticed(read_manifest: ParsedManifest) -> list[str]:
    """The code of each notice."""
    return [notice.code for notice in read_manifest.notices]


FEW_HEADINGS = ("HAWB", "Consignatario", "RUT", "Descripción", "Peso (kg)", "Valor FOB", "Bultos")
ANA = ("H1", "Ana Rojas", "12345678-5", "Ropa", 1.5, 20, 1)
BETO = ("H2", "Beto Soto", "7654321-6", "Libro", 2, 30, 1)


def table(*above: Cells, name: str = "Hoja1") -> Sheet:
    """A sheet with two guides, `ANA` and `BETO`, under these rows."""
    return sheet(*above, FEW_HEADINGS, ANA, BETO, name=name)


def said(finding: RowWarning | Notice) -> str:
    """What a warning or notice says in English."""
    return in_words(finding.reason.sentence, finding.reason.params)
