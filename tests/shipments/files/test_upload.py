"""Uploads into a bucket: the same promises as on disk, and an outage loses nothing."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from shipments.errors import StorageUnavailable
from shipments.intake import ingest as storing
from shipments.models import Manifest, ManifestFile
from tests.books import workbook_bytes
from tests.buckets import Bucket, ObjectStore
from tests.conftest import Caller, as_file
from tests.shipments.files.conftest import in_days, keep_files_in, sweep

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7 invoice %%EOF"


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
        create = storing._create

        def looking(*args: Any, **kwargs: Any) -> Any:
            seen.append((len(bucket.names()), ManifestFile.objects.count()))
            return create(*args, **kwargs)

        monkeypatch.setattr(storing, "_create", looking)
        acme.upload(invoice_file=as_file(PDF, "i.pdf"))
        assert seen == [(2, 0)]

    def test_names_are_random_and_nobody_may_read_without_a_key(self, acme: Caller, bucket: Bucket) -> None:
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
        monkeypatch.setattr(storing, "judge", lambda _owner, parsed, **_named: parsed)
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

    def test_a_refusal_is_reported_also_when_the_file_cannot_be_deleted(
        self, acme: Caller, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        acme.upload()
        monkeypatch.setattr(storing, "judge", lambda _owner, parsed, **_named: parsed)

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
