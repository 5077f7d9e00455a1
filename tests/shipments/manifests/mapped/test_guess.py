"""A draft from a sample: what is guessed, with its evidence, and what never is."""

import pytest

from shipments.manifests.cells import Cell, Workbook
from shipments.manifests.mapped.given import beside
from shipments.manifests.mapped.guess import draft
from shipments.manifests.mapped.sample import find_headings, labelled_cells
from shipments.manifests.mapped.spec import missing_fields
from tests.shipments.manifests.made_sheets import MAWB_LABEL, Cells, sheet

HEADINGS = ("HAWB", "Consignatario", "RUC", "Contenido", "Peso", "Valor FOB", "Categoría", "Rarezas")


def drafted(*rows: Cells, headings: Cells = HEADINGS, country: str = "PE") -> tuple[dict[str, str | None], list[str]]:
    content, guesses = draft(Workbook(sheets=(sheet(MAWB_LABEL, headings, *rows),)), country, "ACME")
    fields = {column["heading"]: column["field"] for column in content["columns"]}
    return fields, [guess.confidence for guess in guesses]


def row(weight: Cell = 1.5, number: str = "20601234565") -> Cells:
    return ("H1", "Ana Rojas", number, "Ropa", weight, 20, 2, "raro")


def test_known_words_with_fitting_values_are_sure_and_unknown_ones_are_not_guessed() -> None:
    fields, confidence = drafted(row(), row())
    assert fields == {
        "HAWB": "hawb", "Consignatario": "consignee_name", "RUC": "consignee_document",
        "Contenido": "description_original", "Peso": "weight_kg", "Valor FOB": "fob_usd", "Categoría": "category",
        "Rarezas": None,
    }  # fmt: skip
    assert confidence == [*["sure"] * 7, "none"]


def test_values_that_do_not_fit_make_a_guess_doubtful_and_leave_it_out() -> None:
    fields, confidence = drafted(row(number="12"), row(number="13"))
    assert (fields["RUC"], confidence[2]) == (None, "doubtful")


@pytest.mark.parametrize(("heading", "confidence"), [("RUC", "sure"), ("RUT", "doubtful")])
def test_a_document_of_another_country_is_doubtful_even_if_its_values_fit(heading: str, confidence: str) -> None:
    headings = [heading if each == "RUC" else each for each in HEADINGS]
    content, guesses = draft(Workbook(sheets=(sheet(MAWB_LABEL, headings, row(), row()),)), "PE", "ACME")
    guess = next(each for each in guesses if each.heading == heading)
    column = next(each for each in content["columns"] if each["heading"] == heading)
    assert (guess.field, guess.is_foreign) == ("consignee_document", confidence == "doubtful")
    assert (guess.confidence == "doubtful", column["field"] is None) == (guess.is_foreign, guess.is_foreign)


@pytest.mark.parametrize(("country", "key"), [("PE", "brand"), ("CL", None)])
def test_data_that_the_countrys_customs_asks_for_is_known_by_the_house_templates_heading(
    country: str, key: str | None
) -> None:
    headings = [*HEADINGS[:-1], "MARCA"]
    content, _ = draft(Workbook(sheets=(sheet(MAWB_LABEL, headings, row(), row()),)), country, "ACME")
    assert (content["columns"][-1]["field"], content["columns"][-1].get("key")) == (key and "extra_data", key)


def test_a_column_that_counts_the_rows_does_not_compete_for_the_hawb() -> None:
    rows = [(number, *row()) for number in (1, 2, 3)]
    fields, confidence = drafted(*rows, headings=("N°", *HEADINGS))
    assert (fields["HAWB"], confidence[:2]) == ("hawb", ["none", "sure"])


@pytest.mark.parametrize(("weight", "unit"), [(1.5, "kg"), (1500, None), (0.001, None)])
def test_the_unit_of_unlikely_weights_is_left_to_a_person(weight: float, unit: str | None) -> None:
    content, _ = draft(Workbook(sheets=(sheet(MAWB_LABEL, HEADINGS, row(weight)),)), "PE", "ACME")
    column = next(each for each in content["columns"] if each["field"] == "weight_kg")
    assert column.get("unit") == unit


def test_columns_of_units_and_currencies_are_proposed_instead_of_a_fixed_unit() -> None:
    headings = (*HEADINGS[:5], "Unidad", *HEADINGS[5:6], "Moneda")
    rows = [(*row()[:5], unit, 20, currency) for unit, currency in (("KG", "USD"), ("LB", "CLP"), ("KG", "USD"))]
    content, guesses = draft(Workbook(sheets=(sheet(MAWB_LABEL, headings, *rows),)), "PE", "ACME")
    fields = {column["heading"]: column["field"] for column in content["columns"]}
    assert (fields["Unidad"], fields["Moneda"]) == ("weight_unit", "currency")
    assert [guesses[at].confidence for at in (5, 7)] == ["likely", "sure"]
    assert not [column for column in content["columns"] if "unit" in column]


def test_a_sheet_of_unknown_words_is_drafted_without_fields() -> None:
    headings = ("Alfa", "Beta", "Gama", "Delta", "Epsilon", "Zeta", "Eta", "Theta")
    content, _ = draft(Workbook(sheets=(sheet(MAWB_LABEL, headings, row()),)), "PE", "ACME")
    assert [column["heading"] for column in content["columns"]] == [*headings]
    assert set(missing_fields("PE", {column["field"] for column in content["columns"]})) == {
        "hawb", "consignee_name", "consignee_document", "description_original", "weight_kg", "fob_usd",
    }  # fmt: skip


def test_the_number_beside_the_documents_type_is_the_documents() -> None:
    headings = ("Código", "T.Doc", "Nro.", *HEADINGS[1:2], *HEADINGS[3:])
    rows = [(f"L{number}", "6", "20601234565", "Sur SAC", "Ropa", 1.5, 20, 2, "raro") for number in (1, 2)]
    fields, confidence = drafted(*rows, headings=headings)
    assert (fields["Nro."], confidence[2]) == ("consignee_document", "likely")
    assert "hawb" not in fields.values()


@pytest.mark.parametrize("given", ["Nombre", "First name", "Nombres"])
def test_a_surname_in_a_column_of_its_own_is_not_lost(given: str) -> None:
    headings = ["HAWB", "Apellido", given, *HEADINGS[2:]]
    rows = [("H1", "Rojas", "Ana", *row()[2:]), ("H2", "Soto", "Luis", *row()[2:])]
    fields, _confidence = drafted(*rows, headings=headings)
    assert (fields["Apellido"], fields[given]) == ("surname", "given_name")


def test_a_mawb_behind_its_label_in_one_cell_is_offered_and_read() -> None:
    rows = [("H1", "Ana Rojas", "20601234565", "Ropa", 1.5, 20, 2, "raro")]
    book = Workbook(sheets=(sheet(("Guia aerea 045-12345675",), (), HEADINGS, *rows),))
    place = find_headings(book)
    assert place is not None
    (found,) = labelled_cells(book, place)
    assert (found.field, found.label, found.value) == ("mawb", "Guia aerea", "045-12345675")
    assert [*beside(book, found.label)] == ["045-12345675"]
