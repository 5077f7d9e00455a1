"""Several rows with one HAWB."""

from decimal import Decimal

import pytest

from shipments.manifests.cells import Cell
from tests.shipments.manifests.made_sheets import HEADINGS, MAWB_LABEL, manifest, read, row, sheet, warned


class TestSeveralRowsOfOneGuide:
    def test_values_are_summed_descriptions_and_codes_joined_and_packages_are_the_firsts(self) -> None:
        read_manifest = manifest(
            row("H1", description="Polera", packages=2, weight=1, fob="10,50", hs="6109.10"),
            row("H2"),
            row("H1", description="Zapato", packages=1, weight=1, fob=3.25, hs="640399"),
            row("H1", None, None, address=None, description="Zapato", packages=1, weight=1, fob=1, hs="640399"),
        )
        guide = read_manifest.guides[0]
        assert [guide.hawb for guide in read_manifest.guides] == ["H1", "H2"]
        assert (guide.row_index, guide.packages_count, guide.weight_kg) == (3, 2, Decimal("1.000"))
        assert guide.fob_usd == Decimal("14.75")
        assert (guide.description_original, guide.hs_code) == ("Polera, Zapato", "610910, 640399")
        assert [(product.description, product.unit_value) for product in guide.products] == [
            ("Polera", Decimal("10.50")),
            ("Zapato", Decimal("3.25")),
            ("Zapato", Decimal("1.00")),
        ]
        assert read_manifest.warnings == ()
        assert [(notice.code, notice.row_index, notice.hawb) for notice in read_manifest.notices] == [
            ("hawb_rows_merged", 3, "H1"),
            ("packages_differ", 3, "H1"),
        ]

    @pytest.mark.parametrize(
        ("weights", "total"),
        [([1, 1, 1], "1.000"), ([1, 2, 1], "4.000"), ([2, None, None], "2.000"), ([None, None, None], None)],
    )
    def test_a_weight_that_every_row_repeats_counts_once_and_others_add_up(
        self, weights: list[Cell], total: str | None
    ) -> None:
        guide = manifest(*(row("H1", weight=weight) for weight in weights)).guides[0]
        assert guide.weight_kg == (Decimal(total) if total else None)

    def test_what_the_first_row_leaves_out_comes_from_the_next(self) -> None:
        guide = manifest(row("H1", rut=None, packages=None, address=None), row("H1", packages=3)).guides[0]
        assert (guide.consignee_document, guide.consignee_address, guide.packages_count) == ("12345678-5", "Calle 1", 3)

    def test_a_bad_rut_is_reported_once_for_the_guide(self) -> None:
        read_manifest = manifest(row("H1", rut="1-2"), row("H1", rut="1-2"), row("H1", rut="1-2"))
        assert warned(read_manifest) == [(3, "consignee_rut", "rut_invalid_format")]

    def test_cells_merged_down_over_the_rows_say_the_same_for_each(self) -> None:
        rows = [
            row("H1", description="a", weight=3, fob=1),
            row(None, None, None, address=None, description="b", weight=None, fob=2),
            row(None, None, None, address=None, description="c", weight=None, fob=3),
            row("H2"),
        ]
        merged = [(3, column, 5, column) for column in (0, 1, 2, 6)]
        read_manifest = read(sheet(MAWB_LABEL, HEADINGS, *rows, merged=merged))
        assert [guide.hawb for guide in read_manifest.guides] == ["H1", "H2"]
        guide = read_manifest.guides[0]
        assert (guide.weight_kg, guide.fob_usd, guide.description_original) == (Decimal(3), Decimal(6), "a, b, c")

    def test_sums_that_no_column_can_hold_are_left_out(self) -> None:
        read_manifest = manifest(row("H1", weight=9e8), row("H1", weight=8e8))
        assert read_manifest.guides[0].weight_kg is None
        assert warned(read_manifest) == [(3, "weight_kg", "weight_kg_invalid")]


@pytest.mark.parametrize(
    ("rut", "name", "is_other"),
    [
        ("12345678-5", "ROJAS DIAZ, ANA", False),
        ("12345678-5", None, False),
        ("12345678-5", "Anabel Rojasso", True),
        ("11111111-1", "ANA ROJAS", False),
        ("11111111-1", "Ana Rojas Soto", True),  # a placeholder distinguishes nobody: the whole names do
        ("7654321-6", "Ana Rojas", True),
    ],
)
def test_one_document_is_one_person_unless_no_word_of_the_names_agrees(
    rut: Cell, name: Cell, *, is_other: bool
) -> None:
    first = "11111111-1" if rut == "11111111-1" else "12345678-5"
    read_manifest = manifest(row("H1", rut=first), row("h1", name, rut))
    expected = [(4, "hawb", "duplicate_hawb")] if is_other else []
    assert [guide.consignee_name for guide in read_manifest.guides] == ["Ana Rojas"]
    assert warned(read_manifest) == expected
