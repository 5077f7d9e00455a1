"""Layouts that no other test has, confirmed by the command, and what becomes of each change that clients make."""

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from shipments.models import Guide, Manifest
from tests.api.answers import error
from tests.conftest import Caller
from tests.shipments.layouts.fresh_layouts import LAYOUTS, Column, Layout, cycle

pytestmark = pytest.mark.django_db

AIRPORTS = {"PE": "LIM", "AR": "EZE", "CL": "SCL"}
SAMPLE = "045-12345675"
MAWBS = [f"045-{number:07d}{number % 7}" for number in range(1, 20)]


class Client:
    """A company whose layout was confirmed by the command."""

    def __init__(self, layout: Layout, caller: Caller, directory: Path) -> None:
        self.layout, self.caller = layout, caller
        self._mawbs = iter(MAWBS)
        sample, file = directory / f"{layout.country}.xlsx", directory / "answers.json"
        sample.write_bytes(layout.book(SAMPLE, 24))
        file.write_text(json.dumps(layout.answers()), encoding="utf-8")
        arguments = [caller.company.client_code, str(sample), "--country", layout.country, "--answers", str(file)]
        call_command("confirm_layout", *arguments, stdout=StringIO())

    def upload(self, layout: Layout, guides: int = 12, **form: str) -> Any:
        destination = {"destination_airport": AIRPORTS[layout.country]}
        return self.caller.upload(layout.book(next(self._mawbs), guides), **(destination | form))


CHANGED = pytest.mark.parametrize("client", ["headings in two languages"], indirect=True)
"""What a change does follows from the answers, whatever the layout."""


@pytest.fixture
def client(request: Any, company_maker: Callable[..., Caller], tmp_path: Path) -> Client:
    layout = LAYOUTS[request.param]
    return Client(layout, company_maker("FRESH", allowed_countries=[layout.country]), tmp_path)


def codes(response: Any) -> set[str]:
    assert response.status_code == 201, response.json()
    known = ("layout", "values_u", "column_in")
    return {notice["code"] for notice in response.json()["notices"] if notice["code"].startswith(known)}


def added(layout: Layout, *cells: Any, heading: str) -> Layout:
    return replace(layout, columns=[*layout.columns, Column(heading, None, cycle(*cells))])


def weights(response: Any) -> list[str]:
    guides = Guide.objects.filter(manifest_id=response.json()["manifest_id"])
    return sorted(str(weight) for weight in guides.values_list("weight_kg", flat=True))


def refused(response: Any) -> dict[str, Any]:
    assert error(response) == (400, "workbook_format_changed"), response.json()
    answer: dict[str, Any] = response.json()
    return answer


@pytest.mark.parametrize("client", LAYOUTS, indirect=True)
def test_each_is_read_as_told(client: Client) -> None:
    response = client.upload(client.layout)
    assert codes(response) == set()
    answer = response.json()
    assert (answer["guides_created"], answer["questions"]) == (12, [])
    assert {column["strength"] for column in answer["columns"]} <= {"told"}
    told = {column.field for column in client.layout.columns if column.field}
    read = {column["field"].replace("consignee_rut", "consignee_document") for column in answer["columns"]}
    assert told <= read
    assert not Guide.objects.filter(weight_kg=None).exists()
    assert not Guide.objects.filter(fob_usd=None).exists()


@CHANGED
def test_order_case_accents_and_a_kept_column_gone_change_nothing(client: Client) -> None:
    usual = weights(client.upload(client.layout))
    columns = [column for column in reversed(client.layout.columns) if column.field]
    plain = [
        replace(column, heading=column.heading.upper().translate(str.maketrans("ÁÉÍÓÚ", "AEIOU"))) for column in columns
    ]
    response = client.upload(replace(client.layout, columns=plain))
    assert codes(response) <= {"layout_columns_missing"}
    assert weights(response) == usual


@CHANGED
def test_a_further_column_is_said_and_the_reading_stays(client: Client) -> None:
    usual = weights(client.upload(client.layout))
    new = client.upload(added(client.layout, "azul", "rojo", heading="Color de caja"))
    assert (codes(new), weights(new)) == ({"layout_columns_new"}, usual)


@CHANGED
def test_a_core_column_that_is_gone_or_repeated_refuses_the_workbook(client: Client) -> None:
    layout = client.layout
    weight = next(column for column in layout.columns if column.field == "weight_kg")
    gone = refused(client.upload(replace(layout, columns=[each for each in layout.columns if each.field != "fob_usd"])))
    assert gone["missing"]
    twice = refused(client.upload(replace(layout, columns=[*layout.columns, weight])))
    assert [each for each in twice["repeated"] if weight.heading in each]
    assert not {*twice["repeated"]} & {*twice["new"]}
    assert not Manifest.objects.exists()


@CHANGED
@pytest.mark.parametrize("unit", [("MONEDA", "CLP"), ("Unidad de peso", "LB"), ("Peso bruto (lb)", 3.3)])
def test_a_column_that_says_another_unit_or_currency_is_never_read_in_silence(
    client: Client, unit: tuple[str, Any]
) -> None:
    heading, cell = unit
    usual = weights(client.upload(client.layout))
    response = client.upload(added(client.layout, cell, heading=heading))
    if response.status_code == 201:
        assert {notice["code"] for notice in response.json()["notices"]} & {
            "layout_columns_new", "weight_unit_contradicted", "weight_unit_unknown", "currency_unknown",
        }  # fmt: skip
        assert weights(response) in (usual, ["None"] * len(usual))  # read as told, or not at all
    else:
        refused(response)


def test_of_two_layouts_of_one_company_each_upload_is_read_by_its_own(
    company_maker: Callable[..., Caller], tmp_path: Path
) -> None:
    caller = company_maker("BOTH", allowed_countries=["PE", "AR"])
    clients = []
    for number, name in enumerate(("headings in two languages", "always the same destination")):
        (tmp_path / str(number)).mkdir()
        clients.append(Client(LAYOUTS[name], caller, tmp_path / str(number)))
    for number, client in enumerate(clients):
        content = client.layout.book(MAWBS[10 + number])
        assert caller.upload(content).json()["country"] == client.layout.country
        other = clients[1 - number].layout.country
        assert error(caller.upload(content, destination_airport=AIRPORTS[other])) == (400, "no_parser_for_format")
