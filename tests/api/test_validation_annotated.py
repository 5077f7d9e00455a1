"""POST upload/validate for those who ask for a workbook: the problems at their cells."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from shipments.intake.annotated_workbook import MEDIA_TYPE
from tests.api.validated import BAD, annotated, validate
from tests.books import workbook_bytes
from tests.conftest import Caller
from tests.shipments.manifests import hostile
from tests.shipments.manifests.xlsx import test_workbook_opening as opened

pytestmark = pytest.mark.django_db


class TestTheAnnotatedWorkbook:
    def test_has_the_warned_cells_coloured(self, acme: Caller) -> None:
        response = annotated(acme, workbook_bytes(BAD))
        assert response.status_code == 200
        assert response.headers["Content-Type"] == MEDIA_TYPE
        assert "Accept" in response.headers["Vary"]
        problems, sheet = load_workbook(BytesIO(response.content)).worksheets
        warned = {(line[0].value, line[4].value) for line in problems.iter_rows(min_row=2)}
        assert warned == {(5, "rut_invalid_format"), (6, "weight_kg_invalid")}
        coloured = {cell.coordinate for row in sheet.iter_rows() for cell in row if cell.fill.fill_type}
        assert coloured == {"C5", "H6"}

    def test_lists_the_refusals_with_their_codes_in_the_callers_language(self, acme: Caller) -> None:
        acme.upload()
        response = validate(acme, headers={"Accept": MEDIA_TYPE, "Accept-Language": "es"})
        problems = load_workbook(BytesIO(response.content)).worksheets[0]
        assert (problems.title, problems["E2"].value) == ("Problemas", "mawb_already_exists")

    @pytest.mark.parametrize(
        "accept", ["*/*", "application/json", f"application/json, {MEDIA_TYPE};q=0.5", "text/html"]
    )
    def test_is_only_for_those_who_ask_for_it(self, acme: Caller, accept: str) -> None:
        assert validate(acme, headers={"Accept": accept}).headers["Content-Type"] == "application/json"


def hurtful() -> list[Any]:
    """The packages of the opening's own tests."""
    tests: tuple[Any, ...] = (
        opened.test_a_package_that_lies_is_refused,
        opened.test_a_workbook_that_hurts_its_reader_hurts_only_the_child,
        opened.test_what_only_looks_dangerous_gives_its_rows,
    )
    marks = [mark for test in tests for mark in test.pytestmark if mark.name == "parametrize"]
    return [case[0] for mark in marks for case in mark.args[1]]


@pytest.mark.parametrize("parts", hurtful()[::4])
def test_a_hostile_workbook_is_refused_or_read(acme: Caller, tmp_path: Path, parts: Any) -> None:
    response = annotated(acme, hostile.pack(tmp_path / "hostile.xlsx", parts).read_bytes())
    assert (response.status_code, response.headers["Content-Type"]) == (200, MEDIA_TYPE)


def test_a_stray_cell_far_below_and_odd_names_are_copied_and_cost_nothing(acme: Caller) -> None:
    file = BytesIO(workbook_bytes())
    workbook = load_workbook(file)
    sheet = workbook.worksheets[0]
    sheet.cell(900_000, 3, "x")
    sheet["B2"] = "_x0007_" + "y" * 40_000
    workbook.create_sheet("'=a' [1]".replace("[", "(").replace("]", ")"))["A1"] = "=1+1"
    output = BytesIO()
    workbook.save(output)
    content = annotated(acme, output.getvalue()).content
    copy = load_workbook(BytesIO(content)).worksheets[1]
    assert [copy[place].value for place in ("A4", "A5", "C900000")] == ["HAWB00001", "HAWB00002", "x"]
    assert len(content) < 20_000
