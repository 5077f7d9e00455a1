"""What single rows and cells are: values that repeat, zeros, lines, signatures, words for nothing, odd identifiers."""

import pytest

from shipments.errors import NoRowsParsed
from shipments.manifests.cells import Cell, Workbook
from shipments.manifests.manifest import FlightFields
from shipments.manifests.sheets.answers import RowsWithoutHawb, Told
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB_LABEL, Cells, noticed, read, said, sheet

PLAIN = [*FEW_HEADINGS[:5], "FOB", FEW_HEADINGS[6]]


@pytest.mark.parametrize(
    ("heading", "fob", "codes"),
    [
        ("Importe del bulto", "30.00", ["hawb_rows_merged"]),
        ("Total FOB", "30.00", ["hawb_rows_merged"]),
        ("FOB", "60.00", ["repeated_value_added", "hawb_rows_merged"]),
    ],
)
def test_a_value_on_all_rows_of_a_guide_counts_once_if_it_is_the_shipments(
    heading: str, fob: str, codes: list[str]
) -> None:
    rows: list[Cells] = [[*ANA[:3], goods, weight, 30, 1] for goods, weight in (("Ropa", 0.5), ("Libro", 1))]
    manifest = read(sheet(MAWB_LABEL, [*FEW_HEADINGS[:5], heading, FEW_HEADINGS[6]], *rows, BETO))
    assert str(manifest.guides[0].fob_usd) == fob
    assert sorted(noticed(manifest)) == sorted(codes)


def test_line_totals_beside_a_unit_price_are_added() -> None:
    headings = [*FEW_HEADINGS[:5], "Precio unitario", "Total"]
    rows: list[Cells] = [[*ANA[:3], goods, weight, 15, 30] for goods, weight in (("Ropa", 0.5), ("Libro", 1))]
    manifest = read(sheet(MAWB_LABEL, headings, *rows))
    assert str(manifest.guides[0].fob_usd) == "60.00"
    assert "repeated_value_added" in noticed(manifest)


def test_no_weight_is_zero_and_a_value_of_zero_is_said() -> None:
    manifest = read(sheet(MAWB_LABEL, FEW_HEADINGS, [*ANA[:4], 0, 0, 1], BETO))
    assert (manifest.guides[0].weight_kg, str(manifest.guides[0].fob_usd)) == (None, "0.00")
    assert [warning.code for warning in manifest.warnings] == ["weight_kg_invalid"]
    (notice,) = manifest.notices
    assert (notice.code, said(notice)) == ("fob_zero", "The FOB value (fob_usd) is 0 in 1 of 2 guides.")


@pytest.mark.parametrize("word", ["null", "None", "NaN", "N/A", "#N/D", "undefined", "--"])
def test_a_word_for_nothing_is_empty(word: str) -> None:
    headings = [*FEW_HEADINGS, "Dirección", "Email", "Embarcador"]
    guide = read(sheet(MAWB_LABEL, headings, [ANA[0], word, *ANA[2:], word, word, word], BETO)).guides[0]
    assert (guide.consignee_name, guide.consignee_address, guide.consignee_email, guide.shipper_name) == ("",) * 4


@pytest.mark.parametrize(
    ("houses", "read_as"),
    [
        (("8801.0", "8802.0"), ["8801", "8802"]),
        (("8801.0", "A-1.0"), ["8801.0", "A-1.0"]),
        (("\uff28\uff11", "\uff28\uff12"), ["H1", "H2"]),
    ],
)
def test_identifiers_are_read_as_they_were_typed(houses: tuple[Cell, Cell], read_as: list[str]) -> None:
    manifest = read(sheet(MAWB_LABEL, FEW_HEADINGS, [houses[0], *ANA[1:]], [houses[1], *BETO[1:]]))
    assert [guide.hawb for guide in manifest.guides] == read_as


@pytest.mark.parametrize(("heading", "weight"), [("Peso (g)", "5.700"), ("Peso (kg)", "5.700"), ("Peso (lb)", "2.585")])
def test_three_digits_after_a_point_are_read_as_the_unit_allows(heading: str, weight: str) -> None:
    row: Cells = [*ANA[:4], "5.700", *ANA[5:]]
    manifest = read(sheet(MAWB_LABEL, [*FEW_HEADINGS[:4], heading, *FEW_HEADINGS[5:]], row))
    assert str(manifest.guides[0].weight_kg) == weight


def test_a_product_without_a_hawb_is_left_out_and_the_guide_above_reviewed_until_somebody_tells() -> None:
    workbook = Workbook(sheets=(sheet(MAWB_LABEL, FEW_HEADINGS, ANA, (None, None, None, "Libro", 2, 30, 1)),))
    found = {}
    rules: tuple[RowsWithoutHawb, ...] = ("", "products", "left_out")
    for rule in rules:
        manifest = read_survey("CL", survey(workbook, Told(rows_without_hawb=rule)), FlightFields())
        (guide,) = manifest.guides
        assert manifest.rows is not None
        reasons = [left.reason for left in manifest.rows.named]
        found[rule] = (guide.description_original, guide.review_reasons, reasons)
    assert found == {
        "": ("Ropa", ("belongs_unclear",), ["belongs_unclear"]),
        "products": ("Ropa, Libro", (), []),
        "left_out": ("Ropa", (), ["hawb_missing"]),
    }


def test_a_column_that_most_rows_repeat_is_no_hawb() -> None:
    rows: list[Cells] = [
        ["H1", name, f"{number}", *ANA[3:]] for number, name in enumerate(("Ana", "Beto", "Caro", "Dora"))
    ]
    with pytest.raises(NoRowsParsed, match="'HAWB' is not the HAWB"):
        read(sheet(MAWB_LABEL, FEW_HEADINGS, *rows))
