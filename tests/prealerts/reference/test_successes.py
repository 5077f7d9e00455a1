"""What the service answers is what the document says: successes, headers and all."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from prealerts.reference.document import EXAMPLES
from shipments.models import Guide
from tests.api.changing import cancel, patch, put_answers, void
from tests.api.test_jobs import queue, work
from tests.books import MAWB, guide_row, workbook_bytes
from tests.documents import guide, manifest
from tests.prealerts.reference import schema
from tests.prealerts.reference.endpoints import (
    BOOK,
    FINDINGS,
    GUIDES,
    JSON,
    LIST,
    MAWB_DETAIL,
    UPLOAD,
    Endpoint,
    acme,
    form,
    validate_json,
    validate_workbook,
)
from tests.shipments.layouts.rows import make_layout
from tests.shipments.shipping import bring, tell
from tests.webhooks.running import wait_until

pytestmark = pytest.mark.django_db


class TestSuccess:
    def test_of_an_upload(self) -> None:
        invoice = SimpleUploadedFile("invoice.pdf", b"%PDF-1.7\n")
        answer = form(scheduled_arrival="2026-11-25T08:30:00-03:00", invoice_file=invoice)
        assert answer.status_code == 201
        schema.assert_documented(answer)

    @pytest.mark.parametrize("endpoint", [UPLOAD, JSON], ids=lambda endpoint: endpoint.name)
    def test_of_a_repetition(self, endpoint: Endpoint) -> None:
        caller = acme()
        caller.client = Client(headers={"Idempotency-Key": "twice"})
        endpoint.ask(caller)
        answer = endpoint.ask(caller)
        assert answer.headers["Idempotent-Replayed"] == "true"
        schema.assert_documented(answer)

    def test_of_an_upload_with_warnings_and_notices(self) -> None:
        rows = [
            guide_row(1, RUT="1-1"),
            guide_row(2, HAWB=None),
            guide_row(3, **{"Peso (kg)": "a lot"}),
            guide_row(4),
            guide_row(4, Contenido="Otra cosa"),
        ]
        answer = acme().upload(workbook_bytes(rows, mawb="045-12345670"))
        body = answer.json()
        assert len(body["warnings"]) >= 3
        assert {notice["row_index"] is None for notice in body["notices"]} == {True, False}
        schema.assert_documented(answer)

    @pytest.mark.parametrize("country", ["CL", "PE", "AR"])
    def test_of_json(self, country: str) -> None:
        answer = acme().post_json(manifest(guide(1, country, fob_usd=2500), country=country))
        assert answer.status_code == 201
        schema.assert_documented(answer)

    def test_of_layouts(self) -> None:
        caller = acme()
        layout = make_layout(caller.company)
        schema.assert_documented(caller.get("/layouts"), example="one with a question")
        (said,) = json.loads(EXAMPLES.read_text(encoding="utf-8"))["answerLayout"]["request"].values()
        schema.assert_documented(put_answers(caller, layout.pk, said), example="told")

    def test_of_reading(self) -> None:
        caller = acme()
        schema.assert_documented(caller.get("/mawbs"))
        rows = [guide_row(1), guide_row(2, **{"Peso (kg)": None, "Valor FOB USD": None, "Nombre destinatario": None})]
        codes = [row["tracking_code"] for row in caller.upload(workbook_bytes(rows)).json()["guides"]]
        moved = Guide.objects.get(tracking_code=codes[0])
        bring(moved, "customs_processing", "customs_held")
        tell(moved, "in_transit", "operator", client_note="found")
        for path in (
            "/mawbs",
            "/mawbs/",
            f"/mawbs/{MAWB}",
            f"/mawbs/{MAWB}/",
            f"/mawbs/{MAWB}/findings",
            "/mawbs?limit=1&status=registered",
            f"/mawbs/{MAWB}/guides",
            f"/mawbs/{MAWB}/guides?limit=1",
            *(f"/guides/{code}" for code in codes),
        ):
            answer = caller.get(path)
            assert answer.status_code == 200
            schema.assert_documented(answer)
        assert caller.get(f"/guides/{codes[1]}").json()["weight_kg"] is None

    @pytest.mark.parametrize("endpoint", [LIST, MAWB_DETAIL, GUIDES, FINDINGS], ids=lambda endpoint: endpoint.name)
    def test_of_what_has_not_changed(self, endpoint: Endpoint) -> None:
        caller = acme()
        caller.upload()
        caller.client = Client(headers={"If-None-Match": endpoint.ask(caller).headers["ETag"]})
        answer = endpoint.ask(caller)
        assert answer.status_code == 304
        schema.assert_documented(answer)

    @pytest.mark.parametrize("path", ["/health", "/health/", "/docs/templates/manifest-CL.xlsx"])
    def test_of_what_needs_no_password(self, path: str) -> None:
        answer = Client().get(path)
        assert answer.status_code == 200
        schema.assert_documented(answer)


def _request(operation: str) -> Any:
    (body,) = json.loads(EXAMPLES.read_text(encoding="utf-8"))[operation]["request"].values()
    return body


class TestTheExamples:
    """One shipment's way through the API, as the document tells it."""

    REQUEST = json.loads(EXAMPLES.read_text(encoding="utf-8"))["postManifest"]["request"]["chile"]

    def test_of_a_manifest_in_json(self) -> None:
        caller, mawb = acme(), self.REQUEST["mawb"]
        schema.assert_documented(caller.get("/mawbs"), example="none")
        schema.assert_documented(validate_json(caller, self.REQUEST), example="good")
        created = caller.post_json(self.REQUEST)
        schema.assert_documented(created, example="created")
        schema.assert_documented(validate_json(caller, self.REQUEST), example="known")
        schema.assert_documented(caller.get(f"/mawbs/{mawb}/findings"), example="json")
        held = Guide.objects.get(hawb="AND2612150102")
        assert tell(held, "customs_held", "customs", client_note="Inspección").outcome == "advanced"
        schema.assert_documented(caller.get("/mawbs"), example="one")
        schema.assert_documented(caller.get(f"/mawbs/{mawb}"), example="held")
        schema.assert_documented(caller.get(f"/mawbs/{mawb}/guides?limit=1"), example="first page")
        schema.assert_documented(caller.get(f"/guides/{held.tracking_code}"), example="held")

    def test_of_changes(self) -> None:
        caller, mawb = acme(), self.REQUEST["mawb"]
        schema.assert_documented(caller.get("/me"), example="client")
        caller.post_json(self.REQUEST)
        code, other = Guide.objects.order_by("id").values_list("tracking_code", flat=True)
        schema.assert_documented(patch(caller, code, _request("correct")), example="to its owner")
        schema.assert_documented(cancel(caller, other, _request("cancel")), example="to its owner")
        schema.assert_documented(caller.get(f"/guides?hawb={self.REQUEST['guides'][0]['hawb']}"), example="one")
        schema.assert_documented(void(caller, mawb, reason="Sent twice"), example="voided")

    def test_of_workbooks(self) -> None:
        caller = acme()
        good = workbook_bytes([guide_row(1), guide_row(1, Contenido="Medias"), guide_row(2)], mawb="045-70310122")
        remarked = workbook_bytes([guide_row(1, RUT="1-1"), guide_row(2, HAWB=None)], mawb="045-12345675")
        for name, book, mawb in (("created", good, "045-70310122"), ("warnings", remarked, "045-12345675")):
            schema.assert_documented(validate_workbook(caller, book), example=name)
            schema.assert_documented(caller.upload(book), example=name)
            schema.assert_documented(caller.get(f"/mawbs/{mawb}/findings"), example=name)

    def test_of_a_job(self) -> None:
        caller = acme()
        queued = queue(caller)
        schema.assert_documented(queued, example="queued")
        path = f"/jobs/{queued.json()['job_id']}"
        schema.assert_documented(caller.get(path), example="queued")
        caller.upload(BOOK)

        def is_done() -> bool:  # other tests may hold the machine's places to read workbooks
            work()
            return bool(caller.get(path).json()["status"] != "queued")

        wait_until(is_done)
        schema.assert_documented(caller.get(path), example="failed")


def test_the_order_of_fields_is_the_documents() -> None:
    caller = acme()
    code = caller.post_json(manifest()).json()["guides"][0]["tracking_code"]
    schemas = schema.document()["components"]["schemas"]
    assert list(caller.get(f"/guides/{code}").json()) == list(schemas["Guide"]["properties"])
    assert list(caller.get("/mawbs").json()["mawbs"][0]) == list(schemas["MawbSummary"]["properties"])
    assert list(caller.get(f"/mawbs/{MAWB}").json()) == list(schemas["MawbDetail"]["properties"])
    assert list(caller.get(f"/mawbs/{MAWB}/findings").json()) == list(schemas["Findings"]["properties"])
