"""Formats and sheets for pure tests, without a file and without a database."""

import json
from typing import Any

from shipments.manifests.cells import Sheet, Workbook
from shipments.manifests.manifest import ParsedManifest
from shipments.manifests.mapped.reading import read_by, survey_by
from shipments.manifests.mapped.recognise import Recognition, recognise
from shipments.manifests.mapped.spec import FormatInUse, FormatSpec, load
from tests.shipments.manifests.made_sheets import MAWB_LABEL, Cells, said, sheet

HEADINGS = ("Guía", "Quién", "Papel", "Cosas", "Bruto", "Plata")
FIELDS = ("hawb", "consignee_name", "consignee_document", "description_original", "weight_kg", "fob_usd")
ROW = ("A1", "Ana Rojas", "45678912", "Ropa", 1.5, 20)


def spec(*columns: dict[str, Any], **changes: Any) -> FormatSpec:
    """A format for Peru with `HEADINGS` and further columns."""
    own = [
        {"heading": heading, "field": field, **({"unit": "kg"} if field == "weight_kg" else {})}
        for heading, field in zip(HEADINGS, FIELDS, strict=True)
    ]
    content = {"prealerts_format": 1, "name": "ACME", "country": "PE", "columns": [*own, *columns]}
    return load(json.dumps(content | changes).encode())[0]


def in_use(*specs: FormatSpec) -> list[FormatInUse]:
    return [FormatInUse(number, each.name, 1, each) for number, each in enumerate(specs, start=1)]


def recognised(*sheets: Sheet, specs: tuple[FormatSpec, ...] = ()) -> Recognition:
    return recognise(Workbook(sheets=sheets), in_use(*(specs or (spec(),))))


def read(*sheets: Sheet, by: FormatSpec | None = None) -> ParsedManifest:
    """These sheets, read by a format."""
    found = recognised(*sheets, specs=(by or spec(),))
    parsed = read_by(found.full[0][0].spec, survey_by(Workbook(sheets=sheets), found.full[0]))
    assert all([*map(said, parsed.warnings), *map(said, parsed.notices)]), "a finding without its sentence"
    return parsed


def table(headings: Cells = HEADINGS, *rows: Cells, name: str = "Hoja1") -> Sheet:
    return sheet(MAWB_LABEL, headings, *(rows or (ROW,)), name=name)
