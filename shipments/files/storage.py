"""The private storage of received files. A file is stored durably before the database refers to it.

Files are on disk (`DurableStorage`) or, with more than one web server, in a bucket (`object_storage.ObjectStorage`).
"""

import hashlib
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, cast

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from shipments.models import FileKind, ManifestDraft, ManifestFile, UploadJob

LOOKED_UP = 500
"""The number of stored names looked up by one statement."""
_EXTENSIONS = {FileKind.MANIFEST: "xlsx", FileKind.INVOICE: "pdf"}


class FileStore(Protocol):
    """The methods required of a storage in addition to Django's."""

    def listing(self, directory: str = "") -> Iterator[tuple[str, datetime]]:
        """Yield each file under `directory`, at any depth, with its modification time. Hidden files are left out."""

    def local_copy(self, name: str) -> AbstractContextManager[Path]:
        """Return a context manager that gives a local, read-only path of the file. Raises `FileNotFoundError`."""


def file_store() -> FileStore:
    return cast("FileStore", default_storage)


class DurableStorage(FileSystemStorage):
    """Storage on disk that flushes the file and its directory: a power failure never leaves a row without its file."""

    def listing(self, directory: str = "") -> Iterator[tuple[str, datetime]]:
        """See `FileStore`. Files deleted in the meantime are left out."""
        for folder, subfolders, files in os.walk(self.path(directory) if directory else self.location):
            subfolders[:] = [name for name in subfolders if not name.startswith(".")]
            for file in files:
                path = Path(folder) / file
                if file.startswith("."):
                    continue
                try:
                    changed = path.stat().st_mtime
                except FileNotFoundError:
                    continue
                yield path.relative_to(self.location).as_posix(), datetime.fromtimestamp(changed, UTC)

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        """See `FileStore`. The path is that of the file itself."""
        path = Path(self.path(name))
        if not path.exists():
            raise FileNotFoundError(name)
        yield path

    def _save(self, name: str, content: "File[Any]") -> str:
        saved: str = super()._save(name, content)  # type: ignore[misc]  # documented by Django, missing in the stubs
        path = Path(self.path(saved))
        try:
            self._flush(path)
        except OSError:
            path.unlink(missing_ok=True)  # the caller never gets its name
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


def store(upload: "UploadedFile[bytes]", kind: FileKind) -> ManifestFile:
    """Store an uploaded file under a name that reveals nothing: year, month and a UUID. Its row is not saved yet."""
    name = default_storage.save(f"{timezone.now():%Y/%m}/{uuid.uuid4()}.{_EXTENSIONS[kind]}", upload)
    return ManifestFile(
        kind=kind,
        file=name,
        original_name=(upload.name or "")[:255],
        size_bytes=upload.size or 0,
        sha256=upload.sha256,  # type: ignore[attr-defined]  # set by BoundedUploadHandler
    )


def problem_of(file: ManifestFile) -> str:
    """Return `missing`, `damaged` (its digest differs from the recorded one), or an empty string if it is intact."""
    try:
        with file.file.open("rb") as stored:
            digest = hashlib.file_digest(stored, "sha256").hexdigest()
    except FileNotFoundError:
        return "missing"
    return "" if digest == file.sha256 else "damaged"


def unknown_files(older_than: datetime, directories: Sequence[str] = ("",)) -> Iterator[str]:
    """Yield the names of files last changed before `older_than` that have no row, such as those left by a crash.

    directories: where to look, by default everywhere. Unfinished uploads are in a hidden directory and are not listed.
    A bucket is listed a thousand names at a time and rows are looked up `LOOKED_UP` at a time, so that years of files
    need little memory and few queries.
    """
    uploads = (ManifestDraft.objects.all(), UploadJob.objects.unfinished())
    of_drafts = {name for each in uploads for row in each.values_list("manifest_file", "invoice_file") for name in row}
    listed = (name for place in directories for name, changed in file_store().listing(place) if changed < older_than)
    while names := list(islice(listed, LOOKED_UP)):
        known = set(ManifestFile.objects.filter(file__in=names).values_list("file", flat=True))
        yield from (name for name in names if name not in known and name not in of_drafts)


def recent_directories(months: int, now: datetime) -> list[str]:
    """Return the directories that `store` used in the last `months` months.

    months: at least 1; the current month counts as one.
    """
    first = now.replace(day=1)
    found = []
    for _ in range(months):
        found.append(f"{first:%Y/%m}")
        first = (first - timedelta(days=1)).replace(day=1)
    return found
