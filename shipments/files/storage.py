"""Where the received files live: private, and safely kept before the database speaks of them.

On disk (`DurableStorage`) or, for more than one web machine, in a bucket (`object_storage.ObjectStorage`).
"""

import hashlib
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, cast

import structlog
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from shipments.errors import StorageUnavailable
from shipments.models import FileKind, ManifestFile

log = structlog.get_logger(__name__)

LOOKED_UP = 500
"""Stored names asked for by one statement."""
WAITING_DIRECTORY = "waiting"
"""Where files lie that wait between two pages of the admin."""
_EXTENSIONS = {FileKind.MANIFEST: "xlsx", FileKind.INVOICE: "pdf"}


class FileStore(Protocol):
    """What we ask of a storage beside what Django asks of every one."""

    def listing(self, directory: str = "") -> Iterator[tuple[str, datetime]]:
        """Each file under `directory`, however deep, with the moment of its last change; hidden ones left out."""

    def claim(self, name: str) -> bool:
        """Make an empty file; False when there is one. Of several who try at once, one succeeds."""

    def local_copy(self, name: str) -> AbstractContextManager[Path]:
        """The file as a path on this machine, to be read only. Raises `FileNotFoundError`."""


def file_store() -> FileStore:
    """The storage that the settings name, with all that it can do."""
    return cast("FileStore", default_storage)


class DurableStorage(FileSystemStorage):
    """The file system, with the file and its directory flushed: a row must never speak of a file that a power
    failure took back."""

    def listing(self, directory: str = "") -> Iterator[tuple[str, datetime]]:
        """As `FileStore` says. What goes while we look is left out."""
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

    def claim(self, name: str) -> bool:
        """As `FileStore` says."""
        path = Path(self.path(name))
        path.parent.mkdir(mode=self.directory_permissions_mode or 0o700, parents=True, exist_ok=True)
        try:
            path.touch(mode=self.file_permissions_mode or 0o600, exist_ok=False)
        except FileExistsError:
            return False
        return True

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        """As `FileStore` says: the file itself."""
        path = Path(self.path(name))
        if not path.exists():
            raise FileNotFoundError(name)
        yield path

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
        try:
            default_storage.delete(self.name)
        except (OSError, StorageUnavailable) as error:
            # The refusal is what the client has to hear; `sweep_files` finds what stays.
            log.warning("a refused file stays until it is swept", exc_info=error)


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


def problem_of(file: ManifestFile) -> str:
    """`missing`, `damaged` (its digest is another than was recorded), or nothing when all is well."""
    try:
        with file.file.open("rb") as stored:
            digest = hashlib.file_digest(stored, "sha256").hexdigest()
    except FileNotFoundError:
        return "missing"
    return "" if digest == file.sha256 else "damaged"


def unknown_files(older_than: datetime, directories: Sequence[str] = ("",)) -> Iterator[str]:
    """Names in the storage, last changed before `older_than`, that no row speaks of: what a crash left behind.

    directories: where to look; everywhere when left out. Uploads still on their way lie in a hidden directory beside
    them, and are not the storage's. A bucket is listed a thousand names at a time, and rows are asked for
    `LOOKED_UP` at a time, so that years of files cost neither memory nor a question each.
    """
    listed = (name for place in directories for name, changed in file_store().listing(place) if changed < older_than)
    while names := list(islice(listed, LOOKED_UP)):
        known = set(ManifestFile.objects.filter(file__in=names).values_list("file", flat=True))
        yield from (name for name in names if name not in known)


def recent_directories(months: int, now: datetime) -> list[str]:
    """The directories that `store` used in this month and the `months` - 1 before it, and every other kind of file's.

    months: from 1.
    """
    first = now.replace(day=1)
    found = []
    for _ in range(months):
        found.append(f"{first:%Y/%m}")
        first = (first - timedelta(days=1)).replace(day=1)
    return [*found, WAITING_DIRECTORY]
