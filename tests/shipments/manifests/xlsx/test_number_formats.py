"""Units and currencies that only the number formats of cells show."""

from pathlib import Path

import pytest
from openpyxl import Workbook

from shipments.manifests.manifest import ParsedManifest
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB_LABEL, noticed
from tests.shipments.manifests.xlsx_files import read_file

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
    ("number_format", "fob"), [("[$EUR] 0.00", "None"), ("[$USD] 0.00", "20.00"), ("[$$-340A] 0.00", "20.00")]
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
    [("0000000", "0000042"), ('"CL"0000', "CL0042"), ('"WH"-00000', "WH-00042"), ("0", "42"), ("00-00", "42")],
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
