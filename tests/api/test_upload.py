"""POST upload: what comes in, and each refusal in its order."""

import os
import re
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import OperationalError
from openpyxl import load_workbook

from companies.models import Company
from shipments.intake.ingest import ingest
from shipments.manifests.workbook import formats
from shipments.models import Flight, Guide, GuideEvent, Manifest, ManifestFile
from tests.api.answers import error
from tests.books import MAWB, guide_row, workbook_bytes
from tests.conftest import Caller, as_file

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
WHOLE_FORM: dict[str, Callable[[], Any]] = {
    "manifest_file": lambda: as_file(workbook_bytes()),
    "invoice_file": lambda: as_file(PDF, "invoice.pdf"),
    "flight_number": lambda: "LA2471",
    "origin_airport": lambda: "MIA",
    "destination_airport": lambda: "SCL",
    "origin_country": lambda: "US",
    "scheduled_departure": lambda: "2026-11-24T22:00:00-05:00",
    "scheduled_arrival": lambda: "2026-11-25T08:30:00-03:00",
}
"""The contract's form, every field of it with a value that is taken."""


def nothing_stored(media: Any) -> bool:
    rows = any(model.objects.exists() for model in (Manifest, Guide, GuideEvent, Flight, ManifestFile))
    return not rows and not [path for path in media.rglob("*") if path.is_file()]


class TestAGoodManifest:
    def test_is_created_and_answered_with_every_field_of_the_contract(self, acme: Caller) -> None:
        response = acme.upload()
        assert response.status_code == 201
        body = response.json()
        manifest = Manifest.objects.get()
        codes = body.pop("guides")
        assert body == {
            "success": True,
            "manifest_id": str(manifest.id),
            "flight_id": str(manifest.flight_id),
            "mawb": MAWB,
            "eta": None,
            "guides_created": 2,
            "rut_invalid_count": 0,
            "warnings": [],
            "notices": [],
            "columns": manifest.columns,
            "totals": {"guides": 2, "weight_kg": 3.0, "pieces": 2, "fob_usd": 200.5},
            "rows": manifest.row_account,
        }
        assert [guide["hawb"] for guide in codes] == ["HAWB00001", "HAWB00002"]
        assert all(re.fullmatch(r"ACM[0-9A-HJKMNP-TV-Z]{11}", guide["tracking_code"]) for guide in codes)

    def test_belongs_to_the_company_of_the_password_and_remembers_how_it_came(
        self, acme: Caller, rival: Caller
    ) -> None:
        acme.post_form({"manifest_file": as_file(workbook_bytes()), "company_id": str(rival.company.pk)})
        manifest = Manifest.objects.get()
        assert (manifest.company, manifest.posted_by, manifest.channel) == (acme.company, acme.company, "upload")

    def test_may_have_the_same_mawb_as_another_companys(self, acme: Caller, rival: Caller) -> None:
        assert acme.upload().status_code == rival.upload().status_code == 201

    def test_starts_each_guide_as_registered_with_one_event_from_the_pre_alert(self, acme: Caller) -> None:
        acme.upload()
        assert set(Guide.objects.values_list("status", flat=True)) == {"registered"}
        assert list(GuideEvent.objects.values_list("status", "source")) == [("registered", "pre_alert")] * 2

    def test_keeps_both_files_under_random_names_with_their_digests(self, acme: Caller, media: Any) -> None:
        acme.upload(invoice_file=SimpleUploadedFile("factura Pérez.pdf", PDF))
        files = {file.kind: file for file in ManifestFile.objects.all()}
        assert Path(files["invoice"].file.path).read_bytes() == PDF
        assert files["invoice"].original_name == "factura Pérez.pdf"
        assert len(files["manifest"].sha256) == 64
        assert re.fullmatch(r"\d{4}/\d{2}/[0-9a-f-]{36}\.xlsx", str(files["manifest"].file.name))
        assert not list((media / ".incoming").iterdir())

    def test_gives_eta_back_in_the_offset_it_came_in(self, acme: Caller) -> None:
        body = acme.upload(scheduled_arrival="2026-11-25T08:30:00-03:00").json()
        assert body["eta"] == "2026-11-25T08:30:00-03:00"
        assert acme.get(f"/mawbs/{MAWB}").json()["eta"] == "2026-11-25T08:30:00-03:00"

    def test_shares_a_flight_when_number_and_departure_agree_whatever_the_offset(self, acme: Caller) -> None:
        first = acme.upload(flight_number="LA 2471", scheduled_departure="2026-11-24T22:00:00-05:00").json()
        second = acme.upload(
            workbook_bytes(mawb="045-12345686"), flight_number="la2471", scheduled_departure="2026-11-25T03:00:00Z"
        ).json()
        assert first["flight_id"] == second["flight_id"]

    def test_never_shares_a_flight_with_another_company(self, acme: Caller, rival: Caller) -> None:
        form = {"flight_number": "LA2471", "scheduled_departure": "2026-11-24T22:00:00-05:00"}
        assert acme.upload(None, **form).json()["flight_id"] != rival.upload(None, **form).json()["flight_id"]

    def test_takes_empty_form_values_for_absent_ones(self, acme: Caller) -> None:
        response = acme.upload(flight_number="", scheduled_arrival="", destination_airport="  ")
        assert response.status_code == 201

    def test_adds_up_what_is_known(self, acme: Caller) -> None:
        rows = [guide_row(1, Bultos=3), guide_row(2, **{"Peso (kg)": None, "Valor FOB USD": None})]
        acme.upload(workbook_bytes(rows))
        detail = acme.get(f"/mawbs/{MAWB}").json()
        assert (detail["total_weight_kg"], detail["total_pieces"], detail["total_fob_usd"]) == (1.5, 4, 100.25)


class TestABadRut:
    def test_never_fails_the_upload_but_is_counted_warned_of_and_reviewed(self, acme: Caller) -> None:
        rows = [guide_row(1), guide_row(2, RUT="12.345.678-9"), guide_row(3, RUT=None)]
        body = acme.upload(workbook_bytes(rows)).json()
        assert body["guides_created"] == 3
        assert body["rut_invalid_count"] == 2
        assert [(w["row_index"], w["hawb"], w["field"], w["error_code"], w["severity"]) for w in body["warnings"]] == [
            (5, "HAWB00002", "consignee_rut", "rut_invalid_format", "warning"),
            (6, "HAWB00003", "consignee_rut", "rut_invalid_format", "warning"),
        ]
        assert "12345678" not in str(body["warnings"]).replace(".", "")
        assert Guide.objects.filter(needs_review=True).count() == 2


class TestTheSameMawbAgain:
    def test_is_refused_with_the_id_of_the_manifest_that_is_there(self, acme: Caller, media: Any) -> None:
        first = acme.upload().json()
        stored = sorted(path for path in media.rglob("*") if path.is_file())
        response = acme.upload(workbook_bytes(mawb="045 1234 5675"))
        assert error(response) == (409, "mawb_already_exists")
        assert response.json()["manifest_id"] == first["manifest_id"]
        assert sorted(path for path in media.rglob("*") if path.is_file()) == stored
        assert Manifest.objects.count() == 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("form", "answer"),
        [
            ({}, (400, "manifest_file_required")),
            ({"manifest_file": "typed, not a file"}, (400, "manifest_file_required")),
            ({"invoice_file": SimpleUploadedFile("a.pdf", PDF)}, (400, "manifest_file_required")),
            ({"manifest_file": as_file(b"")}, (400, "excel_parse_error")),
            ({"manifest_file": as_file(PDF)}, (400, "excel_parse_error")),
            ({"manifest_file": as_file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))}, (400, "excel_parse_error")),
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

    @pytest.mark.parametrize("field", WHOLE_FORM)
    def test_name_a_field_that_was_sent_twice(self, acme: Caller, media: Any, field: str) -> None:
        form = {name: make() for name, make in WHOLE_FORM.items()}
        response = acme.post_form({**form, field: [form[field], WHOLE_FORM[field]()]})
        assert error(response) == (400, "validation_failed")
        assert response.json()["details"] == {field: [f"Send {field} once; it was sent 2 times."]}
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

    @pytest.mark.parametrize("told", ["Bogotá", "SCL / LIM", "por confirmar", "El Dorado"])
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

    def test_ask_for_the_destination_where_several_countries_are_possible(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(formats, "onboarded_countries", lambda: ("CL", "PE"))
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

    def test_refuse_a_country_with_a_format_that_the_company_may_not_ship_to(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chile = formats.for_country("CL")
        monkeypatch.setattr(formats, "for_country", lambda country: chile if country in {"CL", "UY"} else None)
        response = acme.upload(destination_airport="MVD")
        assert error(response) == (403, "country_not_allowed")
        assert response.json()["country"] == "UY"

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

    def test_the_forms_destination_comes_before_the_workbook(self, acme: Caller) -> None:
        assert error(acme.upload(b"garbage", destination_airport="LIM")) == (400, "no_parser_for_format")

    def test_the_mawb_comes_before_the_rows(self, acme: Caller) -> None:
        assert error(acme.upload(workbook_bytes([], mawb=None))) == (400, "mawb_not_found_in_file")


class TestWhatTheDatabaseMayRefuse:
    def test_two_codes_that_meet_are_drawn_again(self, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        drawn = iter(["ACM00000000000", "ACM00000000000", "ACM00000000001", "ACM00000000002"])
        monkeypatch.setattr("shipments.tracking_codes.issue", lambda _prefix: next(drawn))
        assert [guide["tracking_code"] for guide in acme.upload().json()["guides"]] == [
            "ACM00000000001",
            "ACM00000000002",
        ]

    def test_a_mawb_that_another_request_took_meanwhile_is_reported_by_the_constraint(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch, media: Any
    ) -> None:
        first = acme.upload().json()
        stored = sorted(path for path in media.rglob("*") if path.is_file())
        monkeypatch.setattr("shipments.intake.upload.refuse_known", lambda *_args: None)
        response = acme.upload()
        assert error(response) == (409, "mawb_already_exists")
        assert response.json()["manifest_id"] == first["manifest_id"]
        assert sorted(path for path in media.rglob("*") if path.is_file()) == stored

    @pytest.mark.parametrize(
        ("failure", "reported"),
        [
            (OperationalError("server closed the connection unexpectedly"), (503, "unavailable")),
            (RuntimeError("a bug after the commit"), (500, "internal_server_error")),
        ],
    )
    def test_what_fails_once_the_rows_are_committed_keeps_their_files(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch, failure: Exception, reported: tuple[int, str]
    ) -> None:
        def committed_and_then_lost(*args: Any, **kwargs: Any) -> None:
            ingest(*args, **kwargs)
            raise failure

        content = workbook_bytes()
        monkeypatch.setattr("shipments.intake.upload.ingest", committed_and_then_lost)
        assert error(acme.upload(content)) == reported
        monkeypatch.undo()
        assert error(acme.upload()) == (409, "mawb_already_exists")
        with ManifestFile.objects.get().file.open() as file:
            assert file.read() == content

    def test_a_bug_before_the_commit_leaves_nothing(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch, media: Any
    ) -> None:
        def buggy(*_args: Any, **_kwargs: Any) -> None:
            raise RuntimeError("a bug")

        monkeypatch.setattr("shipments.intake.ingest.write_guides", buggy)
        assert error(acme.upload()) == (500, "internal_server_error")
        assert nothing_stored(media)

    def test_a_database_that_went_away_leaves_a_file_for_the_sweeper(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch, media: Any
    ) -> None:
        def lost(*_args: Any, **_kwargs: Any) -> None:
            raise OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr("shipments.intake.upload.ingest", lost)
        assert error(acme.upload()) == (503, "unavailable")
        assert not Manifest.objects.exists()
        (left,) = (path for path in media.rglob("*") if path.is_file())
        day_before_yesterday = time.time() - 2 * 24 * 60 * 60
        os.utime(left, (day_before_yesterday, day_before_yesterday))
        call_command("sweep_files")
        assert nothing_stored(media)
