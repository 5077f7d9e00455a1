"""The operators' files in a bucket: downloads and invoices."""

import hashlib
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from shipments.models import Manifest, ManifestFile
from tests.books import workbook_bytes
from tests.buckets import Bucket, ObjectStore
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller, as_file
from tests.shipments.files.conftest import keep_files_in
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7 invoice %%EOF"


class TestFilesInTheAdmin:
    def test_an_operator_downloads_what_was_received(self, acme: Caller, bucket: Bucket) -> None:
        book = workbook_bytes()
        acme.upload(book)
        address = reverse("admin:shipments_manifest_download", args=[Manifest.objects.get().pk, "manifest"])
        response = operator("view_manifest").get(address)
        assert b"".join(response) == book
        assert "attachment" in response["Content-Disposition"]
        assert bucket.names()

    def test_a_replaced_invoice_is_deleted_once_that_is_certain(
        self, acme: Caller, bucket: Bucket, django_capture_on_commit_callbacks: Any
    ) -> None:
        from shipments.files.invoices import attach_invoice  # noqa: PLC0415  # beside its only use
        from shipments.v1.bodies import BoundedUploadHandler  # noqa: F401, PLC0415  # the handler that hashes

        acme.upload(invoice_file=as_file(PDF, "i.pdf"))
        old = ManifestFile.objects.get(kind="invoice").file.name
        new = SimpleUploadedFile("new.pdf", PDF + b"new")
        new.sha256 = hashlib.sha256(PDF + b"new").hexdigest()  # type: ignore[attr-defined]  # as our handler does
        with django_capture_on_commit_callbacks(execute=False) as callbacks:
            attach_invoice(Manifest.objects.get(), new, actor="ana")
        assert old in bucket.names()
        for callback in callbacks:
            callback()
        assert old not in bucket.names()
        assert bucket.content(ManifestFile.objects.get(kind="invoice").file.name) == PDF + b"new"

    def test_a_store_that_is_away_is_reported_in_words_and_the_next_try_is_taken(
        self, acme: Caller, bucket: Bucket, settings: Any
    ) -> None:
        manifest = shipped(acme.company, 1, mawb="045-12345675")
        acme.upload(mawb_book := workbook_bytes(mawb="045-20000002"))
        staff = operator("view_manifest", "change_manifest")
        stored = Manifest.objects.get(mawb="045-20000002")
        download = reverse("admin:shipments_manifest_download", args=[stored.pk, "manifest"])
        attach = reverse("admin:shipments_manifest_attach_invoice", args=[manifest.pk])

        keep_files_in(settings, Bucket(ObjectStore("http://127.0.0.1:9"), bucket.name))
        for answer in (
            staff.get(download),
            staff.post(attach, {"step": "run", "invoice_file": SimpleUploadedFile("a.pdf", PDF)}),
        ):
            assert (answer.status_code, answer["Retry-After"]) == (503, "30")
            assert "The stored files cannot be reached" in text_of(answer)
        assert not manifest.files.exists()

        keep_files_in(settings, bucket)
        assert b"".join(staff.get(download)) == mawb_book
