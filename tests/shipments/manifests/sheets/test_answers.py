"""What a person has said of headings is read as said; everything else by evidence."""

from collections.abc import Mapping

import pytest

from shipments.manifests.cells import Workbook
from shipments.manifests.manifest import FlightFields, ParsedManifest
from shipments.manifests.sheets.answers import Answer, Told
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB_LABEL, Cells, sheet


def told(headings: Cells, answers: Mapping[str, Answer]) -> ParsedManifest:
    """Two guides under these headings, read with answers."""
    book = Workbook(sheets=(sheet(MAWB_LABEL, headings, ANA, BETO),))
    return read_survey("CL", survey(book, Told(answers)), FlightFields())


@pytest.mark.parametrize(
    ("at", "heading", "key", "answer", "expected"),
    [
        (0, "Pedido", "pedido", Answer("hawb"), {"hawb": "H1"}),
        (0, "Zurrapa", "zurrapa", Answer("hawb"), {"hawb": "H1"}),
        (1, "Chofer", "chofer", Answer("consignee_name"), {"consignee_name": "Ana Rojas"}),
        (4, "Peso Zafra", "peso zafra", Answer("weight_kg", unit="lb"), {"weight_kg": "0.680"}),
        (4, "Balanza 2", "balanza #", Answer("weight_kg"), {"weight_kg": "1.500"}),
        (5, "Valor (XYZ)", "valor xyz", Answer("fob_usd", currency="USD"), {"fob_usd": "20.00"}),
        (2, "RUT", "rut", Answer(), {"consignee_document": "", "extra_data": "{'x_rut': '12345678-5'}"}),
    ],
)
def test_a_column_is_read_as_it_was_told(
    at: int, heading: str, key: str, answer: Answer, expected: dict[str, str]
) -> None:
    headings = [*FEW_HEADINGS[:at], heading, *FEW_HEADINGS[at + 1 :]]
    manifest = told(headings, {key: answer})
    found = {name: getattr(manifest.guides[0], name) for name in expected}
    assert {name: str(value) for name, value in found.items()} == expected
    assert manifest.questions == ()
    strengths = {column.heading: column.strength for column in manifest.columns}
    assert strengths.get(heading) == ("told" if answer.field else None)


def test_of_equal_headings_each_is_told_by_its_place() -> None:
    headings = [*FEW_HEADINGS[:5], "Peso (kg)", FEW_HEADINGS[6]]  # the value is headed as a weight
    answers = {"peso kg": Answer("weight_kg"), "peso kg#2": Answer("fob_usd", currency="USD")}
    guide = told(headings, answers).guides[0]
    assert (str(guide.weight_kg), str(guide.fob_usd)) == ("1.500", "20.00")


def test_a_told_fob_is_read_beside_terms_of_delivery() -> None:
    rows = [(*ANA, "DDU"), (*BETO, "DDU")]
    book = Workbook(sheets=(sheet(MAWB_LABEL, (*FEW_HEADINGS[:5], "Precio", FEW_HEADINGS[6], "Incoterm"), *rows),))
    guides = [read_survey("CL", survey(book, Told(answers)), FlightFields()).guides[0]
              for answers in ({}, {"precio": Answer("fob_usd", currency="USD")})]  # fmt: skip
    assert [guide.fob_usd for guide in guides] == [None, 20]


def test_an_answer_about_a_heading_that_is_not_there_changes_nothing() -> None:
    assert told(FEW_HEADINGS, {"otra": Answer("hawb")}) == told(FEW_HEADINGS, {})
