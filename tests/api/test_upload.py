"""POST upload: what comes in, and each refusal in its order."""

import os
import re
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import OperationalError

from shipments.intake import ingest
from shipments.models import Guide, GuideEvent, Layout, Manifest, ManifestFile
from tests.api import keyed
from tests.api.answers import error
from tests.api.validated import validate
from tests.api.whole_form import PDF, nothing_stored
from tests.books import MAWB, guide_row, workbook_bytes
from tests.conftest import BASE, Caller, as_file

pytestmark = pytest.mark.django_db


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
            "country": "CL",
            "eta": None,
            "guides_created": 2,
            "rut_invalid_count": 0,
            "warnings": [],
            "notices": [],
            "columns": manifest.columns,
            "kept": [],
            "questions": [],
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

    def test_takes_an_empty_invoice_as_absent_and_says_so(self, acme: Caller) -> None:
        answer = acme.upload(invoice_file=SimpleUploadedFile("invoice.pdf", b""))
        assert [each["code"] for each in answer.json()["notices"]] == ["invoice_file_empty"]
        assert [each.kind for each in ManifestFile.objects.all()] == ["manifest"]

    @pytest.mark.parametrize(
        "name",
        [
            'filename="fac\u202e\u200ftura.xlsx"',
            "filename*=UTF-8''fac%E2%80%AEtura.xlsx",
            'filename="fac&#8238;tura.xlsx"',
        ],
    )
    def test_keeps_no_mark_that_shows_a_file_name_backwards(self, acme: Caller, name: str) -> None:
        head = f'--X\r\nContent-Disposition: form-data; name="manifest_file"; {name}\r\n\r\n'
        body = head.encode() + workbook_bytes() + b"\r\n--X--\r\n"
        acme.client.generic("POST", f"{BASE}/upload", body, "multipart/form-data; boundary=X", headers=acme.headers)
        assert ManifestFile.objects.get().original_name == "factura.xlsx"

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
        assert f"mawbs/{MAWB}/findings" in response.json()["message"]
        assert sorted(path for path in media.rglob("*") if path.is_file()) == stored
        assert Manifest.objects.count() == 1


class TestWhatTheDatabaseMayRefuse:
    def test_two_codes_that_meet_are_drawn_again(self, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        drawn = iter(["ACM00000000000", "ACM00000000000", "ACM00000000001", "ACM00000000002"])
        monkeypatch.setattr(
            "shipments.tracking.tracking_codes.issue", lambda _prefix, count: list(islice(drawn, count))
        )
        assert [guide["tracking_code"] for guide in acme.upload().json()["guides"]] == [
            "ACM00000000001",
            "ACM00000000002",
        ]

    def test_a_mawb_that_another_request_took_meanwhile_is_reported_by_the_constraint(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch, media: Any
    ) -> None:
        first = acme.upload().json()
        stored = sorted(path for path in media.rglob("*") if path.is_file())
        monkeypatch.setattr("shipments.intake.ingest.judge", lambda _owner, parsed, **_named: parsed)
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
            create(*args, **kwargs)
            raise failure

        content, create = workbook_bytes(), ingest._create
        monkeypatch.setattr(ingest, "_create", committed_and_then_lost)
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

        monkeypatch.setattr("shipments.intake.ingest.write_manifest", lost)
        assert error(acme.upload()) == (503, "unavailable")
        assert not Manifest.objects.exists()
        (left,) = (path for path in media.rglob("*") if path.is_file())
        day_before_yesterday = time.time() - 2 * 24 * 60 * 60
        os.utime(left, (day_before_yesterday, day_before_yesterday))
        call_command("sweep_files")
        assert nothing_stored(media)


class TestColumnsInDoubt:
    """What cannot be told from headings and values is asked; nothing is guessed."""

    HEADINGS = ("Pedido", "Código zafra", "Consignatario", "RUT", "Descripción", "Peso (kg)", "Valor FOB (USD)")
    ROWS = (("P-771", "Z9001", "Ana Rojas", "12345678-5", "Ropa", 1.5, 20),
            ("P-902", "Z9114", "Beto Soto", "7654321-6", "Libro", 2, 30))  # fmt: skip

    def book(self, *headings: str) -> bytes:
        """A workbook whose headings begin with these."""
        header = (*headings, *self.HEADINGS[len(headings) :])
        return workbook_bytes([dict(zip(header, row, strict=True)) for row in self.ROWS], header=header)

    def test_a_hawb_in_doubt_creates_nothing_and_asks_and_its_key_is_free(self, acme: Caller, rival: Caller) -> None:
        refused = keyed.upload(acme, content=self.book())
        assert (refused.status_code, refused.json()["error"]) == (400, "hawb_in_doubt")
        assert refused.json()["questions"] == [
            {"field": "hawb", "reason": "weak_heading", "columns": [
                {"column": "A", "heading": "Pedido", "samples": ["A-999"]},
                {"column": "B", "heading": "Código zafra", "samples": ["A9999"]},
            ]}
        ]  # fmt: skip
        assert not Manifest.objects.exists()
        created = keyed.upload(acme, content=self.book("Pedido", "HAWB"))
        assert created.status_code == 201
        assert created.json()["kept"] == [{"column": "A", "heading": "Pedido", "key": "order"}]
        again = acme.upload(self.book())  # what cannot be answered any more comes first
        assert again.json()["error"] == "mawb_already_exists"
        assert rival.upload(self.book()).json()["error"] == "hawb_in_doubt"

    def test_a_mawb_in_doubt_creates_nothing_and_asks(self, acme: Caller) -> None:
        header = ("Prefijo", "Serie", "HAWB", *self.HEADINGS[2:])
        rows = [dict(zip(header, ("045", "12345675", *row[1:]), strict=True)) for row in self.ROWS]
        refused = acme.upload(workbook_bytes(rows, mawb=None, header=header, labels={"Destino": "SCL"}))
        assert (refused.status_code, refused.json()["error"]) == (400, "mawb_not_found_in_file")
        (asked,) = refused.json()["questions"]
        assert (asked["field"], [each["samples"] for each in asked["columns"]]) == ("mawb", [["999"], ["99999999"]])
        assert not Manifest.objects.exists()
        (stored,) = Layout.objects.get().questions
        assert (stored["field"], [each["heading"] for each in stored["columns"]]) == ("mawb", ["Prefijo", "Serie"])

    def test_a_doubtful_weight_is_asked_and_its_guides_are_marked_for_review(self, acme: Caller) -> None:
        headings = ("HAWB", "Código", "Consignatario", "RUT", "Descripción", "Zafra (peso)")
        trial = validate(acme, self.book(*headings)).json()
        body = acme.upload(self.book(*headings)).json()
        assert [each["code"] for each in trial["notices"]] == [each["code"] for each in body["notices"]]
        assert "layout_not_confirmed" in {each["code"] for each in trial["notices"]}
        assert [(question["field"], question["columns"][0]["samples"]) for question in body["questions"]] == [
            ("weight_kg", ["1.5", "2"])
        ]
        assert "column_in_doubt" in {notice["code"] for notice in body["notices"]}
        for guide, weight in zip(Guide.objects.order_by("hawb"), ("1.5", "2"), strict=True):
            assert (guide.weight_kg, guide.needs_review, guide.review_reasons) == (None, True, ["column_in_doubt"])
            assert guide.extra_data["asked_weight_kg_F"] == weight
