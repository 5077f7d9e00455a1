"""POST upload: each refusal, in its order, and nothing stored."""

from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from openpyxl import load_workbook

from companies.models import Company
from tests.api.answers import error
from tests.api.whole_form import PDF, WHOLE_FORM, nothing_stored
from tests.books import workbook_bytes
from tests.conftest import Caller, as_file

pytestmark = pytest.mark.django_db


class TestRefusals:
    @pytest.mark.parametrize(
        ("form", "answer"),
        [
            ({}, (400, "manifest_file_required")),
            ({"manifest_file": "typed, not a file"}, (400, "manifest_file_required")),
            ({"invoice_file": SimpleUploadedFile("a.pdf", PDF)}, (400, "manifest_file_required")),
            ({"manifest_file": as_file(b"")}, (400, "excel_parse_error")),
            ({"manifest_file": as_file(workbook_bytes(mawb=None))}, (400, "mawb_not_found_in_file")),
            ({"manifest_file": as_file(workbook_bytes([]))}, (400, "no_rows_parsed")),
        ],
    )
    def test_leave_nothing_behind(
        self, acme: Caller, media: Any, form: dict[str, Any], answer: tuple[int, str]
    ) -> None:
        assert error(acme.post_form(form)) == answer
        assert nothing_stored(media)

    def test_name_all_bad_fields_at_once(self, acme: Caller, media: Any) -> None:
        response = acme.upload(
            flight_number="LATAM",
            origin_airport="ZZZ",
            destination_airport="1",
            origin_country="XX",
            scheduled_departure="2026-11-25T08:30:00",
            scheduled_arrival="yesterday",
            invoice_file=as_file(b"no pdf", "invoice.pdf"),
        )
        assert error(response) == (400, "validation_failed")
        assert set(response.json()["details"]) == {
            "flight_number", "origin_airport", "destination_airport", "origin_country", "scheduled_departure",
            "scheduled_arrival", "invoice_file",
        }  # fmt: skip
        assert nothing_stored(media)

    def test_tell_an_arrival_before_its_departure(self, acme: Caller) -> None:
        response = acme.upload(
            scheduled_departure="2026-11-25T10:00:00-03:00", scheduled_arrival="2026-11-25T12:59:00Z"
        )
        assert list(response.json()["details"]) == ["scheduled_arrival"]

    def test_name_each_field_that_was_sent_twice(self, acme: Caller, media: Any) -> None:
        response = acme.post_form({name: [make(), make()] for name, make in WHOLE_FORM.items()})
        assert error(response) == (400, "validation_failed")
        assert response.json()["details"] == {name: [f"Send {name} once; it was sent 2 times."] for name in WHOLE_FORM}
        assert nothing_stored(media)
        assert acme.post_form({name: make() for name, make in WHOLE_FORM.items()}).status_code == 201

    def test_name_a_field_that_was_sent_as_a_text_and_as_a_file(self, acme: Caller) -> None:
        response = acme.post_form({"manifest_file": ["a text", as_file(workbook_bytes())]})
        assert list(response.json()["details"]) == ["manifest_file"]

    def test_leave_alone_a_field_without_meaning_however_often_it_was_sent(self, acme: Caller) -> None:
        response = acme.post_form({"manifest_file": as_file(workbook_bytes()), "company_id": ["1", "2"]})
        assert response.status_code == 201

    @pytest.mark.parametrize("field", ["manifest_file", "invoice_file"])
    def test_tell_a_file_over_the_limit_by_its_field(self, acme: Caller, media: Any, settings: Any, field: str) -> None:
        settings.MAX_FILE_BYTES = 200_000
        files = {"manifest_file": as_file(workbook_bytes()), "invoice_file": as_file(PDF, "a.pdf")}
        response = acme.post_form(files | {field: as_file(b"%PDF-" + bytes(200_000), "big")})
        assert error(response) == (400, "validation_failed")
        assert list(response.json()["details"]) == [field]
        assert nothing_stored(media)

    def test_refuse_a_destination_without_a_format_even_when_the_company_may_ship_there(self, acme: Caller) -> None:
        assert error(acme.upload(destination_airport="LIM")) == (400, "no_parser_for_format")
        assert error(acme.upload(b"not opened", destination_airport="BUE")) == (400, "no_parser_for_format")

    def test_refuse_a_destination_that_only_the_workbook_tells(self, acme: Caller) -> None:
        book = workbook_bytes(labels={"Destino": "LIM"})
        assert error(acme.upload(book)) == (400, "no_parser_for_format")
        assert acme.upload(book, destination_airport="SCL").status_code == 201

    @pytest.mark.parametrize("told", ["Bogotá", "SCL / LIM"])
    def test_quote_a_destination_of_the_workbook_that_cannot_be_read(
        self, acme: Caller, rival: Caller, media: Any, told: str
    ) -> None:
        response = acme.upload(workbook_bytes(labels={"Destino": told}))
        assert error(response) == (400, "destination_unresolved")
        assert repr(told) in response.json()["message"]
        assert nothing_stored(media)
        assert rival.upload(workbook_bytes(labels={"Destino": "MIA-SCL"})).status_code == 201

    def test_name_a_foreign_destination_by_its_country(self, acme: Caller) -> None:
        response = acme.upload(workbook_bytes(labels={"Destino": "GRU - Guarulhos"}))
        assert error(response) == (400, "no_parser_for_format")
        assert response.json()["country"] == "BR"

    def test_take_the_only_country_possible_with_a_notice_where_nothing_gives_it(self, acme: Caller) -> None:
        response = acme.upload(workbook_bytes(labels={"Destino": None}))
        assert response.status_code == 201
        assert [notice["code"] for notice in response.json()["notices"]] == ["destination_assumed"]

    def test_ask_for_the_destination_where_several_countries_are_possible(self, acme: Caller) -> None:
        Company.objects.update(read_by_headings=["CL", "PE"])
        book = workbook_bytes(labels={"Destino": None})
        assert error(acme.upload(book)) == (400, "destination_unresolved")
        assert acme.upload(book, destination_airport="SCL").status_code == 201

    def test_refuse_guides_that_would_be_left_unread(self, acme: Caller, media: Any) -> None:
        book = load_workbook(BytesIO(workbook_bytes()))
        other = book.create_sheet("Pendientes")
        other.append(["HAWB", "Consignatario", "Peso (kg)", "Bultos"])
        other.append(["HAWB00009", "Otra Persona", 1, 1])
        output = BytesIO()
        book.save(output)
        response = acme.upload(output.getvalue())
        assert error(response) == (400, "validation_failed")
        assert "'Pendientes'" in response.json()["details"]["manifest_file"][0]
        assert nothing_stored(media)

    def test_refuse_a_country_that_is_read_and_that_the_company_may_not_ship_to(self, acme: Caller) -> None:
        Company.objects.update(allowed_countries=["CL"], read_by_headings=["CL", "PE"])
        response = acme.upload(destination_airport="LIM")
        assert error(response) == (403, "country_not_allowed")
        assert response.json()["country"] == "PE"

    def test_refuse_a_country_of_the_company_whose_workbooks_are_not_read(self, acme: Caller, rival: Caller) -> None:
        Company.objects.filter(pk=acme.company.pk).update(read_by_headings=["PE"])
        assert acme.upload(destination_airport="LIM").status_code == 201
        assert error(acme.upload(workbook_bytes(mawb="123-12345675"))) == (400, "no_parser_for_format")
        assert error(rival.upload(destination_airport="LIM")) == (400, "no_parser_for_format")

    def test_refuse_a_company_without_a_tracking_prefix_after_the_workbook_was_read(self, acme: Caller) -> None:
        Company.objects.update(tracking_prefix="")
        assert error(acme.upload(workbook_bytes([]))) == (400, "no_rows_parsed")
        assert error(acme.upload()) == (400, "tracking_prefix_missing")


class TestOrder:
    """First failure wins; the company's own rights come before its body is looked at."""

    def test_a_courier_has_no_upload(self, company_maker: Any) -> None:
        courier = company_maker("COURIER", kind="courier", allowed_countries=[])
        assert error(courier.post_form({})) == (400, "company_is_courier")

    def test_no_country_with_a_format_comes_before_the_missing_file(self, company_maker: Any) -> None:
        response = company_maker("LIMA", allowed_countries=["PE", "AR"]).post_form({})
        assert error(response) == (403, "unsupported_country")
        assert (response.json()["country"], response.json()["allowed_countries"]) == ("PE,AR", ["PE", "AR"])

    def test_bad_fields_come_before_the_destination(self, acme: Caller) -> None:
        assert error(acme.upload(destination_airport="LIM", flight_number="?")) == (400, "validation_failed")

    def test_the_mawb_comes_before_the_rows(self, acme: Caller) -> None:
        assert error(acme.upload(workbook_bytes([], mawb=None))) == (400, "mawb_not_found_in_file")
