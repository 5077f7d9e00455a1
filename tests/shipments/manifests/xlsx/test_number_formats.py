"""Units and currencies that only the number formats of cells show."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

from shipments.manifests.manifest import ParsedManifest
from shipments.manifests.xlsx.number_formats import names_things, shown, words_in
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB_LABEL, noticed
from tests.shipments.manifests.xlsx_files import edit, read_file

PLAIN = [*FEW_HEADINGS[:4], "Peso", "Valor", FEW_HEADINGS[6]]


def formatted(
    path: Path, *, weight: str = "General", value: str = "General", headings: list[str] = PLAIN
) -> ParsedManifest:
    """Two guides whose weights and values have these number formats."""
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for row in (MAWB_LABEL, headings, ANA, BETO):
        sheet.append(list(row))
    for number in (3, 4):
        sheet.cell(number, 5).number_format, sheet.cell(number, 6).number_format = weight, value
    workbook.save(path)
    return read_file(path)


@pytest.mark.parametrize(
    ("number_format", "weight"),
    [('0.00" lb"', "0.680"), ('0.00" kg"', "1.500"), ('0.00" g"', "0.002"), ("0.00", "1.500"), ('0.00" ud"', "1.500")],
)
def test_a_unit_in_the_number_format_counts(tmp_path: Path, number_format: str, weight: str) -> None:
    manifest = formatted(tmp_path / "book.xlsx", weight=number_format)
    assert str(manifest.guides[0].weight_kg) == weight
    assert set(noticed(manifest)) <= {"fob_unlikely"}  # of a few grams


@pytest.mark.parametrize(
    ("number_format", "fob"),
    [
        ("[$EUR] 0.00", "None"),
        ("[$USD] 0.00", "20.00"),
        ("[$$-340A] 0.00", "None"),
        ("[$$-es-CL]#,##0", "None"),
        ("_-[$$-80A]* #,##0.00_-", "None"),
        ("[$$-409]#,##0.00", "20.00"),
        ('"$"#,##0.00', "20.00"),
    ],
)
def test_a_currency_in_the_number_format_counts(tmp_path: Path, number_format: str, fob: str) -> None:
    manifest = formatted(tmp_path / "book.xlsx", value=number_format)
    assert str(manifest.guides[0].fob_usd) == fob
    assert ("currency_unknown" in noticed(manifest)) == (fob == "None")


def test_a_format_that_contradicts_the_heading_leaves_the_unit_open(tmp_path: Path) -> None:
    manifest = formatted(tmp_path / "book.xlsx", weight='0.00" lb"', headings=list(FEW_HEADINGS))
    assert (manifest.guides[0].weight_kg, noticed(manifest)) == (None, ["weight_unit_unknown"])


@pytest.mark.parametrize(
    ("number_format", "hawb"),
    [("0000000", "0000042"), ('"CL"0000', "CL0042"), ('"WH"-00000', "WH-00042"), ("0", "42"), ("00-00", "00-42")],
)
def test_an_identifier_is_read_as_it_is_shown(tmp_path: Path, number_format: str, hawb: str) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for row in (MAWB_LABEL, PLAIN, (42, *ANA[1:]), (7, *BETO[1:])):
        sheet.append(list(row))
    for number in (3, 4):
        sheet.cell(number, 1).number_format = number_format
    workbook.save(tmp_path / "book.xlsx")
    assert read_file(tmp_path / "book.xlsx").guides[0].hawb == hawb


@pytest.mark.parametrize(("hidden", "codes"), [(4, ["hidden_rows_read"]), (1, [])])
def test_hidden_guides_are_read_and_said(tmp_path: Path, hidden: int, codes: list[str]) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for row in (MAWB_LABEL, FEW_HEADINGS, ANA, BETO):
        sheet.append(list(row))
    sheet.row_dimensions[hidden].hidden = True
    workbook.save(tmp_path / "book.xlsx")
    manifest = read_file(tmp_path / "book.xlsx")
    assert (len(manifest.guides), noticed(manifest)) == (2, codes)


@pytest.mark.parametrize(
    ("code", "number", "text"),
    [
        ('"YT"000000000"CN"', 123456780, "YT123456780CN"), ('[$-340A]"YT"000000', 42, "YT000042"),
        ("000 000 000", 12345670, "012 345 670"), ("000", 12345, "12345"), (r"00\-0000", 42, "00-0042"),
        (r"##\.###\.###\-#", 123456785, "12.345.678-5"), ('[Red]"A"00;"B"00', 7, "A07"), ('"AB"#', 5, "AB5"),
        ('[>99]"A"000;"B"000', 7, "B007"), ('[>99]"A"000;"B"000', 700, "A700"),
        ('"C"0_)', 3, "C3"), ("0000", 0, "0000"),
    ],
)  # fmt: skip
def test_a_whole_number_is_shown_as_its_format_says(code: str, number: int, text: str) -> None:
    assert names_things(code)
    assert shown(number, code) == text


@pytest.mark.parametrize(
    "code",
    ["General", "0", "#,##0", "0.00", '0" kg"', '"US$ "0', "dd/mm/yyyy", "[h]:mm", "0%", "0E+00", "@", "[$-F800]dddd"],
)
def test_amounts_and_dates_are_no_identifiers(code: str) -> None:
    assert not names_things(code)


@pytest.mark.parametrize(
    ("code", "words"), [('0.00" lb";-0.00" lb"', "lb"), ('"kg" 0 [Red]', "kg"), (r"0\ \k\g", "kg"), ("[$€-2] 0", "€")]
)
def test_the_words_of_a_format(code: str, words: str) -> None:
    assert words_in(code) == words


SHEET, STYLES = "xl/worksheets/sheet1.xml", "xl/styles.xml"
POUNDS = '0.00" lb"'


def prefixed(text: str) -> str:
    named = re.sub(r"<(/?)(?=[a-zA-Z])", r"<\1x:", text)
    return named.replace("xmlns=", "xmlns:x=")


def without_places(text: str) -> str:
    return re.sub(r'(<(?:c|row)) r="[A-Z]*[0-9]+"', r"\1", text)


def one_style_a_cell(text: str) -> str:
    """Ten thousand styles and more before those that are used: some 900 kB."""
    style = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" pivotButton="0" quotePrefix="0"/>'
    return re.sub(r"(<cellXfs[^>]*>)(.*?)(</cellXfs>)", rf"\1\2{style * 10_000}\3", text)


def utf_16(text: str) -> bytes:
    return re.sub(r"^<\?xml[^>]*\?>", "", text).encode("utf-16")


@pytest.mark.parametrize(
    "edits",
    [
        {STYLES: lambda text: text.replace('"0.00&quot; lb&quot;"', "'0.00\" lb\"'")},
        {SHEET: lambda text: re.sub(r'="([^"<>]*)"', r"='\1'", text)},
        {SHEET: lambda text: text.replace('t="n" ', "").replace("<c ", "<c\n  ").replace("<v>", "<v >")},
        {SHEET: prefixed},
        {STYLES: prefixed},
        {SHEET: without_places},
        {STYLES: one_style_a_cell},
        {STYLES: utf_16},
        {SHEET: lambda text: text.replace("<sheetData>", f"<!--{'x' * 500_000}--><sheetData>")},
        {SHEET: lambda text: text.replace("<sheetData>", "<sheetData><!-- <c r='E3'/> -->")},
    ],
    ids=["single quotes in styles", "single quotes in the sheet", "blanks", "prefixes in the sheet",
         "prefixes in styles", "cells without places", "one style a cell", "styles in UTF-16", "a long comment",
         "a comment among the rows"],
)  # fmt: skip
def test_formats_are_seen_whatever_way_the_xml_is_written(
    tmp_path: Path, edits: dict[str, Callable[[str], str | bytes]]
) -> None:
    path = tmp_path / "book.xlsx"
    formatted(path, weight=POUNDS)
    edit(path, edits)
    manifest = read_file(path)
    assert str(manifest.guides[0].weight_kg) == "0.680"
    assert set(noticed(manifest)) <= {"workbook_repaired"}


def test_formats_of_rows_far_below_count_and_each_identifier_has_its_own(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for row in (MAWB_LABEL, PLAIN, *((number, *ANA[1:]) for number in range(1, 4_001))):
        sheet.append(list(row))
    for number in range(3, 4_003):
        sheet.cell(number, 1).number_format = '"YT"0000' if number < 2_000 else '"LP"0000'
        sheet.cell(number, 5).number_format = POUNDS if number > 1_500 else "0.00"
    sheet.row_dimensions[3_999].hidden = True
    workbook.save(tmp_path / "book.xlsx")
    manifest = read_file(tmp_path / "book.xlsx")
    assert [manifest.guides[at].hawb for at in (0, 1_996, 1_997, 3_999)] == ["YT0001", "YT1997", "LP1998", "LP4000"]
    assert str(manifest.guides[0].weight_kg) == "0.680"
    hidden = next(notice for notice in manifest.notices if notice.code == "hidden_rows_read")
    assert hidden.reason.params["rows"] == "3999"


def test_two_units_among_the_formats_of_a_column_leave_its_unit_open(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for row in (MAWB_LABEL, PLAIN, ANA, BETO):
        sheet.append(list(row))
    sheet["E3"].number_format, sheet["E4"].number_format = POUNDS, '0.00" kg"'
    workbook.save(tmp_path / "book.xlsx")
    assert "weight_unit_unknown" in noticed(read_file(tmp_path / "book.xlsx"))


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ({STYLES: lambda text: text.replace("</fonts>", "</fontz>")}, "formats_not_seen"),
        ({STYLES: lambda text: text.replace("0.00&quot; lb&quot;", "&quot;YT&quot;0.00")}, "hawbs_shown_otherwise"),
    ],
)
def test_what_was_not_seen_or_not_read_of_formats_is_said(
    tmp_path: Path, edits: dict[str, Callable[[str], str | bytes]], code: str
) -> None:
    path = tmp_path / "book.xlsx"
    workbook = Workbook()
    for row in (MAWB_LABEL, FEW_HEADINGS, (42, *ANA[1:]), (7, *BETO[1:])):
        workbook.worksheets[0].append(list(row))
    for number in (3, 4):
        workbook.worksheets[0].cell(number, 1).number_format = POUNDS
    workbook.save(path)
    edit(path, edits)
    assert code in noticed(read_file(path))
