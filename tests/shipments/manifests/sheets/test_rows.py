"""What single rows and cells are: values that repeat, zeros, lines, signatures, words for nothing, odd identifiers."""

import pytest

from shipments.errors import NoRowsParsed
from shipments.manifests.cells import Cell
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


@pytest.mark.parametrize(
    "row",
    [
        ["====", "====", "====", "===="],
        ["Vuelo:", "LA 501", None, "x", 1, 1, 1],
        ["-----", None, None, "-----", None, None, None],
    ],
)
def test_a_line_or_a_label_is_no_guide(row: Cells) -> None:
    assert [guide.hawb for guide in read(sheet(MAWB_LABEL, FEW_HEADINGS, ANA, row, BETO)).guides] == ["H1", "H2"]


@pytest.mark.parametrize("between", [[], ["TOTAL", None, None, None, 3.5, 50, 2]])
def test_what_follows_the_table_is_no_guide_if_its_hawb_is_made_otherwise(between: Cells) -> None:
    stamp: Cells = ["Bodega Central", "Juan Pérez", "76543210-3", "Recibido conforme", 1, 2, 3]
    manifest = read(sheet(MAWB_LABEL, FEW_HEADINGS, ANA, BETO, between, stamp))
    assert [guide.hawb for guide in manifest.guides] == ["H1", "H2"]
    assert "BODEGA CENTRAL" in said(manifest.notices[0])
    assert manifest.notices[0].code == "rows_left_out"


@pytest.mark.parametrize("hawb", ["H77", "7123"])
def test_a_guide_after_a_blank_row_is_a_guide(hawb: str) -> None:
    manifest = read(sheet(MAWB_LABEL, FEW_HEADINGS, ANA, BETO, [], [hawb, *ANA[1:]]))
    assert [guide.hawb for guide in manifest.guides] == ["H1", "H2", hawb]


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


def test_a_column_that_most_rows_repeat_is_no_hawb() -> None:
    rows: list[Cells] = [
        ["H1", name, f"{number}", *ANA[3:]] for number, name in enumerate(("Ana", "Beto", "Caro", "Dora"))
    ]
    with pytest.raises(NoRowsParsed, match="'HAWB' is not the HAWB"):
        read(sheet(MAWB_LABEL, FEW_HEADINGS, *rows))
