"""Where the received files live: on disk, private, flushed before the database speaks of them."""

import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from shipments.models import FileKind, ManifestFile

_EXTENSIONS = {FileKind.MANIFEST: "xlsx", FileKind.INVOICE: "pdf"}


class DurableStorage(FileSystemStorage):
    """The file system, with the file and its directory flushed: a row must never speak of a file that a power
    failure took back."""

    def _save(self, name: str, content: "File[Any]") -> str:
        saved: str = super()._save(name, content)  # type: ignore[misc]  # Django's documented hook, missing in the stubs
        path = Path(self.path(saved))
        try:
            self._flush(path)
        except OSError:
            path.unlink(missing_ok=True)  # whoever asked for it never learns its name
            raise
        return saved

    def _flush(self, path: Path) -> None:
        for place in (path, *path.parents):
            descriptor = os.open(place, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if place == Path(self.location):
                break


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that lies in the storage and waits for its row."""

    kind: FileKind
    name: str
    original_name: str
    size_bytes: int
    sha256: str

    def discard(self) -> None:
        """Delete it again: what it belonged to was refused."""
        default_storage.delete(self.name)


def store(upload: "UploadedFile[bytes]", kind: FileKind) -> StoredFile:
    """Keep an uploaded file under a name that tells nothing: year, month and a UUID."""
    name = default_storage.save(f"{timezone.now():%Y/%m}/{uuid.uuid4()}.{_EXTENSIONS[kind]}", upload)
    return StoredFile(
        kind=kind,
        name=name,
        original_name=(upload.name or "")[:255],
        size_bytes=upload.size or 0,
        sha256=upload.sha256,  # type: ignore[attr-defined]  # set by BoundedUploadHandler as the bytes came in
    )


def unknown_files(older_than: datetime, storage: Storage = default_storage) -> Iterator[str]:
    """Names in the storage, last changed before `older_than`, that no row speaks of: what a crash left behind.

    Uploads still on their way lie in a hidden directory beside them, and are not the storage's.
    """
    for name in _files_under(storage, ""):
        if name.startswith("."):
            continue
        if storage.get_modified_time(name) < older_than and not ManifestFile.objects.filter(file=name).exists():
            yield name


def _files_under(storage: Storage, directory: str) -> Iterator[str]:
    try:
        directories, files = storage.listdir(directory)
    except FileNotFoundError:  # nothing was ever stored
        return
    yield from (f"{directory}/{file}".lstrip("/") for file in files)
    for subdirectory in directories:
        yield from _files_under(storage, f"{directory}/{subdirectory}".lstrip("/"))
