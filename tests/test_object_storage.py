"""Received files in a bucket: the same promises as on disk, and an outage loses nothing."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from shipments import ingest as storing
from shipments import storage, upload
from shipments.errors import StorageUnavailable
from shipments.models import Guide, Manifest, ManifestFile
from shipments.waiting_files import State, WaitingFile
from tests.books import workbook_bytes
from tests.buckets import KEYS, REGION, Bucket, ObjectStore, object_store
from tests.companies.desk import operator, text_of
from tests.conftest import Caller, as_file
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7 invoice %%EOF"


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as running:
        yield running


def keep_files_in(settings: Any, bucket: Bucket, **options: Any) -> None:
    """As the settings are when S3_BUCKET is set."""
    for name, value in KEYS.items():
        setattr(settings, name, value)
    named = {"bucket_name": bucket.name, "endpoint_url": bucket.store.endpoint, "region_name": REGION}
    backend = {"BACKEND": "shipments.object_storage.ObjectStorage", "OPTIONS": named | options}
    settings.STORAGES = {**settings.STORAGES, "default": backend}


@pytest.fixture
def bucket(store: ObjectStore, settings: Any) -> Bucket:
    found = store.new_bucket()
    keep_files_in(settings, found)
    return found


@pytest.fixture
def no_bucket(store: ObjectStore, settings: Any) -> Bucket:
    """One that was never made: the store answers, and refuses."""
    missing = Bucket(store, "never-made")
    keep_files_in(settings, missing)
    return missing


def sweep(*arguments: str) -> str:
    output = StringIO()
    call_command("sweep_files", *arguments, stdout=output)
    return output.getvalue()


def in_days(days: float) -> Any:
    """The clock so many days on; the bucket keeps its own."""
    return time_machine.travel(timezone.now() + timedelta(days=days), tick=True)


class TestUpload:
    def test_both_files_are_in_the_bucket_byte_for_byte_and_none_stays_on_disk(
        self, acme: Caller, bucket: Bucket, media: Path
    ) -> None:
        book = workbook_bytes()
        assert acme.upload(book, invoice_file=as_file(PDF, "i.pdf")).status_code == 201
        rows = {file.kind: file for file in ManifestFile.objects.all()}
        assert bucket.names() == sorted(str(file.file.name) for file in rows.values())
        assert bucket.content(rows["manifest"].file.name) == book
        assert bucket.content(rows["invoice"].file.name) == PDF
        assert rows["manifest"].sha256 == hashlib.sha256(book).hexdigest()
        assert [path for path in media.rglob("*") if path.is_file()] == []

    def test_the_objects_are_there_before_the_rows_are(
        self, acme: Caller, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen = []
        ingest = storing.ingest

        def looking(*args: Any, **kwargs: Any) -> Any:
            seen.append((len(bucket.names()), ManifestFile.objects.count()))
            return ingest(*args, **kwargs)

        monkeypatch.setattr(upload, "ingest", looking)
        acme.upload(invoice_file=as_file(PDF, "i.pdf"))
        assert seen == [(2, 0)]

    def test_names_tell_nothing_and_nobody_may_read_without_a_key(self, acme: Caller, bucket: Bucket) -> None:
        acme.upload(as_file(workbook_bytes(), "Maria Perez 12345678-5.xlsx").read())
        (name,) = bucket.names()
        assert name.startswith(f"{timezone.now():%Y/%m}/")
        assert "Perez" not in name
        grants = bucket.store.client.get_object_acl(Bucket=bucket.name, Key=name)["Grants"]
        assert [grant["Grantee"].get("URI") for grant in grants] == [None]

    def test_a_refused_upload_leaves_no_object(
        self, acme: Caller, rival: Caller, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The race for a MAWB is lost only after the files were stored."""
        acme.upload()
        rival.upload()
        monkeypatch.setattr(upload, "refuse_known", lambda *_: None)
        response = acme.upload(invoice_file=as_file(PDF, "i.pdf"))
        assert (response.status_code, response.json()["error"]) == (409, "mawb_already_exists")
        assert bucket.names() == sorted(ManifestFile.objects.values_list("file", flat=True))
        assert len(bucket.names()) == 2

    @pytest.mark.usefixtures("no_bucket")
    def test_a_bucket_that_refuses_is_a_503_and_no_row(self, acme: Caller) -> None:
        response = acme.upload()
        assert (response.status_code, response.json()["error"]) == (503, "unavailable")
        assert "Retry-After" in response.headers
        assert "never-made" not in response.content.decode()
        assert not Manifest.objects.exists()

    def test_a_store_that_is_away_is_a_503_and_the_retry_is_taken(
        self, acme: Caller, bucket: Bucket, settings: Any
    ) -> None:
        keep_files_in(settings, Bucket(ObjectStore("http://127.0.0.1:9"), bucket.name))
        assert acme.upload().status_code == 503
        keep_files_in(settings, bucket)
        assert acme.upload().status_code == 201

    def test_a_refusal_is_told_also_when_the_file_cannot_be_deleted(
        self, acme: Caller, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        acme.upload()
        monkeypatch.setattr(upload, "refuse_known", lambda *_: None)

        def away(_name: str) -> None:
            raise StorageUnavailable

        with monkeypatch.context() as patched:
            patched.setattr(default_storage, "delete", away)
            assert acme.upload().status_code == 409
        assert len(bucket.names()) == 2
        with in_days(2):
            assert "Deleted 1 stored" in sweep()
        assert bucket.names() == list(ManifestFile.objects.values_list("file", flat=True))

    def test_a_prefix_keeps_the_files_in_a_folder_of_a_shared_bucket(
        self, acme: Caller, bucket: Bucket, settings: Any
    ) -> None:
        keep_files_in(settings, bucket, location="prealerts/files")
        bucket.put("of-somebody-else")
        acme.upload()
        name = ManifestFile.objects.get().file.name
        assert bucket.names() == ["of-somebody-else", f"prealerts/files/{name}"]
        with in_days(2):
            assert sweep() == "Deleted 0 stored and 0 unfinished files.\n"
        assert len(bucket.names()) == 2


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
        from shipments.bodies import BoundedUploadHandler  # noqa: F401, PLC0415  # the handler that hashes
        from shipments.invoices import attach_invoice  # noqa: PLC0415  # beside its only use

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


def test_a_store_that_is_away_stops_no_anonymising_and_what_it_kept_is_swept(
    acme: Caller, bucket: Bucket, settings: Any
) -> None:
    acme.upload()
    acme.upload(workbook_bytes(mawb="045-20000002"))
    keep_files_in(settings, Bucket(ObjectStore("http://127.0.0.1:9"), bucket.name))
    with in_days(10):
        with pytest.raises(CommandError, match="2 files could not be deleted"):
            call_command("anonymise", "--older-than", "5", stdout=StringIO())
        assert not Manifest.objects.filter(anonymised_at=None).exists()
        assert not ManifestFile.objects.exists()
        keep_files_in(settings, bucket)
        assert "Deleted 2 stored" in sweep()
    assert bucket.names() == []


class TestSweep:
    def test_old_orphans_go_and_what_a_row_speaks_of_stays(self, acme: Caller, bucket: Bucket) -> None:
        acme.upload()
        orphans = [bucket.put(f"2024/0{month}/orphan-{month}.xlsx") for month in range(1, 4)]
        assert "Deleted 0 stored" in sweep()  # all of them are young
        with in_days(2):
            output = sweep("--dry-run")
            assert all(orphan in output for orphan in orphans)
            assert len(bucket.names()) == 4
            assert "Deleted 3 stored" in sweep()
        assert bucket.names() == [ManifestFile.objects.get().file.name]

    def test_thousands_of_objects_are_asked_for_in_pages(
        self, acme: Caller, bucket: Bucket, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        acme.upload()
        bucket.put_many(f"2024/01/{number:04}.xlsx" for number in range(1_001))
        requests = _operations(monkeypatch)
        with in_days(2), django_assert_max_num_queries(3):
            assert "Would delete 1001 stored" in sweep("--dry-run")
        assert requests == ["ListObjectsV2"] * 2

    def test_months_look_only_where_files_were_stored_lately(self, bucket: Bucket) -> None:
        old, recent = bucket.put("2024/01/old.xlsx"), bucket.put(f"{timezone.now():%Y/%m}/recent.xlsx")
        waiting = bucket.put("waiting/1-2.waiting")
        with in_days(2):
            assert "Deleted 2 stored" in sweep("--months", "3")
        assert bucket.names() == [old]
        assert recent not in bucket.names()
        assert waiting not in bucket.names()


def _operations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the operations that are asked of the store from now on."""
    from botocore.client import BaseClient  # noqa: PLC0415  # beside its only use

    asked: list[str] = []
    call = BaseClient._make_api_call  # type: ignore[attr-defined]  # botocore's own hook for such counting

    def counting(client: Any, operation: str, parameters: Any) -> Any:
        asked.append(operation)
        return call(client, operation, parameters)

    monkeypatch.setattr(BaseClient, "_make_api_call", counting)
    return asked


@pytest.mark.parametrize(
    ("months", "expected"),
    [(1, ["2026/03", "waiting"]), (4, ["2026/03", "2026/02", "2026/01", "2025/12", "waiting"])],
)
def test_recent_directories_end_where_a_year_begins_and_go_on(months: int, expected: list[str]) -> None:
    assert storage.recent_directories(months, datetime(2026, 3, 31, tzinfo=UTC)) == expected


def test_a_bucket_is_used_only_when_one_is_named() -> None:
    from prealerts import settings as ours  # noqa: PLC0415  # the module itself, not Django's view of it

    assert urlsplit(ours.S3_ENDPOINT_URL).netloc == ""
    assert ours.STORAGES["default"] == {"BACKEND": "shipments.storage.DurableStorage"}
