"""What Peru and Argentina add to the reading of a workbook: the law of the JSON endpoint, as warnings."""

from datetime import date
from decimal import Decimal

import pytest

from shipments.manifests.cells import Cell
from shipments.manifests.countries import rules_for
from shipments.manifests.findings import Findings
from shipments.manifests.manifest import FlightFields, GuideRow, ParsedManifest
from shipments.manifests.sheets.completion import Completion
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.row_reader import GuideDraft, GuideLine
from tests.shipments.manifests.made_sheets import MAWB_LABEL, Cells, noticed, said, sheet, surveyed, warned

HEADINGS = ("HAWB", "Consignatario", "Tipo de documento", "RUC", "Descripción", "Bultos", "Peso (kg)", "Valor FOB")
TODAY = date(2026, 11, 28)
RUC, CUIT = "20100070970", "20123456786"


def row(number: Cell = RUC, *, kind: Cell = None, fob: Cell = 100) -> Cells:
    return ["H1", "Ana Rojas", kind, number, "Ropa", 1, 2, fob]


def read(country: str, *rows: Cells, headings: Cells = HEADINGS) -> ParsedManifest:
    found = read_survey(country, surveyed(sheet(MAWB_LABEL, headings, *rows)), FlightFields())
    assert all([*map(said, found.warnings), *map(said, found.notices)]), "a finding without its sentence"
    return found


@pytest.mark.parametrize(
    ("country", "number", "kind", "stored"),
    [
        ("PE", RUC, None, ("RUC", RUC)),
        ("PE", 20100070970.0, None, ("RUC", RUC)),
        ("PE", "12.345.678", None, ("DNI", "12345678")),
        ("PE", "A1234567", "passport", ("PASSPORT", "A1234567")),
        ("AR", CUIT, "CUIL", ("CUIL", CUIT)),
        ("AR", 12345678, None, ("DNI", "12345678")),
    ],
)
def test_a_good_document_is_stored_in_its_normal_form(
    country: str, number: Cell, kind: Cell, stored: tuple[str, str]
) -> None:
    found = read(country, row(number, kind=kind))
    guide = found.guides[0]
    assert (found.country, found.warnings) == (country, ())
    assert (guide.consignee_document_type, guide.consignee_document, guide.review_reasons) == (*stored, ())


@pytest.mark.parametrize(
    ("country", "number", "kind", "field", "code", "reason"),
    [
        ("PE", "20100070971", None, "consignee_document", "invalid_document", "invalid_document"),
        ("PE", "12", None, "consignee_document_type", "invalid_document_type", "invalid_document_type"),
        ("PE", RUC, "6", "consignee_document_type", "invalid_document_type", "invalid_document_type"),
        ("PE", None, None, "consignee_document", "required", "document_missing"),
    ],
)
def test_a_bad_one_is_kept_as_written_with_a_warning_and_a_reason_for_review(
    country: str, number: Cell, kind: Cell, field: str, code: str, reason: str
) -> None:
    found = read(country, row(number, kind=kind))
    guide = found.guides[0]
    assert warned(found) == [(3, field, code)]
    assert found.rut_invalid_count == 0
    assert (guide.consignee_document, guide.review_reasons) == (number or "", (reason,))


def test_the_sum_of_a_guides_rows_is_judged_rather_than_its_first_row() -> None:
    found = read("PE", row(fob=1500), row(fob=1500))
    guide = found.guides[0]
    assert (guide.fob_usd, guide.category, guide.retention_reason) == (Decimal(3000), 4, "retention_required")


def test_a_column_is_reported_under_the_countrys_own_name_of_the_document() -> None:
    without = [*HEADINGS[:2], *HEADINGS[4:]]
    found = read("PE", [*row()[:2], *row()[4:]], headings=without)
    assert noticed(found) == ["field_without_column", "customs_details_missing"]
    assert "consignee_document" in said(found.notices[0])
    assert "consignee_document" in [column.field for column in read("PE", row()).columns]


DETAILS = {
    "brand": "Andina", "model": "R-20", "condition": "Nueva", "commercial_quantity": "2 u", "goods_country": "VN",
    "embarkation_country": "US",
}  # fmt: skip


def reported(country: str, *guides: GuideRow) -> list[tuple[str, int | None, str]]:
    findings = Findings()
    Completion(rules_for(country, TODAY)).report(guides, findings)
    return [(notice.code, notice.row_index, said(notice)) for notice in findings.notices]


def test_details_that_perus_customs_asks_for_are_missed_once_in_a_manifest() -> None:
    complete = GuideRow(1, "H1", category=3, extra_data=DETAILS)
    without = [GuideRow(2, "H2", category=2, extra_data=DETAILS | {"model": ""}), GuideRow(3, "H3", category=3)]
    ((code, place, sentence),) = reported("PE", complete, *without, GuideRow(4, "H4", category=4))
    assert (code, place) == ("customs_details_missing", None)
    assert "2 guides" in sentence
    assert f": {', '.join(DETAILS)}." in sentence
    assert reported("PE", complete, GuideRow(4, "H4", category=1), GuideRow(5, "H5", category=4)) == []
    assert reported("AR", *without) == []


@pytest.mark.parametrize(
    ("written", "kept"),
    [("6109.10.00", "61091000"), ("6109.10.00.100Y", "61091000100Y"), ("61091000 100 Y", "61091000100Y")],
)
def test_an_ncm_with_or_without_sim_is_kept_as_tariff_code(written: str, kept: str) -> None:
    (guide,) = read("AR", [*row(CUIT), written], headings=[*HEADINGS, "NCM"]).guides
    assert guide.hs_code == kept


@pytest.mark.parametrize(("fob", "code"), [(10_000, "category_above_value"), (10_000.01, "invalid_category")])
def test_a_claimed_category_3_above_its_value_stays_with_a_warning(fob: float, code: str) -> None:
    line = GuideLine(1, "Medicinas", "", Decimal(1), Decimal(str(fob)), None, None, None, 1, frozenset())
    draft = GuideDraft(1, "H1", {}, RUC, "", line, category=3)
    findings = Findings()
    completed = Completion(rules_for("PE", TODAY)).complete(draft, line, findings)
    assert completed["category"] == 3
    assert code in [warning.code for warning in findings.warnings if warning.field == "category"]
