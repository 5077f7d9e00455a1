"""Received files in an S3-compatible bucket, for web servers that do not share a disk."""

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
"""Larger than any accepted file. Each file is a single PUT, which is atomic and leaves no partial uploads behind."""

log = structlog.get_logger(__name__)


@contextmanager
def _raise_unavailable() -> Iterator[None]:
    """Raise `StorageUnavailable` for any error of a bucket that cannot be reached or refuses access."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        # The message of a ClientError contains the operation and the service's code, never a key or a file name.
        code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
        log.error("storage_unavailable", code=code)  # noqa: TRY400  # the traceback is only boto's
        raise StorageUnavailable from error


class ObjectStorage(S3Storage):  # type: ignore[misc]  # untyped in its library
    """A private bucket. A PUT is durable once it is answered, so the object exists before its row.

    Implements `shipments.files.storage.FileStore`. Every method raises `StorageUnavailable` if the bucket cannot be
    reached, does not exist or refuses the key.
    """

    def get_default_settings(self) -> dict[str, Any]:
        """Set the options common to all installations. Names are UUIDs, so existing files are not checked for."""
        defaults: dict[str, Any] = super().get_default_settings()
        return defaults | {
            "default_acl": None,
            "file_overwrite": True,
            "max_memory_size": 1024 * 1024,  # of a file that is being read; the rest is spooled to disk
            "transfer_config": TransferConfig(multipart_threshold=ONE_REQUEST_BYTES, use_threads=False),
            # An upload waits for this: three attempts of a few seconds, then the client gets a 503.
            "client_config": Config(
                connect_timeout=3, read_timeout=10, retries={"mode": "standard", "max_attempts": 3}
            ),
        }

    @property
    def bucket(self) -> "Bucket":
        """Return the bucket of this thread. The library shares one, but boto's resources are not thread-safe."""
        bucket: Bucket = self.connection.Bucket(self.bucket_name)
        return bucket

    def delete(self, name: str) -> None:
        """Delete the object. A missing object is not an error."""
        with _raise_unavailable():
            super().delete(name)

    def exists(self, name: str) -> bool:
        with _raise_unavailable():
            return bool(super().exists(name))

    def listing(self, directory: str = "") -> Iterator[tuple[str, datetime]]:
        """See `FileStore`. Each request lists a thousand names with their times."""
        root = f"{self.location.strip('/')}/".lstrip("/")
        prefix = root + (f"{directory}/" if directory else "")
        with _raise_unavailable():
            pages = self.connection.meta.client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=prefix):
                for found in page.get("Contents", []):
                    name = found["Key"].removeprefix(root)
                    if not any(part.startswith(".") for part in name.split("/")):
                        yield name, found["LastModified"]

    def versions(self) -> Iterator[dict[str, object]]:
        """Yield `name`, `version`, `size_bytes` and `changed_at` of each object as it is now, for a backup."""
        root = f"{self.location.strip('/')}/".lstrip("/")
        with _raise_unavailable():
            pages = self.connection.meta.client.get_paginator("list_object_versions")
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=root):
                for found in page.get("Versions", []):
                    if found["IsLatest"]:
                        yield {
                            "name": found["Key"].removeprefix(root),
                            "version": found["VersionId"],
                            "size_bytes": found["Size"],
                            "changed_at": found["LastModified"].isoformat(),
                        }

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        """See `FileStore`. The file is a temporary copy that is deleted afterwards."""
        Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, path = tempfile.mkstemp(dir=settings.FILE_UPLOAD_TEMP_DIR, suffix=".copy")
        try:
            with os.fdopen(descriptor, "wb") as copy, self.open(name) as file:
                copy.writelines(file.chunks())
            yield Path(path)
        finally:
            Path(path).unlink(missing_ok=True)

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        """Read the whole object, so that an outage is raised here and not in the middle of a response."""
        Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
        with _raise_unavailable():
            file: File[Any] = super()._open(name, mode)
            file.open()
            return file

    def _save(self, name: str, content: "File[Any]") -> str:
        with _raise_unavailable():
            saved: str = super()._save(name, content)
            return saved
