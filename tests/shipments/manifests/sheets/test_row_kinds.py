"""Rows below the headings that are not guides, and rows that should be guides but cannot."""

from datetime import date

import pytest

from shipments.errors import NoRowsParsed
from shipments.manifests.cells import Cell, Workbook
from shipments.manifests.manifest import FlightFields
from shipments.manifests.sheets.answers import RowsWithoutHawb, Told
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from tests.shipments.manifests.made_sheets import (
    FIRST_ROW,
    HEADINGS,
    MAWB_LABEL,
    Cells,
    manifest,
    noticed,
    row,
    sheet,
    warned,
)


class TestRowsThatAreNoGuides:
    @pytest.mark.parametrize(
        "other",
        [
            ["TOTAL", None, None, None, None, 2, 3, 40],
            ["Total general", None, None, None, None, 2, 3, 40],
            ["SUBTOTAL", None, None, None, None, 2, 3, 40],
            ["Sub total:", None, None, None, None, 2, 3, 40],
            [None, None, None, None, None, 2, 3, 40],
            [None, "TOTAL", None, None, None, 2, 3, 40],
            [None, None, None, None, "TOTALES", 2, 3, 40],
            [None, 2, None, None, None, 2, 3, 40],
            ["TOTAL 2 GUIAS", None, None, None, None, 2, 3, 40],
            ["Firma:", "Juan Soto"],
            ["Firma autorizada", "Juan Soto", None, "Fecha: 25/11/2026"],
            ["Preparado por", "Juan Soto", None, "Fecha", date(2026, 11, 25)],
            ["Observaciones: carga seca"],
            ["MANIFIESTO DE CARGA", None, "Página 2", "de 3"],
            ["MAWB", "045-12345675", "VUELO", "LA501", "ETA", "25/11/2026"],
            list(HEADINGS),
            [heading.upper() + " *" for heading in HEADINGS],
            ["   ", "\u00a0", None, None, " "],
        ],
    )
    def test_totals_footers_and_repeated_headings_end_nothing_and_count_for_nothing(self, other: Cells) -> None:
        read_manifest = manifest(row("H1"), other, row("H2"))
        assert [guide.hawb for guide in read_manifest.guides] == ["H1", "H2"]
        assert (read_manifest.warnings, read_manifest.notices) == ((), ())

    @pytest.mark.parametrize(
        "instruction",
        [
            ["Obligatorio"] * 9,
            ["Texto", "Texto", "Texto", "Texto", "Texto", "Número", "Número", "Número", "Texto"],
            [
                "Máx. 20 caracteres",
                "Nombre completo",
                "Sin puntos",
                "Calle",
                "Qué es",
                "Entero",
                "Con 2 decimales",
                "US$",
                "6",
            ],
            [None, "Nombre completo", "12345678-9", "Calle y número", "En español", "n°", "kilos", "dólares"],
            ["String(35)", "String(70)", "String(12)", "String", "String", "Int", "Decimal(12,3)", "Decimal", "String"],
            [1, 2, 3, 4, 5, 6, 7, 8, 9],
            [*"ABCDEFGHI"],
            ["X(20)", "X(50)", "X(12)", "X(100)", "X(200)", "9(3)", "9(5)", "9(8)", "X(10)"],
            ["(1)", "(2)", "(3)", "(4)", "(5)", "(6)", "(7)", "(8)", "(9)"],
            ["最多20个字符", "最多50个字符", "必填", "选填", "文本", "整数", "数字", "数字", "数字"],
        ],
    )
    def test_a_row_of_instructions_under_the_headings_is_not_a_guide(self, instruction: Cells) -> None:
        read_manifest = manifest(instruction, row("H1"))
        assert [guide.hawb for guide in read_manifest.guides] == ["H1"]
        assert (read_manifest.warnings, read_manifest.notices) == ((), ())

    def test_a_row_marked_as_an_example_is_left_out_with_a_notice(self) -> None:
        read_manifest = manifest(row("Ejemplo: AB123"), row("H1"))
        assert [guide.hawb for guide in read_manifest.guides] == ["H1"]
        assert noticed(read_manifest) == ["example_row_ignored"]
        assert read_manifest.notices[0].row_index == FIRST_ROW

    def test_blank_rows_between_guides_keep_their_numbers(self) -> None:
        read_manifest = manifest(row("H1"), [], [], row("H2"))
        assert [guide.row_index for guide in read_manifest.guides] == [3, 6]

    def test_rows_with_too_little_are_not_a_manifest(self) -> None:
        with pytest.raises(NoRowsParsed):
            manifest(["H1", "Ana"])


class TestHawb:
    @pytest.mark.parametrize(
        ("cell", "hawb"),
        [
            (" hx-1 ", "HX-1"),
            (123456789012345.0, "123456789012345"),
            (1001, "1001"),
            (0.5, "0.5"),
            ("00123", "00123"),
            ("H\x001\u200b\n2\ud800", "H1 2"),
            (date(2026, 11, 25), "2026-11-25"),
        ],
    )
    def test_it_is_text_even_in_a_numeric_cell(self, cell: Cell, hawb: str) -> None:
        assert manifest(row(cell)).guides[0].hawb == hawb

    def test_a_row_without_one_is_reported_and_creates_nothing(self) -> None:
        read_manifest = manifest(row("H1"), row(None), row("  "))
        assert [guide.hawb for guide in read_manifest.guides] == ["H1"]
        assert warned(read_manifest) == [(4, "hawb", "hawb_missing"), (5, "hawb", "hawb_missing")]

    def test_a_product_row_that_leaves_it_out_belongs_to_the_guide_above_where_others_have_such_rows(
        self,
    ) -> None:
        book = row(None, None, None, address=None, description="Libro", weight=0.5, fob=5)
        read_manifest = manifest(row("H1"), book, row("H2", "Beto Soto", "7654321-6"), book, row("H3"))
        assert [guide.description_original for guide in read_manifest.guides] == ["Ropa, Libro", "Ropa, Libro", "Ropa"]
        assert (noticed(read_manifest), warned(read_manifest)) == (["hawb_rows_merged"] * 2, [])

    def test_else_it_is_left_out_and_the_guide_above_reviewed_until_somebody_tells(self) -> None:
        workbook = sheet(MAWB_LABEL, HEADINGS, row("H1"), row(None, None, None, address=None, description="Libro"))
        found: dict[str, tuple[str, tuple[str, ...], list[str]]] = {}
        rules: tuple[RowsWithoutHawb, ...] = ("", "products", "left_out")
        for rule in rules:
            found_in = survey(Workbook(sheets=(workbook,)), Told(rows_without_hawb=rule))
            read_manifest = read_survey("CL", found_in, FlightFields())
            (guide,), account = read_manifest.guides, read_manifest.rows
            assert account is not None
            found[rule] = (guide.description_original, guide.review_reasons, [left.reason for left in account.named])
        assert found == {
            "": ("Ropa", ("belongs_unclear",), ["belongs_unclear"]),
            "products": ("Ropa, Libro", (), []),
            "left_out": ("Ropa", (), ["hawb_missing"]),
        }

    def test_a_product_row_further_down_is_reported(self) -> None:
        read_manifest = manifest(row("H1"), [], row(None, None, None, address=None))
        assert warned(read_manifest) == [(5, "hawb", "hawb_missing")]

    def test_a_number_that_the_spreadsheet_rounded_is_reported_once(self) -> None:
        read_manifest = manifest(row(1.23456789012345e17), row(1.23456789012346e17))
        assert [guide.hawb for guide in read_manifest.guides] == ["123456789012345000", "123456789012346000"]
        assert noticed(read_manifest) == ["hawb_digits_rounded"]

    def test_one_hawb_for_two_people_keeps_the_first_row(self) -> None:
        read_manifest = manifest(row("H1"), row("h1", "Beto Soto", "7654321-6"))
        assert [guide.consignee_name for guide in read_manifest.guides] == ["Ana Rojas"]
        assert warned(read_manifest) == [(4, "hawb", "duplicate_hawb")]

    def test_people_who_share_a_placeholder_rut_are_distinguished_by_name(self) -> None:
        read_manifest = manifest(row("H1", rut="11111111-1"), row("H1", "Beto Soto", "11111111-1"))
        assert warned(read_manifest) == [(4, "hawb", "duplicate_hawb")]
