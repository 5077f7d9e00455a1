"""Where a workbook goes: never to Chile when it says something else, and never anywhere in silence."""

from collections.abc import Callable, Sequence

import pytest

from shipments.errors import DestinationUnresolved
from shipments.manifests.cells import Sheet
from shipments.manifests.sheets.flight import destination_of
from tests.shipments.manifests.destination_cases import DOMESTIC, FOREIGN, LABELS, below, beside, in_column, inside
from tests.shipments.manifests.made_sheets import sheet, surveyed
from tests.shipments.manifests.row_cases import ANA, BETO, ES, LABEL, with_cell


def country(workbook: Sheet, possible: tuple[str, ...] = ("CL",)) -> str:
    """The country taken; `?` where the upload is refused."""
    try:
        return destination_of(surveyed(workbook), possible).country
    except DestinationUnresolved:
        return "?"


WAYS: Sequence[Callable[[str], Sheet]] = (beside, below, inside, in_column)


@pytest.mark.parametrize(("value", "expected"), DOMESTIC)
def test_a_served_destination_is_read_however_it_is_written(value: str, expected: str) -> None:
    assert {write: country(write(value)) for write in WAYS} == dict.fromkeys(WAYS, expected)


@pytest.mark.parametrize("value", FOREIGN)
def test_no_other_destination_is_ever_taken_for_chile(value: str) -> None:
    assert not {country(write(value)) for write in WAYS} & {"CL", "PE", "AR"}


@pytest.mark.parametrize("label", LABELS)
def test_it_is_under_many_words(label: str) -> None:
    assert country(beside("SCL", label)) == "CL"
    assert country(beside("LIM", label)) == "PE"
    assert country(beside("GRU", label)) == "BR"
    assert country(beside("Bogotá", label)) == "?"


def test_a_refusal_quotes_the_cell() -> None:
    with pytest.raises(DestinationUnresolved, match="E1, 'Bogotá, terminal 1'"):
        destination_of(surveyed(beside("Bogotá, terminal 1")), ("CL",))
    with pytest.raises(DestinationUnresolved, match="D1, 'SCL'; F1, 'LIM'"):
        destination_of(surveyed(sheet((*LABEL, "Destino", "SCL", "Destino", "LIM"), ES, ANA)), ("CL",))


@pytest.mark.parametrize("label", ["Ruta", "Route", "Itinerario", "Descarga", "Terminal", "Llega a"])
def test_a_weak_label_counts_only_beside_a_place(label: str) -> None:
    assert country(beside("MIA-LIM", label)) == "PE"
    assert country(beside("Norte 3", label)) == "CL"


def test_a_column_of_communes_is_not_a_destination() -> None:
    workbook = sheet(LABEL, (*ES, "Destino"), (*ANA, "Providencia"), (*BETO, "Ñuñoa"))
    assert country(workbook) == "CL"


class TestNoneTold:
    workbook = sheet(LABEL, ES, ANA, BETO)

    def test_the_one_country_possible_is_taken_with_a_notice(self) -> None:
        found = destination_of(surveyed(self.workbook), ("CL",))
        assert (found.country, [notice.code for notice in found.notices]) == ("CL", ["destination_assumed"])

    @pytest.mark.parametrize("possible", [(), ("CL", "PE")])
    def test_several_or_none_are_refused(self, possible: tuple[str, ...]) -> None:
        assert country(self.workbook, possible) == "?"

    @pytest.mark.parametrize("heading", ["RUC", "RUC del consignatario", "CUIT", "CUIT/CUIL", "CPF", "NIT"])
    def test_tax_numbers_of_another_country_are_refused_and_quoted(self, heading: str) -> None:
        headings = [heading if text == "RUT" else text for text in ES]
        workbook = sheet(LABEL, headings, with_cell(ANA, rut="20512345678"), with_cell(BETO, rut="20123456786"))
        with pytest.raises(DestinationUnresolved, match=heading):
            destination_of(surveyed(workbook), ("CL",))
        assert country(sheet((*LABEL, "Destino", "SCL"), headings, ANA, BETO)) == "CL"

    @pytest.mark.parametrize("heading", ["RUC / RUT", "RUT o DNI", "Tax ID", "RUC"])
    def test_headings_that_may_be_ruts_or_hold_them_contradict_nothing(self, heading: str) -> None:
        headings = [heading if text == "RUT" else text for text in ES]
        assert country(sheet(LABEL, headings, ANA, BETO)) == "CL"
