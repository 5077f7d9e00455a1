"""Layouts that no other test has: from a draft to an upload, and what becomes of each change that clients make."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from shipments.models import FormatAlarm, FormatTest, Guide, Manifest
from tests.api.answers import error
from tests.conftest import Caller
from tests.country_scope.operators import operator_of, text_of
from tests.shipments.formats.fresh_layouts import LAYOUTS, Column, Layout, cycle
from tests.shipments.formats.layouts_of_clients import run

pytestmark = pytest.mark.django_db

AIRPORTS = {"PE": "LIM", "AR": "EZE", "CL": "SCL"}
SAMPLE = "045-12345675"
MAWBS = [f"045-{number:07d}{number % 7}" for number in range(1, 20)]


class Client:
    """A company whose layout was onboarded by the commands."""

    def __init__(self, layout: Layout, caller: Caller, directory: Path) -> None:
        self.layout, self.caller = layout, caller
        self._mawbs = iter(MAWBS)
        sample, file = directory / f"{layout.country}.xlsx", directory / "format.json"
        sample.write_bytes(layout.book(SAMPLE, 24))
        code = caller.company.client_code
        drafted = json.loads(run("draft_format", code, layout.country, str(sample), *layout.row()))["format"]
        by_place = dict(enumerate(drafted["columns"]))
        for place, column in enumerate(layout.columns):
            kept = {key: by_place[place][key] for key in ("heading", "group") if key in by_place[place]}
            by_place[place] = {**kept, "field": column.field, **column.told}
        file.write_text(json.dumps({**drafted, "columns": [*by_place.values()], **layout.told}), encoding="utf-8")
        self.imported = run("import_format", code, str(file), "--sample", str(sample), "--publish")

    def upload(self, layout: Layout, guides: int = 12, **form: str) -> Any:
        destination = {"destination_airport": AIRPORTS[layout.country]}
        return self.caller.upload(layout.book(next(self._mawbs), guides), **(destination | form))


@pytest.fixture(params=LAYOUTS)
def client(request: Any, company_maker: Callable[..., Caller], tmp_path: Path) -> Client:
    layout = LAYOUTS[request.param]
    return Client(layout, company_maker("FRESH", allowed_countries=[layout.country]), tmp_path)


def codes(response: Any) -> set[str]:
    assert response.status_code == 201, response.json()
    return {
        notice["code"] for notice in response.json()["notices"] if notice["code"].startswith(("format", "values_u"))
    }


def added(layout: Layout, *cells: Any, heading: str) -> Layout:
    return replace(layout, columns=[*layout.columns, Column(heading, None, cycle(*cells))])


def weights(response: Any) -> list[str]:
    guides = Guide.objects.filter(manifest_id=response.json()["manifest_id"])
    return sorted(str(weight) for weight in guides.values_list("weight_kg", flat=True))


def refused(response: Any) -> str:
    assert error(response) == (400, "workbook_format_changed"), response.json()
    return str(response.json()["message"])


def test_each_is_onboarded_with_a_kept_test_and_read(client: Client) -> None:
    response = client.upload(client.layout)
    assert codes(response) == set()
    assert response.json()["guides_created"] == 12
    assert not Guide.objects.filter(weight_kg=None).exists()
    assert "No test" not in client.imported
    assert FormatTest.objects.get().name.startswith("sample of")
    assert run("test_formats") == "1 tests, 0 read differently\n"


def test_order_case_accents_and_an_ignored_column_gone_change_nothing(client: Client) -> None:
    usual = weights(client.upload(client.layout))
    columns = [column for column in reversed(client.layout.columns) if column.field]
    plain = [
        replace(column, heading=column.heading.upper().translate(str.maketrans("ÁÉÍÓÚ", "AEIOU"))) for column in columns
    ]
    below: Sequence[Any] = [["TOTAL"]] if client.layout.below else []
    response = client.upload(replace(client.layout, columns=plain, below=below))
    assert (codes(response), weights(response)) == (set(), usual)


def test_optional_new_and_competing_columns_are_reported_and_the_reading_stays(client: Client) -> None:
    layout = client.layout
    usual = weights(client.upload(layout))
    city = next(
        place for place, column in enumerate(layout.columns) if column.field in {"consignee_city", "platform_name"}
    )
    columns = [column for place, column in enumerate(layout.columns) if place != city]
    assert codes(client.upload(replace(layout, columns=columns))) == {"format_column_missing"}
    new = client.upload(added(layout, "azul", "rojo", heading="Color de caja"))
    assert (codes(new), weights(new)) == ({"format_column_new"}, usual)
    competing = client.upload(added(layout, 9.5, heading="Peso bruto total (kg)"))
    assert (codes(competing), weights(competing)) == ({"format_column_competes"}, usual)
    assert FormatAlarm.objects.get().kind == "competes"


def test_columns_that_change_what_others_mean_refuse_the_workbook(client: Client) -> None:
    for heading, cells in (("MONEDA", ["CLP"]), ("UNIDAD", ["GR"]), ("DV", [5]), ("Medida", ["LB", "LB"])):
        assert heading in refused(client.upload(added(client.layout, *cells, heading=heading)))
    assert not Manifest.objects.exists()
    assert FormatAlarm.objects.count() == 4


def test_a_required_column_renamed_gone_or_repeated_refuses_the_workbook(client: Client) -> None:
    layout = client.layout
    place = layout.place("weight_kg")
    old = layout.columns[place].heading
    renamed = layout.changed(place, heading="Masa final")
    assert re.search(rf"{re.escape(old)}.*Masa final", refused(client.upload(renamed)))
    refused(client.upload(renamed))
    assert FormatAlarm.objects.get().count == 2
    gone = replace(layout, columns=[column for column in layout.columns if column.field != "fob_usd"])
    assert layout.columns[layout.place("fob_usd")].heading in refused(client.upload(gone))
    assert "repeated" in refused(client.upload(replace(layout, columns=[*layout.columns, layout.columns[place]])))
    assert not Manifest.objects.exists()


def test_values_of_another_unit_are_read_as_told_and_marked(client: Client) -> None:
    layout = client.layout
    cell = layout.columns[layout.place("weight_kg")].cell
    heavy = layout.changed(layout.place("weight_kg"), cell=lambda number: _times(cell(number), 1000))
    response = client.upload(heavy, guides=30)
    assert codes(response) == {"values_unlike_format"}
    assert not Guide.objects.filter(needs_review=False).exists()
    alarm = FormatAlarm.objects.get()
    shown = operator_of(layout.country, role="Onboarding").get(
        reverse("admin:shipments_workbookformat_change", args=[alarm.format_id])
    )
    assert alarm.kind == "unlike"
    assert "Values unlike the sample: The weights are unlike those that are usual" in " ".join(text_of(shown).split())
    emptied = layout.changed(layout.place("consignee_name"), cell=cycle(None, None, "Ana Rojas"))
    assert codes(client.upload(emptied, guides=30)) == {"values_unlike_format"}


def _times(cell: Any, factor: int) -> Any:
    return f"{float(cell.replace(',', '.')) * factor:.2f}".replace(".", ",") if isinstance(cell, str) else cell * factor


class TestDecimalMarksAndTables:
    def test_a_cell_that_contradicts_the_decimal_mark_makes_ambiguous_ones_doubtful(
        self, company_maker: Callable[..., Caller], tmp_path: Path
    ) -> None:
        layout = LAYOUTS["CUIT and CDI with decimal commas"]
        client = Client(layout, company_maker("COMA", allowed_countries=["AR"]), tmp_path)
        mixed = layout.changed(layout.place("weight_kg"), cell=cycle("1,25", "0.35", "1,250", "2,50"))
        response = client.upload(mixed, guides=4)
        assert codes(response) == {"values_unlike_format"}
        read = Guide.objects.order_by("hawb").values_list("weight_kg", "needs_review")
        assert [(weight and str(weight), review) for weight, review in read] == [
            ("1.250", False), ("0.350", False), (None, True), ("2.500", False),
        ]  # fmt: skip

    def test_a_document_type_that_the_table_lacks_is_left_out_and_marked(
        self, company_maker: Callable[..., Caller], tmp_path: Path
    ) -> None:
        layout = LAYOUTS["a marketplace with SUNAT's document types"]
        client = Client(layout, company_maker("SUNAT", allowed_countries=["PE"]), tmp_path)
        response = client.upload(layout.changed(layout.place("consignee_document_type"), cell=cycle(1, 9)), guides=2)
        assert [warning["error_code"] for warning in response.json()["warnings"]] == ["value_not_in_format"]
        assert list(Guide.objects.order_by("hawb").values_list("needs_review", flat=True)) == [False, True]


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
