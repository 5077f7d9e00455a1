"""A bucket of its own for each test, and the settings that keep files in it."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from tests.buckets import KEYS, REGION, Bucket, ObjectStore, object_store


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as running:
        yield running


def keep_files_in(settings: Any, bucket: Bucket, **options: Any) -> None:
    """As the settings are when S3_BUCKET is set."""
    for name, value in KEYS.items():
        setattr(settings, name, value)
    named = {"bucket_name": bucket.name, "endpoint_url": bucket.store.endpoint, "region_name": REGION}
    backend = {"BACKEND": "shipments.files.object_storage.ObjectStorage", "OPTIONS": named | options}
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
