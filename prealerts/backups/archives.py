"""The file of a backup: a tar of the database, the received files and, last, `contents.json` with their digests."""

import hashlib
import os
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal

import msgspec

from base.errors import DomainError
from prealerts.version import VERSION

CONTENTS = "contents.json"
BUCKET = "bucket.json"
MEDIA = "media/"
DATABASES: Mapping[str, str] = {"postgresql": "database.dump", "sqlite": "database.sqlite3"}
"""Vendor -> the member with the database."""
_LARGEST_CONTENTS_BYTES = 1024**3


class BackupRefused(DomainError):
    """The file cannot be restored here; the message says why."""


class Stored(msgspec.Struct):
    """A member of the archive."""

    size_bytes: int
    sha256: str


class Contents(msgspec.Struct, kw_only=True):
    """What is in the archive, and what made it.

    migrations: those that were applied, `app.name`. pepper: a digest under API_PASSWORD_PEPPER, to recognise it.
    bucket: where the received files are, if they are not in the archive; `bucket.json` then has their versions.
    """

    version: str
    created_at: datetime
    database: Literal["postgresql", "sqlite"]
    is_sandbox: bool
    migrations: list[str]
    pepper: str
    bucket: str = ""
    has_files: bool
    files: dict[str, Stored]


class Writer:
    """Adds members to a new archive."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self.files: dict[str, Stored] = {}
        self._archive = archive

    def add(self, name: str, source: IO[bytes]) -> None:
        entry, stat = tarfile.TarInfo(name), os.fstat(source.fileno())
        entry.size, entry.mtime, entry.mode = stat.st_size, int(stat.st_mtime), 0o600
        digested = _Digested(source)
        self._archive.addfile(entry, digested)  # type: ignore[arg-type]  # it reads, and nothing else
        self.files[name] = Stored(entry.size, digested.sha256.hexdigest())

    def finish(self, directory: Path, **told: Any) -> None:  # noqa: ANN401  # the other fields of `Contents`
        """Add the list, by way of a file in `directory`."""
        place = directory / CONTENTS
        contents = Contents(version=VERSION, files=self.files, **told)
        place.write_bytes(msgspec.json.format(msgspec.json.encode(contents), indent=1))
        with place.open("rb") as source:
            self.add(CONTENTS, source)


class _Digested:
    """A file whose digest is made while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.sha256 = file, hashlib.sha256()

    def read(self, size: int) -> bytes:
        chunk = self._file.read(size)
        self.sha256.update(chunk)
        return chunk


class Backup:
    """An archive that is whole: each member is listed, has its digest, and a name that leads nowhere else."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        """Raise `BackupRefused` for any other file, and for one of a newer version."""
        self._archive = archive
        self._members: dict[str, tarfile.TarInfo] = {}
        for member in archive:
            if not member.isreg() or member.name in self._members:
                raise BackupRefused(f"{member.name!r} in it is no file of a backup.")
            self._members[member.name] = member
        self.contents = self._read_contents()
        self._check()

    @property
    def database(self) -> str:
        """The member with the database."""
        return DATABASES[self.contents.database]

    @property
    def media(self) -> Mapping[str, Stored]:
        """Name in the storage -> the file."""
        files = self.contents.files
        return {name.removeprefix(MEDIA): each for name, each in files.items() if name.startswith(MEDIA)}

    def open(self, name: str) -> IO[bytes]:
        source = self._archive.extractfile(self._members[name])
        assert source is not None, name  # noqa: S101  # each is a file
        return source

    def _read_contents(self) -> Contents:
        member = self._members.pop(CONTENTS, None)
        if member is None or member.size > _LARGEST_CONTENTS_BYTES:
            raise BackupRefused(f"It has no {CONTENTS}: it is no backup of this program, or was cut off.")
        self._members[CONTENTS] = member
        try:
            with self.open(CONTENTS) as source:
                written = source.read()
            version: Any = msgspec.json.decode(written)["version"]
            if _numbers(version) > _numbers(VERSION):
                raise BackupRefused(f"It is of version {version}, and this is {VERSION}: install {version} first.")
            contents = msgspec.json.decode(written, type=Contents)
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
            raise BackupRefused(f"Its {CONTENTS} is damaged.") from None
        del self._members[CONTENTS]
        return contents

    def _check(self) -> None:
        files = self.contents.files
        for name in sorted(files.keys() ^ self._members.keys()):
            raise BackupRefused(f"{name!r} is {'missing' if name in files else 'not listed'}: the file is damaged.")
        for name in files:
            if name not in {self.database, BUCKET} and not _is_safe(name):
                raise BackupRefused(f"{name!r} in it is no file of a backup.")
        if self.database not in files:
            raise BackupRefused(f"It has no {self.database}.")
        for name, listed in files.items():
            with self.open(name) as source:
                digest = hashlib.file_digest(source, "sha256").hexdigest()  # type: ignore[arg-type]  # it has `readinto`
            if digest != listed.sha256 or self._members[name].size != listed.size_bytes:
                raise BackupRefused(f"{name!r} is damaged: its digest differs from the one that was recorded.")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _is_safe(name: str) -> bool:
    """Whether it is below `media/`, in no other way than spelled, and not hidden, as unfinished uploads are."""
    path = PurePosixPath(name)
    is_spelled_so = name.startswith(MEDIA) and path.as_posix() == name and "\0" not in name and "\\" not in name
    return is_spelled_so and len(path.parts) > 1 and not any(part.startswith(".") for part in path.parts)


@contextmanager
def open_backup(path: Path) -> Iterator[Backup]:
    """Open a backup. Raises `BackupRefused` before anything of it is used."""
    try:
        with tarfile.open(path, "r:") as archive:
            yield Backup(archive)
    except tarfile.TarError:
        raise BackupRefused("It is no backup, or it is damaged.") from None
