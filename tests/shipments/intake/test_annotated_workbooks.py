"""The annotated workbook: the client's rows as they were read, with each problem at its cell."""

from datetime import date, datetime, time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from companies.models import Company
from shipments.intake import annotated_workbook, trial
from shipments.intake.trial import annotate_copy
from shipments.manifests.manifest import FlightFields
from tests.books import HEADER, guide_row, workbook_bytes
from tests.conftest import Caller

pytestmark = pytest.mark.django_db

RED, AMBER, BLUE = "00F8B4B4", "00FFE08A", "00B7D4F5"


@pytest.fixture
def annotated(acme: Caller, tmp_path: Path) -> Any:
    def of(content: bytes, company: Company | None = None) -> Workbook:
        path = tmp_path / "sent.xlsx"
        path.write_bytes(content)
        return load_workbook(BytesIO(annotate_copy(company or acme.company, path, FlightFields())))

    return of


def coloured(sheet: Worksheet, colour: str) -> set[str]:
    return {
        cell.coordinate
        for row in sheet.iter_rows()
        for cell in row
        if cell.fill.fill_type == "solid" and cell.fill.start_color.rgb == colour
    }


def listed(workbook: Workbook) -> list[tuple[Any, ...]]:
    return list(workbook.worksheets[0].iter_rows(min_row=2, values_only=True))


def test_colours_and_explains_the_cells_of_the_warnings(annotated: Any) -> None:
    rows = [guide_row(1), guide_row(2, RUT="12345678-9"), guide_row(3, **{"Peso (kg)": "muy poco"})]
    workbook = annotated(workbook_bytes(rows))
    problems, sheet = workbook.worksheets
    assert coloured(sheet, AMBER) == {"C5", "H6"}
    assert "RUT" in sheet["C5"].comment.text
    assert [line[:5] for line in listed(workbook)] == [
        (5, "C", "RUT", "12345678-9", "rut_invalid_format"),
        (6, "H", "Peso (kg)", "muy poco", "weight_kg_invalid"),
    ]
    assert all(line[5] and line[6] == sheet.title for line in listed(workbook))
    assert [cell.value for cell in problems[1]][:3] == ["Row", "Column", "Heading"]


def test_keeps_every_value_and_computes_no_formula(annotated: Any) -> None:
    texts = ["=1+1", '=HYPERLINK("http://x")', "+56", "-1", "@SUM(A1)", "#N/A", "line\nbreak", "<b>&", "ñ"]
    rows = [guide_row(number, Contenido=text) for number, text in enumerate(texts, start=1)]
    content = Workbook()
    sent = content.worksheets[0]
    for values in load_workbook(BytesIO(workbook_bytes(rows))).worksheets[0].iter_rows(values_only=True):
        sent.append(values)
    for cell in sent["G"][3:]:
        cell.data_type = "s"
    file = BytesIO()
    content.save(file)
    copy = annotated(file.getvalue()).worksheets[1]
    assert [cell.value for cell in copy["G"][3:]] == texts
    assert {cell.data_type for cell in copy["G"][3:]} == {"s"}
    assert [cell.value for cell in copy["H"][3:]] == [1.5] * len(texts)


def test_keeps_dates_numbers_spaces_and_the_numbers_of_rows(annotated: Any) -> None:
    day, moment = date(2026, 11, 3), datetime.fromisoformat("2026-11-03T14:30")
    values: list[Any] = [day, moment, time(6, 5), True, 12, 0.1, 1e17, "  two  ", "a\tb"]
    book = load_workbook(BytesIO(workbook_bytes([guide_row(1)])))
    for row, value in enumerate(values, start=1):
        book.worksheets[0].cell(row + 10, 30, value)
    book.worksheets[0]["B900000"] = "far below"
    file = BytesIO()
    book.save(file)
    copy = annotated(file.getvalue()).worksheets[1]
    read = [copy.cell(row + 10, 30) for row in range(1, len(values) + 1)]
    assert [cell.value for cell in read] == [datetime.combine(day, time()), *values[1:]]
    assert [cell.number_format for cell in read[:3]] == ["yyyy-mm-dd", "yyyy-mm-dd h:mm:ss", "h:mm:ss"]
    assert copy["B900000"].value == "far below"


def test_what_is_missing_is_marked_past_the_last_cell_of_its_row(annotated: Any) -> None:
    header = ("HAWB", "Nombre destinatario", "Contenido", "Peso (kg)", "Valor FOB USD", "RUT")
    sheet = annotated(workbook_bytes([guide_row(1), guide_row(2, RUT=None)], header=header)).worksheets[1]
    assert coloured(sheet, AMBER) == {"F5"}
    assert sheet["F5"].comment


def test_marks_headings_that_are_unknown(annotated: Any) -> None:
    header = ("HAWB", "Nombre destinatario", "RUT", "Contenido", "Peso (kg)", "Valor FOB USD", "Zzyzx")
    sheet = annotated(workbook_bytes([guide_row(1, Zzyzx="a"), guide_row(2, Zzyzx="b")], header=header)).worksheets[1]
    assert coloured(sheet, BLUE) == {"G3"}
    assert sheet["G3"].comment


def test_marks_rows_of_which_no_guide_is_made(annotated: Any) -> None:
    rows = [guide_row(1), guide_row(2, HAWB="HAWB00001", RUT="9876543-3"), guide_row(3, HAWB=None)]
    workbook = annotated(workbook_bytes(rows))
    assert coloured(workbook.worksheets[1], RED) == {"A5", "A6"}
    codes = [line[4] for line in listed(workbook)]
    assert codes.count("duplicate_hawb") == codes.count("hawb_missing") == 1  # by their warnings alone


def test_says_why_a_file_cannot_be_read(annotated: Any) -> None:
    workbook = annotated(b"no workbook")
    assert len(workbook.worksheets) == 1
    assert "xlsx" in listed(workbook)[0][5]


def test_a_workbook_without_problems_says_so(annotated: Any) -> None:
    workbook = annotated(workbook_bytes())
    assert listed(workbook) == [(None, None, None, None, None, "No problems were found.", None)]
    assert not any(coloured(workbook.worksheets[1], colour) for colour in (RED, AMBER, BLUE))


def test_of_a_large_workbook_only_rows_with_problems_are_copied_under_their_numbers(
    annotated: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotated_workbook, "MAX_WHOLE_ROWS", 4)
    monkeypatch.setattr(annotated_workbook, "MAX_COMMENTS", 1)
    bad = {"RUT": "12345678-9"}
    workbook = annotated(workbook_bytes([guide_row(1), guide_row(2, **bad), guide_row(3), guide_row(4, **bad)]))
    sheet = workbook.worksheets[1]
    assert [row[0].row for row in sheet.iter_rows() if row[0].value] == [3, 5, 7]
    assert coloured(sheet, AMBER) == {"C5", "C7"}
    assert [bool(sheet[place].comment) for place in ("C5", "C7")] == [True, False]
    assert [line[0] for line in listed(workbook)] == [5, 7]


def test_the_list_says_how_many_problems_it_leaves_out(annotated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "MOST_PROBLEMS", 2)
    lines = listed(annotated(workbook_bytes([guide_row(number, RUT="1-2") for number in range(1, 6)])))
    assert [line[0] for line in lines] == [4, 5, None]
    assert "3 more" in lines[-1][5]


def test_corrected_it_can_be_uploaded_again(annotated: Any, acme: Caller, tmp_path: Path) -> None:
    corrected = annotated(workbook_bytes([guide_row(1), guide_row(2, RUT="12345678-9")]))
    corrected.worksheets[1]["C5"] = "12345678-5"
    path = tmp_path / "corrected.xlsx"
    corrected.save(path)
    answer = acme.upload(path.read_bytes()).json()
    assert (answer["guides_created"], answer["warnings"]) == (2, []), answer


def test_each_problem_is_at_the_cell_of_its_own_sheet(annotated: Any) -> None:
    workbook = load_workbook(BytesIO(workbook_bytes([guide_row(1), guide_row(2)])))
    further = workbook.create_sheet("Segunda hoja")
    further.append(HEADER)
    further.append([*guide_row(9, RUT="1-2").values()])
    file = BytesIO()
    workbook.save(file)
    copy = annotated(file.getvalue())
    assert coloured(copy.worksheets[1], AMBER) == set()
    assert coloured(copy.worksheets[2], AMBER) == {"C2"}
    assert [line[6] for line in listed(copy) if line[4] == "rut_invalid_format"] == ["Segunda hoja"]
