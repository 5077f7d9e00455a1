"""Units and currencies that only the number formats of cells show."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from shipments.manifests.manifest import ParsedManifest
from shipments.manifests.xlsx.number_formats import format_number, names_things, words_in
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB_LABEL, noticed
from tests.shipments.manifests.xlsx_files import edit, read_file, save_rows, utf_16

PLAIN = [*FEW_HEADINGS[:4], "Peso", "Valor", FEW_HEADINGS[6]]


def formatted(
    path: Path, *, weight: str = "General", value: str = "General", headings: Sequence[str] = PLAIN
) -> ParsedManifest:
    """Two guides whose weights and values have these number formats."""
    return read_file(save_rows(path, (MAWB_LABEL, headings, ANA, BETO), E=weight, F=value))


@pytest.mark.parametrize(
    ("number_format", "weight"),
    [('0.00" lb"', "0.680"), ('0.00" kg"', "1.500"), ('0.00" g"', "0.002"), ("0.00", "1.500"), ('0.00" ud"', "1.500")],
)
def test_a_unit_in_the_number_format_counts(xlsx: Path, number_format: str, weight: str) -> None:
    manifest = formatted(xlsx, weight=number_format)
    assert str(manifest.guides[0].weight_kg) == weight
    assert set(noticed(manifest)) <= {"fob_unlikely"}  # of a few grams


@pytest.mark.parametrize(
    ("number_format", "fob"),
    [
        ("[$EUR] 0.00", "None"),
        ("[$USD] 0.00", "20.00"),
        ("[$$-es-CL]#,##0", "None"),
        ("_-[$$-80A]* #,##0.00_-", "None"),
        ("[$$-409]#,##0.00", "20.00"),
        ('"$"#,##0.00', "20.00"),
    ],
)
def test_a_currency_in_the_number_format_counts(xlsx: Path, number_format: str, fob: str) -> None:
    manifest = formatted(xlsx, value=number_format)
    assert str(manifest.guides[0].fob_usd) == fob
    assert ("currency_unknown" in noticed(manifest)) == (fob == "None")


def test_a_format_that_contradicts_the_heading_leaves_the_unit_open(xlsx: Path) -> None:
    manifest = formatted(xlsx, weight='0.00" lb"', headings=FEW_HEADINGS)
    assert (manifest.guides[0].weight_kg, noticed(manifest)) == (None, ["weight_unit_unknown"])


@pytest.mark.parametrize(
    ("number_format", "hawb"),
    [("0000000", "0000042"), ('"CL"0000', "CL0042"), ("0", "42")],
)
def test_an_identifier_is_read_as_it_is_shown(xlsx: Path, number_format: str, hawb: str) -> None:
    save_rows(xlsx, (MAWB_LABEL, PLAIN, (42, *ANA[1:]), (7, *BETO[1:])), A=number_format)
    assert read_file(xlsx).guides[0].hawb == hawb


@pytest.mark.parametrize(("hidden", "codes"), [(4, ["hidden_rows_read"]), (1, [])])
def test_hidden_guides_are_read_and_said(xlsx: Path, hidden: int, codes: list[str]) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for row in (MAWB_LABEL, FEW_HEADINGS, ANA, BETO):
        sheet.append(list(row))
    sheet.row_dimensions[hidden].hidden = True
    workbook.save(xlsx)
    manifest = read_file(xlsx)
    assert (len(manifest.guides), noticed(manifest)) == (2, codes)


@pytest.mark.parametrize(
    ("code", "number", "text"),
    [
        ('[$-340A]"YT"000000"CN"', 42, "YT000042CN"), ("000 000 000", 12345670, "012 345 670"),
        ("000", 12345, "12345"), ("0000", 0, "0000"),
        (r"##\.###\.###\-#", 123456785, "12.345.678-5"), ('[Red]"A"00;"B"00', 7, "A07"), ("00-00", 42, "00-42"),
        ('[>99]"A"000;"B"000', 7, "B007"), ('[>99]"A"000;"B"000', 700, "A700"), ('"C"0_)', 3, "C3"),
    ],
)  # fmt: skip
def test_a_whole_number_is_shown_as_its_format_says(code: str, number: int, text: str) -> None:
    assert names_things(code)
    assert format_number(number, code) == text


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
    xlsx: Path, edits: dict[str, Callable[[str], str | bytes]]
) -> None:
    formatted(xlsx, weight=POUNDS)
    edit(xlsx, edits)
    manifest = read_file(xlsx)
    assert str(manifest.guides[0].weight_kg) == "0.680"
    assert set(noticed(manifest)) <= {"workbook_repaired"}


def test_formats_of_rows_far_below_count_and_each_identifier_has_its_own(xlsx: Path) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for row in (MAWB_LABEL, PLAIN, *((number, *ANA[1:]) for number in range(1, 1_001))):
        sheet.append(list(row))
    for number in range(3, 1_003):
        sheet.cell(number, 1).number_format = '"YT"0000' if number < 500 else '"LP"0000'
        sheet.cell(number, 5).number_format = POUNDS if number > 400 else "0.00"
    sheet.row_dimensions[999].hidden = True
    workbook.save(xlsx)
    manifest = read_file(xlsx)
    assert [manifest.guides[at].hawb for at in (0, 496, 497, 999)] == ["YT0001", "YT0497", "LP0498", "LP1000"]
    assert str(manifest.guides[0].weight_kg) == "0.680"
    hidden = next(notice for notice in manifest.notices if notice.code == "hidden_rows_read")
    assert hidden.reason.params["rows"] == "999"


def test_two_units_among_the_formats_of_a_column_leave_its_unit_open(xlsx: Path) -> None:
    workbook = load_workbook(save_rows(xlsx, (MAWB_LABEL, PLAIN, ANA, BETO), E=POUNDS))
    workbook.worksheets[0]["E4"].number_format = '0.00" kg"'
    workbook.save(xlsx)
    assert "weight_unit_unknown" in noticed(read_file(xlsx))


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ({STYLES: lambda text: text.replace("</fonts>", "</fontz>")}, "formats_not_seen"),
        ({STYLES: lambda text: text.replace("0.00&quot; lb&quot;", "&quot;YT&quot;0.00")}, "hawbs_shown_otherwise"),
    ],
)
def test_what_was_not_seen_or_not_read_of_formats_is_said(
    xlsx: Path, edits: dict[str, Callable[[str], str | bytes]], code: str
) -> None:
    save_rows(xlsx, (MAWB_LABEL, FEW_HEADINGS, (42, *ANA[1:]), (7, *BETO[1:])), A=POUNDS)
    edit(xlsx, edits)
    assert code in noticed(read_file(xlsx))
