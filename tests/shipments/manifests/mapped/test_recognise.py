"""Which workbooks have a format in full, which have it changed, and how they differ."""

from collections.abc import Sequence

import pytest

from shipments.errors import GuidesLeftUnread, MawbNotFoundInFile
from shipments.manifests.cells import Cell
from tests.shipments.manifests.made_sheets import MAWB_LABEL, noticed, sheet
from tests.shipments.manifests.mapped.mapping import HEADINGS, ROW, read, recognised, spec, table


@pytest.mark.parametrize(
    ("headings", "likeness"),
    [
        (HEADINGS, "full"),
        (HEADINGS[::-1], "full"),
        ([heading.upper() for heading in HEADINGS], "full"),
        ([f"{heading}:" for heading in HEADINGS], "full"),
        ([*HEADINGS, "Nota"], "full"),
        ([*HEADINGS, None, "Nota"], "full"),
        ([*HEADINGS[:5], "Dinero"], "changed"),
        ([*HEADINGS[:3], "a", "b", "c"], "changed"),
        ([*HEADINGS[:2], "a", "b", "c", "d"], "unlike"),
        ([*HEADINGS, "Quién"], "changed"),
        ([*HEADINGS, "Moneda"], "changed"),
        ([*HEADINGS, "Unidad de peso"], "changed"),
        ([*HEADINGS, "Tipo de documento"], "changed"),
        (["HAWB", "Consignatario", "RUT", "Contenido", "Peso", "FOB"], "unlike"),
    ],
)
def test_headings_alone_make_a_format(headings: Sequence[str | None], likeness: str) -> None:
    row: list[Cell] = [*ROW, *["x"] * (len(headings) - len(ROW))]
    found = recognised(table(headings, row))
    assert likeness == ("full" if found.full else "changed" if found.changed else "unlike")


def test_an_accepted_spelling_is_the_same_column() -> None:
    renamed = (*HEADINGS[:5], "Dinero")
    columns = spec().columns
    assert not recognised(table(renamed)).full
    from msgspec.structs import replace  # noqa: PLC0415

    accepted = replace(spec(), columns=(*columns[:5], replace(columns[5], also=("DINERO",))))
    assert recognised(table(renamed), specs=(accepted,)).full


def test_the_format_with_most_mapped_columns_comes_first() -> None:
    wide = spec({"heading": "Bultos", "field": "packages_count"}, name="ANCHO")
    found = recognised(table((*HEADINGS, "Bultos"), (*ROW, 2)), specs=(spec(), wide))
    assert [matches[0].format.name for matches in found.full] == ["ANCHO", "ACME"]


def test_a_column_without_a_heading_is_known_by_the_one_to_its_left() -> None:
    by = spec({"heading": "", "right_of": "Papel", "field": "consignee_phone"})
    headings = (*HEADINGS[:3], None, *HEADINGS[3:])
    parsed = read(table(headings, (*ROW[:3], "999", *ROW[3:])), by=by)
    assert parsed.guides[0].consignee_phone == "999"


def test_headings_that_come_again_are_a_page_break() -> None:
    parsed = read(table(HEADINGS, ROW, HEADINGS, ("A2", *ROW[1:])))
    assert [guide.hawb for guide in parsed.guides] == ["A1", "A2"]


def test_every_sheet_that_has_the_format_is_read_unless_it_names_one() -> None:
    sheets = table(name="Uno"), table(HEADINGS, ("A2", *ROW[1:]), name="Dos")
    assert [guide.hawb for guide in read(*sheets).guides] == ["A1", "A2"]
    with pytest.raises(GuidesLeftUnread):
        read(table(name="Uno"), table(HEADINGS, ("A2", *ROW[1:]), name="Dos"), by=spec(sheet="uno"))


@pytest.mark.parametrize(
    ("name", "surname", "expected"),
    [("Ana", "Rojas", "Ana Rojas"), ("Ana Rojas", "Rojas", "Ana Rojas"), ("", "Rojas", "Rojas")],
)
def test_a_surname_beside_a_name_completes_it_once(name: str, surname: str, expected: str) -> None:
    by = spec({"heading": "Apellidos", "field": "surname"})
    parsed = read(table((*HEADINGS, "Apellidos"), ("A1", name, *ROW[2:], surname)), by=by)
    assert parsed.guides[0].consignee_name == expected


def test_two_mawbs_beside_the_formats_label_are_a_contradiction() -> None:
    by = spec(mawb={"label": "Papel madre"})
    with pytest.raises(MawbNotFoundInFile, match="more than one"):
        read(sheet(("Papel madre", "045-12345675"), ("Papel madre", "045-12345686"), HEADINGS, ROW), by=by)


def test_guides_under_other_headings_are_never_read_by_the_format() -> None:
    others = ("HAWB", "Consignatario", "RUT", "Peso (kg)", "Valor FOB")
    below = sheet(MAWB_LABEL, HEADINGS, ROW, (), others, ("H9", "Beto Soto", "12345678-5", 2, 30))
    with pytest.raises(GuidesLeftUnread, match="other headings"):
        read(below)
    with pytest.raises(GuidesLeftUnread, match="Hoja2"):
        read(table(), sheet(others, ("H9", "Beto Soto", "12345678-5", 2, 30), name="Hoja2"))


def test_a_summary_of_the_same_guides_is_passed_over_with_a_notice() -> None:
    summary = sheet(("HAWB", "Consignatario", "Peso (kg)"), ("A1", "Ana Rojas", 1.5), name="Resumen")
    assert noticed(read(table(), summary)) == ["sheet_ignored", "customs_details_missing"]


def test_a_sheet_with_the_format_changed_is_not_left_out_beside_one_that_has_it() -> None:
    renamed = table((*HEADINGS[:5], "Dinero"), ("A2", *ROW[1:]), name="Dos")
    with pytest.raises(GuidesLeftUnread, match="A2"):
        read(table(), renamed)
    assert noticed(read(table(), table((*HEADINGS[:5], "Dinero"), name="Dos"))) == [
        "sheet_ignored",
        "customs_details_missing",
    ]


def test_a_new_column_on_several_sheets_is_noticed_once() -> None:
    headings = (*HEADINGS, "Nota")
    sheets = [table(headings, (f"A{number}", *ROW[1:], "x"), name=f"H{number}") for number in (1, 2)]
    assert noticed(read(*sheets)) == ["format_column_new", "customs_details_missing"]
