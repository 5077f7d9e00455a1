"""What a workbook holds comes back as the spreadsheet shows it, down to the row numbers."""

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import PatternFill

from shipments.manifests.cells import LONGEST_CELL
from shipments.manifests.xlsx.opening import reading
from tests.shipments.manifests import hostile
from tests.shipments.manifests.hostile import part, row, sheet_of, workbook_parts
from tests.shipments.manifests.xlsx_files import rows_of

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")

GOOD_ROW = row("HAWB1", "Ñandú")
HALF_PAST_TWO = datetime(2026, 11, 20, 14, 30)  # noqa: DTZ001 - a spreadsheet knows no time zone


def cells_of(xlsx: Path) -> list[object]:
    """Return the first sheet's cells, row after row."""
    return [cell for _, cells in rows_of(xlsx)[0] for cell in cells]


# --- cells -------------------------------------------------------------------------------------------------------


CELLS: list[tuple[Any, Any]] = [
    ("texto  ", "texto  "),
    (7, 7),
    (1.25, 1.25),
    (20123456789012, 20123456789012),
    (HALF_PAST_TWO, HALF_PAST_TWO),
    (date(2026, 11, 20), date(2026, 11, 20)),
    (time(9, 5), time(9, 5)),
    (True, True),
    (False, False),
    (0, 0),
    (timedelta(hours=30), 1.25),
    (timedelta(hours=6, minutes=15), time(6, 15)),
    (CellRichText("en ", TextBlock(InlineFont(b=True), "negrita")), "en negrita"),
]
"""What is written into a cell, and what is read."""


def test_every_kind_of_cell_comes_back_as_the_spreadsheet_shows_it(xlsx: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Manifiesto"
    for place, (value, _) in enumerate(CELLS, start=2):
        sheet.cell(4, place, value)
    book.save(xlsx)
    assert rows_of(xlsx) == [[(4, [None, *(shown for _, shown in CELLS)])]]
    assert [type(cell) for cell in cells_of(xlsx)[2:5]] == [int, float, int]


def test_rows_keep_the_numbers_the_spreadsheet_shows(xlsx: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0]["C3"] = "MAWB"
    book.worksheets[0]["A7"] = "HAWB"
    for row_number in (9, 1_048_576):
        book.worksheets[0].cell(row_number, 26).fill = PatternFill("solid", fgColor="FFFF00")
    book.save(xlsx)
    assert rows_of(xlsx) == [[(3, [None, None, "MAWB"]), (7, ["HAWB"])]]


def test_formulas_without_a_cached_value_and_errors_are_empty(xlsx: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["a", "=1+1", "#N/A", "b", "=A1", "#REF!"])
    book.save(xlsx)
    assert rows_of(xlsx) == [[(1, ["a", None, None, "b"])]]


def test_a_formula_with_a_cached_value_is_its_value(xlsx: Path) -> None:
    hostile.pack(xlsx, workbook_parts('<row><c><f>1+1</f><v>2</v></c><c t="str"><f>A1</f><v>x</v></c></row>'))
    assert cells_of(xlsx) == [2, "x"]


def test_only_visible_worksheets_come_back_in_their_order(xlsx: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].title = "Hoja 1"
    book.create_sheet("Oculta").sheet_state = "hidden"
    book.create_chartsheet("Gráfico")
    book.create_sheet("Muy oculta").sheet_state = "veryHidden"
    book.create_sheet("Guías & más")["A1"] = "x"
    book.save(xlsx)
    with reading(xlsx) as read:
        assert [(sheet.name, len(list(sheet.rows))) for sheet in read.sheets] == [("Hoja 1", 0), ("Guías & más", 1)]
        assert read.hidden == ("Oculta", "Muy oculta")


def test_merged_ranges_have_rows_from_1_and_columns_from_0(xlsx: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0]["B2"] = "CONSIGNEE"
    book.worksheets[0].merge_cells("B2:D3")
    book.save(xlsx)
    with reading(xlsx) as read:
        assert read.sheets[0].merged == ((2, 1, 3, 3),)


def test_a_stray_value_in_the_very_last_row_of_a_narrow_table_is_read(xlsx: Path) -> None:
    hostile.pack(xlsx, workbook_parts(f'{GOOD_ROW}<row r="1048576"><c r="B1048576"><v>1</v></c></row>'))
    assert rows_of(xlsx) == [[(1, ["HAWB1", "Ñandú"]), (1_048_576, [None, 1])]]


@pytest.mark.parametrize(
    "text",
    [
        '{"date":"2026-11-20"}',
        "null",
        "00123",
        'quotes " and \\ and \t tabs',
        "two\nlines",
        "Ñandú 東京 \U0001f4e6",
        "bell\x07",
    ],
)
def test_text_survives_whatever_it_looks_like(xlsx: Path, text: str) -> None:
    hostile.pack(xlsx, workbook_parts(row(text.replace('"', "&quot;"))))
    assert cells_of(xlsx) == [text]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("<c><v>-inf</v></c>", None),
        ("<c><v>1e999</v></c>", None),
        ("<c><v>1e300</v></c>", 1e300),
        ("<c><v>-0.0</v></c>", 0),
        ("<c><v>12345678901234567</v></c>", 12345678901234568.0),
        ("<c><v>045-12345675</v></c>", "045-12345675"),
        ('<c t="b"><v>0</v></c>', False),
        ('<c t="d"><v>2026-11-20T14:30:00</v></c>', HALF_PAST_TWO),
        ('<c t="d"><v>99999-01-01</v></c>', "99999-01-01"),
        ('<c t="inlineStr"><is><t>a_x0000_b</t></is></c>', "ab"),
        ('<c t="inlineStr"><is><t>_x0000_</t></is></c>', None),
        ('<c t="inlineStr"><is><t>_xD800_</t></is></c>', "_xD800_"),
        ('<c t="inlineStr"><is><t></t></is></c>', None),
        ('<c t="inlineStr"><is><t>' + "x" * LONGEST_CELL + "</t></is></c>", "x" * LONGEST_CELL),
        ('<c t="inlineStr"><is><t>Ana' + " " * 32_767 + "Soto</t></is></c>", "Ana Soto"),
        ('<c t="inlineStr"><is><t>' + "x" * 32_767 + "</t></is></c>", "x" * LONGEST_CELL + "…"),
    ],
)
def test_odd_cells_come_back_as_something_plain(xlsx: Path, cell: str, value: object) -> None:
    hostile.pack(xlsx, workbook_parts(f"<row>{cell}<c><v>1</v></c></row>"))
    read = cells_of(xlsx)
    assert read == [value, 1]
    assert type(read[0]) is type(value)


def test_what_the_name_of_the_file_ends_in_does_not_matter(tmp_path: Path) -> None:
    for name in ("manifest.ods", "manifest"):
        assert rows_of(hostile.pack(tmp_path / name, workbook_parts(GOOD_ROW))) == [[(1, ["HAWB1", "Ñandú"])]]


STYLES = part("xl/styles.xml", '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>')


@pytest.mark.parametrize("number", ["", "22"])
def test_the_numbered_parts_that_excel_for_the_web_writes_are_found(xlsx: Path, number: str) -> None:
    cells = '<row><c t="s"><v>0</v></c><c s="1"><v>46346</v></c></row>'
    parts = workbook_parts(cells, shared_strings="<sst><si><t>HAWB1</t></si></sst>", more=[STYLES])
    names = re.compile(r"(workbook|styles|sharedStrings)(?=\.xml)")
    hostile.pack(xlsx, [replace(each, name=names.sub(rf"\g<1>{number}", each.name)) for each in parts])
    assert rows_of(xlsx) == [[(1, ["HAWB1", date(2026, 11, 20)])]]


def test_rows_can_be_gone_through_again_and_by_several_at_once(xlsx: Path) -> None:
    hostile.pack(xlsx, workbook_parts(sheet_of(row("x" * 200), 3_000), sheet_of(row("y"), 10)))
    with reading(xlsx) as book:
        one, other = book.sheets
        assert [pair for pair in zip(one.rows, one.rows, strict=True) if pair[0] != pair[1]] == []
        interleaved = iter(one.rows)
        assert next(interleaved) == (1, ["x" * 200])
        assert len(list(other.rows)) == 10
        assert next(interleaved) == (2, ["x" * 200])
        assert len(list(one.rows)) == 3_000


def test_rows_are_gone_when_the_workbook_is_closed(xlsx: Path) -> None:
    hostile.pack(xlsx, workbook_parts(GOOD_ROW))
    with reading(xlsx) as book:
        pass
    with pytest.raises(ValueError, match="closed file"):
        list(book.sheets[0].rows)


# --- the bounds of a sheet --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "is_cut"), [(60_000, False), (60_001, True)])
def test_sixty_thousand_rows_are_read_and_one_more_is_reported(xlsx: Path, rows: int, *, is_cut: bool) -> None:
    hostile.pack(xlsx, workbook_parts(sheet_of("<row><c><v>1</v></c></row>", rows)))
    with reading(xlsx) as book:
        assert sum(1 for _ in book.sheets[0].rows) == 60_000
        assert book.sheets[0].is_cut is is_cut


@pytest.mark.parametrize(("column", "cells", "is_cut"), [("IV", 256, False), ("IW", 0, True)])
def test_the_256th_column_is_read_and_the_next_is_reported(
    xlsx: Path, column: str, cells: int, *, is_cut: bool
) -> None:
    hostile.pack(xlsx, workbook_parts(f'{GOOD_ROW}<row r="2"><c r="{column}2"><v>1</v></c></row>'))
    with reading(xlsx) as book:
        assert book.sheets[0].is_cut is is_cut
        assert [len(read) for _, read in book.sheets[0].rows] == [2, cells][: 1 + bool(cells)]


def test_more_merged_ranges_than_anybody_needs_are_reported(xlsx: Path) -> None:
    tail = "</sheetData><mergeCells>" + '<mergeCell ref="A1:B1"/>' * 100_001 + "</mergeCells></worksheet>"
    hostile.pack(xlsx, workbook_parts(part("", f"<worksheet><sheetData>{GOOD_ROW}{tail}")))
    with reading(xlsx) as book:
        assert len(book.sheets[0].merged) == 100_000
        assert book.sheets[0].is_cut
