"""The operators' files in a bucket: downloads, invoices, and files of events that wait for their run."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from shipments.event_files.waiting_files import State, WaitingFile
from shipments.models import Guide, Manifest, ManifestFile
from tests.books import workbook_bytes
from tests.buckets import Bucket, ObjectStore
from tests.companies.desk import operator, text_of
from tests.conftest import Caller, as_file
from tests.shipments.files.conftest import keep_files_in
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7 invoice %%EOF"


class TestTheDesk:
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

    def test_a_file_of_events_waits_in_the_bucket_and_is_done_once(self, acme: Caller, bucket: Bucket) -> None:
        shipped(acme.company, 1, mawb="045-12345675")
        desk = operator("change_guide", "view_guide")
        rows = b"mawb,hawb,status\n045-12345675,H001,in_transit\n"
        address = desk.post(reverse("import-events"), {"file": SimpleUploadedFile("scans.csv", rows)})["Location"]
        assert "What would happen" in text_of(desk.get(address))
        assert [desk.post(address).status_code, desk.post(address).status_code] == [302, 302]
        assert Guide.objects.get().events.filter(status="in_transit").count() == 1
        assert "What happened" in text_of(desk.get(address))
        assert sorted(name.rpartition(".")[2] for name in bucket.names()) == ["about", "done"]

    def test_a_store_that_is_away_is_told_in_words_and_the_next_try_is_taken(
        self, acme: Caller, bucket: Bucket, settings: Any
    ) -> None:
        manifest = shipped(acme.company, 1, mawb="045-12345675")
        acme.upload(mawb_book := workbook_bytes(mawb="045-20000002"))
        desk = operator("change_guide", "view_guide", "view_manifest", "change_manifest")
        rows = b"mawb,hawb,status\n045-12345675,H001,in_transit\n"
        waiting = desk.post(reverse("import-events"), {"file": SimpleUploadedFile("scans.csv", rows)})["Location"]
        stored = Manifest.objects.get(mawb="045-20000002")
        download = reverse("admin:shipments_manifest_download", args=[stored.pk, "manifest"])
        attach = reverse("admin:shipments_manifest_attach_invoice", args=[manifest.pk])

        keep_files_in(settings, Bucket(ObjectStore("http://127.0.0.1:9"), bucket.name))
        for answer in (
            desk.get(download),
            desk.get(waiting),
            desk.post(waiting),
            desk.get(f"{waiting}rows.csv"),
            desk.post(reverse("import-events"), {"file": SimpleUploadedFile("scans.csv", rows)}),
            desk.post(attach, {"step": "run", "invoice_file": SimpleUploadedFile("a.pdf", PDF)}),
        ):
            assert (answer.status_code, answer["Retry-After"]) == (503, "30")
            assert "The stored files cannot be reached" in text_of(answer)
        assert not Guide.objects.filter(status="in_transit").exists()
        assert not manifest.files.exists()

        keep_files_in(settings, bucket)
        assert b"".join(desk.get(download)) == mawb_book
        assert desk.post(waiting).status_code == 302
        assert Guide.objects.filter(status="in_transit").count() == 1

    def test_a_file_that_is_not_there_is_not_found(self, bucket: Bucket) -> None:
        from uuid import uuid4  # noqa: PLC0415  # beside its only use

        assert bucket.names() == []
        desk: Client = operator("change_guide")
        assert desk.get(reverse("import-events-file", args=[uuid4()])).status_code == 404


def test_of_eight_who_claim_a_waiting_file_at_once_one_gets_it(bucket: Bucket) -> None:
    file = WaitingFile.keep(SimpleUploadedFile("scans.csv", b"rows"), 1)
    together = Barrier(8)

    def claim(_number: int) -> bytes | None:
        together.wait()
        with file.claimed() as content:
            together.wait()  # nobody lets go before all have tried
            return content.read_bytes() if content else None

    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(claim, range(8)))
    assert (got.count(None), got.count(b"rows")) == (7, 1)
    file.finish([["1", "advanced"]])
    assert file.state is State.DONE
    with file.claimed() as content:
        assert content is None
    assert file.state is State.DONE
    assert len(bucket.names()) == 2


def test_work_that_fails_lets_the_file_wait_again(bucket: Bucket) -> None:
    file = WaitingFile.keep(SimpleUploadedFile("scans.csv", b"rows"), 1)
    with pytest.raises(ValueError, match="broken"), file.claimed():
        assert file.state is State.RUNNING
        raise ValueError("broken")
    assert file.state is State.WAITING
    with file.claimed() as content:
        assert content is not None
    assert len(bucket.names()) == 3
