"""The received files in a bucket that speaks S3: for web machines that share no disk."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.base import File
from storages.backends.s3 import S3Storage

from shipments.errors import StorageUnavailable

if TYPE_CHECKING:
    from mypy_boto3_s3.service_resource import Bucket

ONE_REQUEST_BYTES = 64 * 1024 * 1024
"""Above every file we take: each is one PUT, there whole or not at all, and no half-sent parts are ever left behind."""
_TAKEN = {409, 412}
"""What a PUT under the condition that nothing is there hears when something is, or is being written this moment."""

log = structlog.get_logger(__name__)


@contextmanager
def _outages_told() -> Iterator[None]:
    """Whatever a bucket raises that cannot be reached or refuses us becomes `StorageUnavailable`."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        # The message of a ClientError names the operation and the service's own code, never a key or a file.
        code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
        log.error("storage_unavailable", code=code)  # noqa: TRY400  # the frames are boto's
        raise StorageUnavailable from error


class ObjectStorage(S3Storage):  # type: ignore[misc]  # untyped in its library
    """A private bucket. A PUT that was answered is durable, so the object is there before the row is.

    Implements `shipments.files.storage.FileStore`. Every method raises `StorageUnavailable` when the bucket cannot be
    reached, does not exist, or refuses our key.
    """

    def get_default_settings(self) -> dict[str, Any]:
        """What does not depend on the installation. Names are UUIDs: asking before each PUT would be in vain."""
        defaults: dict[str, Any] = super().get_default_settings()
        return defaults | {
            "default_acl": None,
            "file_overwrite": True,
            "max_memory_size": 1024 * 1024,  # of a file that is read; the rest of it waits on disk
            "transfer_config": TransferConfig(multipart_threshold=ONE_REQUEST_BYTES, use_threads=False),
            # An upload waits for this; three tries of a few seconds, then the client hears 503.
            "client_config": Config(
                connect_timeout=3, read_timeout=10, retries={"mode": "standard", "max_attempts": 3}
            ),
        }

    @property
    def bucket(self) -> "Bucket":
        """The library keeps one for all threads, and boto's resources are not made for that."""
        bucket: Bucket = self.connection.Bucket(self.bucket_name)
        return bucket

    def delete(self, name: str) -> None:
        """Nothing happens where nothing is."""
        with _outages_told():
            super().delete(name)

    def exists(self, name: str) -> bool:
        with _outages_told():
            return bool(super().exists(name))

    def listing(self, directory: str = "") -> Iterator[tuple[str, datetime]]:
        """As `FileStore` says: a thousand names a request, each with its moment."""
        root = f"{self.location.strip('/')}/".lstrip("/")
        prefix = root + (f"{directory}/" if directory else "")
        with _outages_told():
            pages = self.connection.meta.client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=prefix):
                for found in page.get("Contents", []):
                    name = found["Key"].removeprefix(root)
                    if not any(part.startswith(".") for part in name.split("/")):
                        yield name, found["LastModified"]

    def claim(self, name: str) -> bool:
        """As `FileStore` says, by a PUT on the condition that nothing is there."""
        with _outages_told():
            try:
                self.bucket.Object(self._normalize_name(name)).put(Body=b"", IfNoneMatch="*")
            except ClientError as error:
                if error.response["ResponseMetadata"]["HTTPStatusCode"] in _TAKEN:
                    return False
                raise
        return True

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        """As `FileStore` says: a temporary copy, gone afterwards."""
        Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, path = tempfile.mkstemp(dir=settings.FILE_UPLOAD_TEMP_DIR, suffix=".copy")
        try:
            with os.fdopen(descriptor, "wb") as copy, self.open(name) as file:
                copy.writelines(file.chunks())
            yield Path(path)
        finally:
            Path(path).unlink(missing_ok=True)

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        """The whole object at once: an outage is told here, not in the middle of an answer."""
        Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
        with _outages_told():
            file: File[Any] = super()._open(name, mode)
            file.open()
            return file

    def _save(self, name: str, content: "File[Any]") -> str:
        with _outages_told():
            saved: str = super()._save(name, content)
            return saved
