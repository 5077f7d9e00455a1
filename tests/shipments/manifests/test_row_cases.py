"""Workbooks as they come: every case of the tables in `row_cases` and `sheet_cases` is read as it is meant."""

import pytest
from hypothesis import given, settings, strategies as st

from base.errors import DomainError
from shipments.errors import GuidesLeftUnread, NoRowsParsed
from shipments.manifests.cells import Cell
from shipments.manifests.manifest import MOST_NAMED
from tests.examples import examples
from tests.shipments.manifests.made_sheets import read, said, sheet
from tests.shipments.manifests.row_cases import ANA, BETO, ES, LABEL, Case, outcome
from tests.shipments.manifests.sheet_cases import CLASSES
from tests.shipments.manifests.sheets.test_any_sheet import cells

CASES = [pytest.param(given, id=f"{name}: {given.name}") for name, cases in CLASSES.items() for given in cases]


@pytest.mark.parametrize("workbook", CASES)
def test_it_is_read_as_it_is_meant(workbook: Case) -> None:
    assert outcome(workbook) == "right"


# Rows that look more like a manifest's than `cells` alone do, so that products, totals and page breaks come up.
plausible = st.one_of(
    st.tuples(
        st.sampled_from([None, "H1", "H2", "H3", "TOTAL", 3, "Firma", "1,2E+11"]),
        st.sampled_from([None, "Ana Rojas", "Beto Soto", "2 guías"]),
        st.sampled_from([None, "12345678-5", "7654321-6"]),
        st.sampled_from([None, "Ropa", "Flete", "TOTALES"]),
        st.sampled_from([None, 1, 2]),
        st.sampled_from([None, 1.5, 3, "kilos"]),
        st.sampled_from([None, 20, 40, "USD"]),
    ),
    st.just(ES),
    st.just(ES[::-1]),
    st.just(("País", "Guías", "Bultos", "Peso", "Valor")),
    st.lists(cells, max_size=9),
)


@settings(max_examples=examples(200), deadline=None)
@given(below=st.lists(plausible, max_size=14), more=st.lists(plausible, max_size=4))
def test_every_row_under_the_headings_is_accounted_for(below: list[list[Cell]], more: list[list[Cell]]) -> None:
    sheets = [sheet(LABEL, ES, ANA, BETO, *below), sheet(LABEL, ES, *more, name="Otra")]
    try:
        manifest = read(*sheets)
    except DomainError:
        return
    assert manifest.rows is not None
    account = manifest.rows
    assert account.in_table == account.guides + account.products + account.totals + account.left_out
    assert account.guides == len(manifest.guides)
    assert len(account.named) == min(account.left_out, MOST_NAMED)
    assert account.in_table >= sum(number > 2 for number, _ in sheets[0].rows) - 3  # rows of remarks under the headings


def test_rows_left_out_are_named_with_their_reasons_and_hawbs() -> None:
    manifest = read(sheet(LABEL, ES, ANA, ("AND2612150009", None, None, None, 1, 7, 70), ES, BETO, ("Firma:",)))
    assert manifest.rows is not None
    assert [(left.row_index, left.reason, left.hawb) for left in manifest.rows.named] == [
        (4, "no_consignee", "AND2612150009"),
        (5, "heading", ""),
        (7, "note", ""),
    ]
    (notice,) = manifest.notices
    assert notice.code == "rows_left_out"
    assert "4 (AND2612150009)" in said(notice)


def test_many_rows_left_out_are_counted_and_the_first_fifty_named() -> None:
    lost = [(f"AND26121600{number:02}", None, None, None, 1, number, 70) for number in range(60)]
    account = read(sheet(LABEL, ES, ANA, *lost, ("Firma:",))).rows
    assert account is not None
    assert (account.left_out, len(account.named)) == (61, MOST_NAMED)
    assert {left.reason for left in account.named} == {"no_consignee"}


def test_guides_under_headings_without_a_hawb_refuse_the_workbook_by_row() -> None:
    with pytest.raises(GuidesLeftUnread, match=r"Row 4 .* has other headings") as refusal:
        read(sheet(LABEL, ES, ANA, ES[1:], BETO[1:]))
    assert list(refusal.value.details) == ["manifest_file"]


def test_without_headings_the_nearest_row_is_named_with_what_it_lacks() -> None:
    with pytest.raises(NoRowsParsed, match=r"Row 2 of the sheet 'Hoja1' comes nearest; it lacks HAWB, Descripción"):
        read(sheet(LABEL, ("Consignatario", "RUT", "Peso (kg)", "Valor FOB"), ANA[1:3]))
