"""What no row names is deleted from a bucket, and an outage stops nobody."""

from datetime import UTC, datetime
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from shipments.files import storage
from shipments.models import Manifest, ManifestFile
from tests.books import workbook_bytes
from tests.buckets import Bucket, ObjectStore
from tests.conftest import Caller
from tests.shipments.files.conftest import in_days, keep_files_in, sweep

pytestmark = pytest.mark.django_db


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
        with (
            in_days(2),
            django_assert_max_num_queries(18),
        ):  # a batch of names each; moves, refusals, drafts, unfinished jobs, sessions, passwords, limits of each kind
            assert "Would delete 1001 stored" in sweep("--dry-run")
        assert requests == ["ListObjectsV2"] * 2

    def test_months_look_only_where_files_were_stored_lately(self, bucket: Bucket) -> None:
        old, recent = bucket.put("2024/01/old.xlsx"), bucket.put(f"{timezone.now():%Y/%m}/recent.xlsx")
        with in_days(2):
            assert "Deleted 1 stored" in sweep("--months", "3")
        assert bucket.names() == [old]
        assert recent not in bucket.names()


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
    [(1, ["2026/03"]), (4, ["2026/03", "2026/02", "2026/01", "2025/12"])],
)
def test_recent_directories_end_where_a_year_begins_and_go_on(months: int, expected: list[str]) -> None:
    assert storage.recent_directories(months, datetime(2026, 3, 31, tzinfo=UTC)) == expected


def test_a_bucket_is_used_only_when_one_is_named() -> None:
    from prealerts import settings as ours  # noqa: PLC0415  # the module itself, not Django's view of it

    assert urlsplit(ours.S3_ENDPOINT_URL).netloc == ""
    assert ours.STORAGES["default"] == {"BACKEND": "shipments.files.storage.DurableStorage"}
