"""Uploads of companies with workbook formats of their own: what reads them, and what refuses them."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from shipments.models import Guide, Manifest
from tests.api.answers import error
from tests.api.whole_form import nothing_stored
from tests.books import workbook_bytes
from tests.conftest import Caller
from tests.shipments.formats.layouts_of_clients import (
    DNI,
    HEADINGS,
    MAWB,
    NAME,
    RUC,
    RUT,
    bind,
    book,
    format_json,
    guide,
)
from tests.shipments.formats.noticed import codes

pytestmark = pytest.mark.django_db

Maker = Callable[..., Caller]


class TestACompanyOfAnotherCountry:
    def test_is_refused_without_a_format_and_read_with_one(self, lima: Caller, rival: Caller) -> None:
        assert error(lima.upload(book())) == (403, "unsupported_country")
        bind(lima)
        response = lima.upload(book())
        assert response.status_code == 201, response.json()
        body = response.json()
        assert (body["country"], body["format"]) == ("PE", {"name": NAME, "version": 1})
        assert (body["warnings"], codes(response)) == ([], [])
        manifest = Manifest.objects.get()
        assert (manifest.country, manifest.format_version.number) == ("PE", 1)  # type: ignore[union-attr]  # it has one
        assert set(Guide.objects.values_list("consignee_document_type", "category")) == {("DNI", 2)}
        assert error(rival.upload(book(mawb="045-12345686"))) == (400, "no_rows_parsed")

    def test_is_told_of_the_format_again_under_its_key(self, lima: Caller) -> None:
        bind(lima)
        content = book()
        lima.client = Client(headers={"Idempotency-Key": "once"})
        first, again = lima.upload(content), lima.upload(content)
        assert (first.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")
        assert again.content == first.content
        assert again.json()["format"] == {"name": NAME, "version": 1}

    def test_keeps_its_format_to_itself(self, lima: Caller, company_maker: Maker) -> None:
        bind(lima)
        other = company_maker("CUSCO", allowed_countries=["PE"])
        assert error(other.upload(book())) == (403, "unsupported_country")

    def test_reports_what_was_expected_of_an_unlike_workbook(self, lima: Caller, media: Any) -> None:
        bind(lima)
        response = lima.upload(workbook_bytes(), destination_airport="LIM")
        assert error(response) == (400, "no_parser_for_format")
        assert NAME in response.json()["message"]
        assert "Código envío" in response.json()["message"]
        assert nothing_stored(media)

    def test_may_not_use_a_format_for_a_country_that_was_closed_to_it(self, acme: Caller) -> None:
        bind(acme)
        acme.company.allowed_countries = ["CL"]
        acme.company.save()
        assert error(acme.upload(book())) == (403, "country_not_allowed")


class TestTheDestination:
    def test_is_that_of_the_format_where_nothing_gives_it(self, acme: Caller) -> None:
        bind(acme)
        response = acme.upload(book())
        assert (response.status_code, response.json()["country"]) == (201, "PE")

    def test_is_asked_for_where_formats_of_two_countries_fit(self, acme: Caller) -> None:
        bind(acme)
        bind(acme, format_json(name="ACME Chile", country="CL"))
        assert error(acme.upload(book())) == (400, "destination_unresolved")
        assert acme.upload(book(), destination_airport="LIM").json()["country"] == "PE"
        told = book(above=[["Destino", "SCL"]], mawb="045-12345686")
        assert acme.upload(told).json()["country"] == "CL"

    def test_of_the_workbook_excludes_formats_of_other_countries(self, acme: Caller) -> None:
        bind(acme, format_json(headings=("HAWB", "Consignatario", "RUC", "Contenido", "Peso", "Valor FOB", "Bultos")))
        rows = [["H1", "Ana Rojas", RUT, "Ropa", 1, 20, 1]]
        headings = ("HAWB", "Consignatario", "RUC", "Contenido", "Peso", "Valor FOB", "Bultos")
        response = acme.upload(book(*rows, headings=headings, above=[["Destino", "SCL"]]))
        assert response.status_code == 201
        assert "format" not in response.json()
        assert Manifest.objects.get().country == "CL"


class TestWhatAFormatSays:
    def test_reads_headings_that_no_vocabulary_has(self, acme: Caller) -> None:
        assert error(acme.upload(book())) == (400, "no_rows_parsed")
        bind(acme, format_json(country="CL"))
        acme.upload(book(guide(1, Papel=RUT)))
        stored = Guide.objects.get()
        assert (stored.hawb, stored.consignee_name, stored.consignee_document) == ("H0001", "Ana Rojas", RUT)
        assert (str(stored.weight_kg), str(stored.fob_usd), stored.description_original) == ("1.500", "20.00", "Ropa")

    @pytest.mark.parametrize(
        ("unit", "cell", "kilograms"), [("lb", 10, "4.536"), ("oz", 10, "0.283"), ("g", 350, "0.350")]
    )
    def test_converts_weights_to_the_gram(self, lima: Caller, unit: str, cell: Any, kilograms: str) -> None:
        bind(lima, format_json(weight_kg={"unit": unit}))
        lima.upload(book(guide(1, Bruto=cell)))
        assert str(Guide.objects.get().weight_kg) == kilograms

    @pytest.mark.parametrize(
        ("mark", "cell", "number"),
        [
            ("comma", "1.234", "1234.000"),
            ("comma", "0,35", "0.350"),
            ("comma", "1.234,5", "1234.500"),
            ("point", "1.234", "1.234"),
            ("point", "1,234", "1234.000"),
            ("numeric", 1.234, "1.234"),
        ],
    )
    def test_decides_the_decimal_mark(self, lima: Caller, mark: str, cell: Any, number: str) -> None:
        bind(lima, format_json(weight_kg={"decimals": mark}))
        assert lima.upload(book(guide(1, Bruto=cell))).json()["warnings"] == []
        assert str(Guide.objects.get().weight_kg) == number

    def test_never_guesses_a_number_that_neither_the_format_nor_another_cell_decides(self, lima: Caller) -> None:
        bind(lima)
        response = lima.upload(book(guide(1, Plata="1.234")))
        assert [(each["field"], each["error_code"]) for each in response.json()["warnings"]] == [
            ("fob_usd", "ambiguous_number")
        ]
        assert (Guide.objects.get().fob_usd, Guide.objects.get().needs_review) == (None, True)

    def test_doubts_a_column_that_contradicts_its_decimal_mark(self, lima: Caller) -> None:
        bind(lima, format_json(weight_kg={"decimals": "comma"}))
        response = lima.upload(book(guide(1, Bruto="0.35"), guide(2, Bruto="1.234"), guide(3, Bruto="2,5")))
        assert codes(response) == ["values_unlike_format"]
        weights = dict(Guide.objects.values_list("hawb", "weight_kg"))
        assert [None if each is None else str(each) for each in weights.values()] == ["0.350", None, "2.500"]
        assert list(Guide.objects.filter(needs_review=True).values_list("hawb", flat=True)) == ["H0002"]

    def test_translates_values_and_warns_of_those_that_it_does_not_have(self, lima: Caller) -> None:
        kind: dict[str, Any] = {"heading": "TD", "field": "consignee_document_type", "values": {"6": "RUC", "1": "DNI"}}
        bind(lima, format_json(columns=[kind]))
        headings = (*HEADINGS, "TD")
        rows = [[*guide(1, Papel=RUC), 6], [*guide(2), "1"], [*guide(3), "9"]]
        response = lima.upload(book(*rows, headings=headings))
        assert [(each["hawb"], each["field"], each["error_code"]) for each in response.json()["warnings"]] == [
            ("H0003", "consignee_document_type", "value_not_in_format")
        ]
        assert list(Guide.objects.order_by("id").values_list("consignee_document_type", "needs_review")) == [
            ("RUC", False), ("DNI", False), ("DNI", True),
        ]  # fmt: skip

    def test_keeps_extra_data_the_platform_and_a_claimed_category(self, lima: Caller) -> None:
        further: list[dict[str, Any]] = [
            {"heading": "Marca", "field": "extra_data", "key": "brand"},
            {"heading": "Tienda", "field": "platform_name"},
            {"heading": "Cat", "field": "category"},
            {"heading": "Nota", "field": None},
        ]
        bind(lima, format_json(columns=further))
        lima.upload(book([*guide(1), "Nike", "Shop", 4, "x"], headings=(*HEADINGS, "Marca", "Tienda", "Cat", "Nota")))
        stored = Guide.objects.get()
        assert (stored.extra_data, stored.platform_name, stored.category) == ({"brand": "Nike"}, "Shop", 4)

    def test_takes_its_words_for_an_empty_cell(self, lima: Caller) -> None:
        bind(lima, format_json(fob_usd={"empty": ["S/N", "-"]}))
        response = lima.upload(book(guide(1, Plata=" s/n "), guide(2, Plata="-"), guide(3)))
        assert response.json()["warnings"] == []
        assert codes(response) == ["values_missing"]

    def test_takes_mawb_flight_and_destination_from_its_own_labels(self, lima: Caller) -> None:
        content = format_json(
            mawb={"label": "Papel grande"},
            destination={"always": "LIM"},
            flight={"flight_number": {"label": "Avión"}, "scheduled_arrival": {"label": "Baja", "month_first": True}},
        )
        bind(lima, content)
        above = [["Papel grande", "123-12345675"], ["Avión:", "LA2461"], ["Baja", "01/02/2027 10:00"]]
        body = lima.upload(book(above=above)).json()
        assert (body["mawb"], body["eta"]) == ("123-12345675", "2027-01-02T10:00:00-05:00")
        flight = Manifest.objects.get().flight
        assert (flight.flight_number, flight.destination_airport) == ("LA2461", "LIM")

    @pytest.mark.parametrize(
        ("departure", "arrival", "left", "arrives"),
        [
            ("", "", "2027-02-01T22:00:00-05:00", "2027-02-02T04:00:00-05:00"),
            ("origin", "destination", "2027-02-01T22:00:00-05:00", "2027-02-02T04:00:00-05:00"),
            ("destination", "origin", "2027-02-01T22:00:00-05:00", "2027-02-02T04:00:00-05:00"),
            ("UTC", "UTC", "2027-02-01T22:00:00+00:00", "2027-02-02T04:00:00Z"),
            ("Asia/Shanghai", "America/Lima", "2027-02-01T22:00:00+08:00", "2027-02-02T04:00:00-05:00"),
        ],
    )
    def test_reads_times_typed_as_text_by_the_clock_that_it_names(
        self, lima: Caller, departure: str, arrival: str, left: str, arrives: str
    ) -> None:
        flight = {
            "scheduled_departure": {"label": "Sale", **({"zone": departure} if departure else {})},
            "scheduled_arrival": {"label": "Baja", **({"zone": arrival} if arrival else {})},
        }
        bind(lima, format_json(destination={"always": "LIM"}, flight=flight))
        above = [["Origen", "MIA"], ["Sale", "01/02/2027 22:00"], ["Baja", "02/02/2027 04:00"]]
        assert lima.upload(book(above=above)).json()["eta"] == arrives
        read = Manifest.objects.get().flight.scheduled_departure
        assert read == datetime.fromisoformat(left)

    def test_names_a_clock_for_times_typed_as_text_only(self, lima: Caller) -> None:
        bind(
            lima,
            format_json(destination={"always": "LIM"}, flight={"scheduled_arrival": {"label": "Baja", "zone": "UTC"}}),
        )
        cells = (
            (datetime(2027, 2, 2, 4), "2027-02-02T04:00:00-05:00"),  # noqa: DTZ001  # as cells have them
            ("2027-02-02 04:00 -03:00", "2027-02-02T04:00:00-03:00"),
            ("02/02/2027", "2027-02-02T00:00:00-05:00"),  # a day begins at the destination
        )
        for number, (cell, eta) in enumerate(cells):
            body = lima.upload(book(above=[["Baja", cell]], mawb=f"045-000000{number}{number}")).json()
            assert body["eta"] == eta

    def test_leaves_out_a_time_by_the_clock_of_an_unknown_origin_and_says_so(self, lima: Caller) -> None:
        bind(
            lima,
            format_json(
                destination={"always": "LIM"}, flight={"scheduled_arrival": {"label": "Baja", "zone": "origin"}}
            ),
        )
        response = lima.upload(book(above=[["Baja", "02/02/2027 04:00"]]))
        assert (response.json()["eta"], codes(response)) == (None, ["scheduled_arrival_ignored"])
        notice = next(each for each in response.json()["notices"] if each["code"] == "scheduled_arrival_ignored")
        assert "clock of the airport of origin" in notice["message"]

    def test_names_columns_under_groups_in_two_rows(self, lima: Caller) -> None:
        headings = ("Código envío", "Nombre", "Papel", "Cosas", "Bruto", "Plata", "Bultos")
        content = format_json(
            headings=headings, header_rows=2, consignee_name={"group": "Destino final"},
            columns=[{"heading": "Nombre", "group": "Origen", "field": "shipper_name"}],
        )  # fmt: skip
        bind(lima, content)
        groups = ["", "Origen", "Destino final", "Papeles", "Carga", "Carga", "Carga", "Carga"]
        order = ["Código envío", "Nombre", "Nombre", "Papel", "Cosas", "Bruto", "Plata", "Bultos"]
        rows: list[list[Any]] = [order, ["H1", "Tienda Uno", "Ana Rojas", DNI, "Ropa", 1, 20, 1]]
        assert lima.upload(book(*rows, headings=groups)).status_code == 201
        assert Guide.objects.values_list("shipper_name", "consignee_name").get() == ("Tienda Uno", "Ana Rojas")


class TestACompanyWithoutFormats:
    def test_is_answered_as_before(self, acme: Caller, rival: Caller) -> None:
        bind(rival, format_json(country="CL"))
        response = acme.upload()
        assert (response.status_code, codes(response)) == (201, [])
        assert not {"format", "country"} & response.json().keys()
        assert Manifest.objects.get().format_version is None
        assert response.json()["mawb"] == MAWB
