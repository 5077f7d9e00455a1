"""Finding one's way: where the MAWB, the headings and the flight stand, and which column serves which field."""

from collections.abc import Sequence

import pytest

from shipments.errors import MawbNotFoundInFile, NoRowsParsed
from shipments.manifests.cells import Cell, Sheet
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB, Cells, read, sheet, table


class TestMawb:
    @pytest.mark.parametrize(
        "above",
        [
            [["MAWB", MAWB]],
            [["MAWB", None, None, MAWB]],
            [["MAWB", ":", MAWB]],
            [["MAWB: 045-12345675"]],
            [["MAWB 04512345675"]],
            [["GUIA MASTER N° 045 1234 5675"]],
            [["MAWB", 4512345675.0]],
            [["MAWB"], [MAWB]],
            [["MAWB"], [], [MAWB]],
            [["VUELO", "MAWB", "BULTOS"], ["LA501", 4512345675, 8]],
            [["045 12345675"], ["MAWB"]],
            [["AWB No.", "04512345675"]],
            [["MANIFIESTO DE CARGA 045-12345675"]],
            [["MAWB: 045-12345675   VUELO: LA501   ETA: 25/11/2026 14:30"]],
            [["x" * 31_000], ["MAWB", MAWB]],
        ],
    )
    def test_it_is_found_wherever_it_is_above_the_table(self, above: list[list[Cell]]) -> None:
        assert read(table(*above)).mawb == MAWB

    def test_it_is_found_below_the_table(self) -> None:
        assert read(sheet(FEW_HEADINGS, ANA, [], ["MAWB", None, MAWB])).mawb == MAWB

    @pytest.mark.parametrize("heading", ["Guía Master", "AWB", "GUIA"])
    @pytest.mark.parametrize("value", ["045 12345675", 4512345675.0])
    def test_it_is_found_in_a_column_that_repeats_it(self, heading: str, value: Cell) -> None:
        manifest = read(sheet([heading, *FEW_HEADINGS], [value, *ANA], [value, *BETO]))
        assert manifest.mawb == MAWB
        assert [guide.hawb for guide in manifest.guides] == ["H1", "H2"]

    def test_it_is_found_on_the_first_row_of_a_column_that_does_not_repeat_it(self) -> None:
        assert read(sheet(["MAWB", *FEW_HEADINGS], [MAWB, *ANA], [None, *BETO])).mawb == MAWB

    def test_it_is_found_on_the_tab_when_it_is_nowhere_else(self) -> None:
        assert read(sheet(FEW_HEADINGS, ANA, name=f"MAWB {MAWB}")).mawb == MAWB

    def test_the_labelled_one_counts_among_several(self) -> None:
        assert read(table(["Anula al 123-11111111"], ["MAWB", MAWB])).mawb == MAWB

    @pytest.mark.parametrize(
        "sheets",
        [
            [table(["MAWB", MAWB], ["MAWB", "123-11111111"])],
            [table(["MAWB", MAWB]), sheet(["MAWB", "123-11111111"])],
            [sheet(["MAWB", *FEW_HEADINGS], [MAWB, *ANA], ["123-11111111", *BETO])],
            [sheet(["MAWB", "123-11111111"], ["MAWB", *FEW_HEADINGS], [MAWB, *ANA])],
        ],
    )
    def test_two_labelled_ones_that_disagree_are_refused_by_name(self, sheets: Sequence[Sheet]) -> None:
        with pytest.raises(MawbNotFoundInFile) as refusal:
            read(*sheets)
        assert MAWB in refusal.value.message
        assert "123-11111111" in refusal.value.message

    @pytest.mark.parametrize("sheets", [[], [sheet()], [sheet([*FEW_HEADINGS, "Fono"], [*ANA, "569-12345678"])]])
    def test_without_one_anywhere_the_workbook_is_refused(self, sheets: Sequence[Sheet]) -> None:
        with pytest.raises(MawbNotFoundInFile):
            read(*sheets)

    @pytest.mark.parametrize(
        "above",
        [
            [["RUC: 20512345678"]],
            [["MAWB anterior", "045-12345675"]],
            [["HAWB: 045-12345675"]],
            [],
        ],
    )
    def test_nothing_else_is_taken_for_one(self, above: list[list[Cell]]) -> None:
        with pytest.raises(MawbNotFoundInFile):
            read(table(*above))

    def test_a_wrong_check_digit_is_a_notice_and_no_refusal(self) -> None:
        manifest = read(table(["MAWB", "123-12345678"]))
        assert manifest.mawb == "123-12345678"
        assert [notice.code for notice in manifest.notices] == ["mawb_check_digit_mismatch"]
        assert manifest.warnings == ()


class TestHeadings:
    @pytest.mark.parametrize("row", [1, 2, 30])
    def test_they_are_found_in_any_of_the_first_thirty_rows(self, row: int) -> None:
        above: list[list[Cell]] = [[f"Línea {number}"] if number % 3 else [] for number in range(1, row)]
        manifest = read(table(*above), sheet(["MAWB", MAWB]))
        assert [guide.row_index for guide in manifest.guides] == [row + 1, row + 2]

    @pytest.mark.parametrize(
        "above",
        [
            [["MANIFIESTO DE CARGA"], [], ["TOTAL GUIAS", 2, "TOTAL BULTOS", 3, "PESO TOTAL", 3.5]],
            [["CONSIGNATARIO", "ACME LTDA"]],
            [["SHIPPER:", "Acme", "CONSIGNEE:", "Andes"], ["ORIGEN", "MIA", "DESTINO", "SCL"]],
            [["Guía", "Peso", "Bultos"], ["Total", 3.5, 3]],
        ],
    )
    def test_rows_of_labels_above_are_not_taken_for_them(self, above: list[list[Cell]]) -> None:
        manifest = read(table(["MAWB", MAWB], *above))
        assert [guide.hawb for guide in manifest.guides] == ["H1", "H2"]
        assert manifest.warnings == ()

    def test_a_group_row_reaches_up_to_the_next_group_where_nothing_is_merged(self) -> None:
        manifest = read(
            sheet(
                ["MAWB", MAWB],
                ["GUIA", "SHIPPER", None, "CONSIGNEE", None, None, "PESO", None],
                ["HIJA", "NAME", "ADDRESS", "NAME", "RUT", "ADDRESS", "BRUTO", "VOLUMEN"],
                ["H1", "Acme", "Miami", "Ana", "12345678-5", "Calle 1", 1.5, 9],
            )
        )
        guide = manifest.guides[0]
        assert (guide.shipper_name, guide.consignee_name, guide.consignee_address) == ("Acme", "Ana", "Calle 1")
        assert str(guide.weight_kg) == "1.500"

    def test_without_known_headings_the_refusal_names_them(self) -> None:
        with pytest.raises(NoRowsParsed, match="Consignatario"):
            read(sheet(["MAWB", MAWB], ANA, BETO))

    def test_headings_without_a_guide_are_refused(self) -> None:
        with pytest.raises(NoRowsParsed, match="no guide under it"):
            read(sheet(["MAWB", MAWB], FEW_HEADINGS, ["TOTAL", None, None, None, 0, 0]))


class TestSheets:
    def test_sheets_with_the_same_headings_are_one_table(self) -> None:
        manifest = read(
            sheet(["Instrucciones"], ["HAWB: número de guía"], name="Ayuda"),
            sheet(FEW_HEADINGS, name="Vacía"),
            table(["MAWB", MAWB], name="Enero"),
            sheet(FEW_HEADINGS, ("H9", *ANA[1:]), name="Febrero"),
        )
        assert [guide.hawb for guide in manifest.guides] == ["H1", "H2", "H9"]
        assert manifest.notices == ()


def test_columns_that_may_have_the_mawb_are_asked_where_it_is_not_found() -> None:
    headings = [*FEW_HEADINGS, "Consolidado", "Ref. vuelo"]
    rows: list[Cells] = [[*ANA, "045-12345675", "045-12345686"], [*BETO, "045-12345686", "045-12345675"]]
    with pytest.raises(MawbNotFoundInFile) as refused:
        read(sheet(headings, *rows))
    questions = refused.value.extras["questions"]
    assert isinstance(questions, list)
    (asked,) = questions
    assert (asked["field"], asked["reason"]) == ("mawb", "rival")
    assert [column["heading"] for column in asked["columns"]] == ["Consolidado", "Ref. vuelo"]
    with pytest.raises(MawbNotFoundInFile) as nothing:
        read(sheet(FEW_HEADINGS, ANA, BETO))
    assert "questions" not in nothing.value.extras


@pytest.mark.parametrize(
    ("headings", "prefix", "serial"),
    [
        (("MAWB prefix", "MAWB number"), "045", "12345675"),
        (("Prefijo", "Número master"), 45, 12345675),
        (("Aerolínea", "MAWB"), "045", "1234 5675"),
    ],
)
def test_a_mawb_in_two_columns_is_read(headings: Cells, prefix: Cell, serial: Cell) -> None:
    manifest = read(sheet([*headings, *FEW_HEADINGS], [prefix, serial, *ANA], [prefix, serial, *BETO]))
    assert (manifest.mawb, manifest.kept) == (MAWB, ())


@pytest.mark.parametrize(
    ("headings", "serial"), [(("Prefijo", "MAWB"), "12345670"), (("Prefix", "Serial"), "12345675")]
)
def test_two_columns_that_may_be_a_mawb_are_asked(headings: Cells, serial: str) -> None:
    """The check digit is wrong, or no heading names the MAWB."""
    with pytest.raises(MawbNotFoundInFile) as refused:
        read(sheet([*headings, *FEW_HEADINGS], ["045", serial, *ANA], ["045", serial, *BETO]))
    questions = refused.value.extras["questions"]
    assert isinstance(questions, list)
    assert [[column["heading"] for column in asked["columns"]] for asked in questions] == [[*headings]]


def test_a_refusal_quotes_every_heading() -> None:
    headings = [f"Zafra {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    with pytest.raises(NoRowsParsed, match=r"“Zafra a”.*“Zafra z”"):
        read(sheet(["MAWB", MAWB], ["RUT", "Peso", *headings], ["12345678-5", 1, *headings]))
