"""Review, correction, retention and invoices: what a person decides about a guide, and what is kept of it."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile

from base.errors import ValidationFailed
from shipments.errors import GuideNotUnderRetention
from shipments.files.invoices import attach_invoice
from shipments.models import Guide, Manifest, ManifestFile
from shipments.tracking.review import lift_retention, mark_reviewed
from tests.conftest import Caller
from tests.shipments.shipping import correct_as_operator, shipped, tell

pytestmark = pytest.mark.django_db

WRONG_RUT = {
    "consignee_name": "María Pérez",
    "consignee_document_type": "RUT",
    "consignee_document": "12345678-9",
    "review_reasons": ("rut_invalid_format",),
}


def waiting(caller: Caller, **row: Any) -> Guide:
    """A guide that waits for review because of its RUT."""
    return shipped(caller.company, 1, **{**WRONG_RUT, **row}).guides.get()


class TestMarkingReviewed:
    def test_takes_guides_off_the_work_list_and_keeps_the_reasons(self, acme: Caller, rival: Caller) -> None:
        guide, other = waiting(acme), waiting(rival)
        assert mark_reviewed(Guide.objects.filter(pk=guide.pk), actor="ana") == [guide]
        guide.refresh_from_db()
        assert (guide.needs_review, guide.reviewed_by, guide.review_reasons) == (False, "ana", ["rut_invalid_format"])
        assert guide.reviewed_at is not None
        assert list(Guide.objects.filter(needs_review=True)) == [other]

    def test_leaves_alone_what_does_not_wait(self, acme: Caller) -> None:
        guide = shipped(acme.company, 1).guides.get()
        assert mark_reviewed(Guide.objects.all(), actor="ana") == []
        guide.refresh_from_db()
        assert guide.reviewed_at is None


class TestCorrecting:
    def test_a_rut_keeps_its_normal_form_and_ends_the_review(self, acme: Caller) -> None:
        guide = waiting(acme)
        correction = correct_as_operator(guide, {"consignee_document": " 12.345.678-5 "}, actor="ana")
        guide.refresh_from_db()
        assert guide.consignee_document == "12345678-5"
        assert (guide.needs_review, guide.reviewed_by, guide.review_reasons) == (False, "ana", [])
        assert (correction.before, correction.after) == (
            {"consignee_document": "12345678-9"},
            {"consignee_document": "12345678-5"},
        )
        assert correction.ends_review

    def test_a_wrong_rut_is_refused_and_nothing_is_changed(self, acme: Caller) -> None:
        guide = waiting(acme)
        changes = {"consignee_name": "Otra", "consignee_document": "12345678-0"}
        with pytest.raises(ValidationFailed) as refused:
            correct_as_operator(guide, changes, actor="ana")
        assert refused.value.details == {
            "consignee_document": ["The check digit of the RUT does not match its number."]
        }
        assert "12345678" not in str(refused.value)
        assert Guide.objects.get() == guide
        assert Guide.objects.get().consignee_name == "María Pérez"

    def test_a_name_alone_is_not_an_answer_to_a_wrong_rut(self, acme: Caller) -> None:
        guide = waiting(acme)
        changes = {"consignee_name": "María  Pérez\nSoto", "consignee_document": "12345678-9"}
        correction = correct_as_operator(guide, changes, actor="ana")
        guide.refresh_from_db()
        assert (guide.consignee_name, guide.needs_review) == ("María Pérez Soto", True)
        assert (correction.after, correction.ends_review) == ({"consignee_name": "María Pérez Soto"}, False)

    def test_other_reasons_for_review_outlive_the_documents(self, acme: Caller) -> None:
        guide = waiting(acme, review_reasons=("rut_invalid_format", "another_reason"))
        assert not correct_as_operator(guide, {"consignee_document": "12345678-5"}, actor="ana").ends_review
        guide.refresh_from_db()
        assert (guide.needs_review, guide.review_reasons) == (True, ["another_reason"])

    def test_what_was_reviewed_before_is_not_opened_again(self, acme: Caller) -> None:
        guide = waiting(acme, review_reasons=("rut_invalid_format", "another_reason"))
        mark_reviewed(Guide.objects.all(), actor="ana")
        correct_as_operator(guide, {"consignee_document": "12345678-5"}, actor="ana")
        guide.refresh_from_db()
        assert (guide.needs_review, guide.review_reasons) == (False, ["another_reason"])

    def test_a_placeholder_passes_and_is_to_be_looked_at(self, acme: Caller) -> None:
        guide = shipped(acme.company, 1).guides.get()
        correct_as_operator(guide, {"consignee_document": "11111111-1"}, actor="ana")
        guide.refresh_from_db()
        assert (guide.consignee_document_type, guide.consignee_document) == ("RUT", "11111111-1")
        assert guide.needs_review
        assert len(guide.review_reasons) == 1

    def test_no_change_is_not_a_correction(self, acme: Caller) -> None:
        correction = correct_as_operator(waiting(acme), {"consignee_name": "María Pérez"}, actor="ana")
        assert (correction.before, correction.after, correction.ends_review) == ({}, {}, False)

    def test_no_personal_data_reaches_the_log(self, acme: Caller, caplog: pytest.LogCaptureFixture) -> None:
        correct_as_operator(waiting(acme), {"consignee_document": "12345678-5", "consignee_city": "Ñuñoa"}, actor="ana")
        assert "guide_corrected" in caplog.text
        assert "12345678" not in caplog.text
        assert "uñoa" not in caplog.text


class TestLiftingARetention:
    def test_lets_the_guide_go_on_and_keeps_why_and_who(self, acme: Caller) -> None:
        guide, other = shipped(acme.company, 2, country="PE", retention_reason="FOB").guides.order_by("id")
        assert tell(guide, "delivered").refusal is not None
        lift_retention(guide, reason=" Paid ", actor="ana")
        guide.refresh_from_db()
        assert (guide.retention_required, guide.retention_reason) == (False, "FOB")
        assert (guide.retention_lifted_by, guide.retention_lifted_reason) == ("ana", "Paid")
        assert guide.retention_lifted_at is not None
        assert [event.status for event in guide.events.all()] == ["registered"], "no customs event is invented"
        assert tell(guide, "delivered").outcome == "advanced"
        other.refresh_from_db()
        assert other.retention_required

    def test_needs_a_retention_and_a_reason(self, acme: Caller) -> None:
        free = shipped(acme.company, 1).guides.get()
        held = shipped(acme.company, 1, retention_reason="FOB").guides.get()
        with pytest.raises(GuideNotUnderRetention):
            lift_retention(free, reason="Paid", actor="ana")
        for reason in ("", "   ", "x" * 256, "a\0b"):
            with pytest.raises(ValidationFailed):
                lift_retention(held, reason=reason, actor="ana")
        held.refresh_from_db()
        assert held.retention_required


def pdf(content: bytes = b"%PDF-1.7 first") -> "UploadedFile[bytes]":
    """A file as our upload handler leaves it."""
    file = SimpleUploadedFile("invoice.pdf", content)
    file.sha256 = hashlib.sha256(content).hexdigest()  # type: ignore[attr-defined]  # as the handler does
    return file


def stored(media: Path) -> list[bytes]:
    return [path.read_bytes() for path in media.rglob("*") if path.is_file()]


@pytest.mark.django_db(transaction=True)
class TestInvoices:
    @pytest.fixture
    def manifest(self, acme: Caller) -> Manifest:
        return shipped(acme.company, 1)

    def test_one_is_attached_and_replaced_and_the_old_file_goes(self, manifest: Manifest, media: Path) -> None:
        _first, replaced_by_first = attach_invoice(manifest, pdf(), actor="ana")
        assert replaced_by_first == ""
        _second, replaced_by_second = attach_invoice(manifest, pdf(b"%PDF-1.7 second"), actor="ana")
        assert replaced_by_second == hashlib.sha256(b"%PDF-1.7 first").hexdigest()
        (row,) = manifest.files.all()
        assert (row.kind, row.size_bytes, row.sha256) == (
            "invoice",
            15,
            hashlib.sha256(b"%PDF-1.7 second").hexdigest(),
        )
        assert stored(media) == [b"%PDF-1.7 second"]

    def test_only_a_pdf_is_taken(self, manifest: Manifest, media: Path) -> None:
        with pytest.raises(ValidationFailed) as refused:
            attach_invoice(manifest, pdf(b"<html>"), actor="ana")
        assert list(refused.value.details) == ["invoice_file"]
        assert stored(media) == []

    def test_a_failure_keeps_the_old_one(
        self, manifest: Manifest, media: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        attach_invoice(manifest, pdf(), actor="ana")

        def fail(_file: ManifestFile) -> None:
            raise RuntimeError

        monkeypatch.setattr(ManifestFile, "save", fail)
        with pytest.raises(RuntimeError):
            attach_invoice(manifest, pdf(b"%PDF-1.7 second"), actor="ana")
        assert stored(media) == [b"%PDF-1.7 first"]
        assert manifest.files.get().size_bytes == 14
