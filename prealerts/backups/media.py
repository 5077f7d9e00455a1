"""The received files of a backup: copied out of the storage, and put back into it."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.core.files.storage import default_storage

from prealerts.backups.archives import BUCKET, MEDIA, Backup, BackupRefused, Stored, Writer
from shipments.files.storage import file_store

if TYPE_CHECKING:
    from shipments.files.object_storage import ObjectStorage


def add_files(writer: Writer) -> None:
    """Add each received file. Those that are deleted meanwhile are left out; their rows are gone, too."""
    for name, _changed in file_store().listing():
        with suppress(FileNotFoundError), file_store().local_copy(name) as path, path.open("rb") as file:
            writer.add(MEDIA + name, file)


def add_versions(writer: Writer, directory: Path) -> None:
    """Add the list of what the bucket has now, by way of a file in `directory`."""
    place = directory / BUCKET
    with place.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in cast("ObjectStorage", default_storage).versions())
    with place.open("rb") as source:
        writer.add(BUCKET, source)


def put_back(backup: Backup) -> list[Path]:
    """Store the files of a backup, or none of them. Return those that were not there yet.

    Raises `BackupRefused` if another file has one of their names, or if there is no room.
    """
    root, missing = Path(settings.MEDIA_ROOT), {}
    root.mkdir(mode=settings.FILE_UPLOAD_DIRECTORY_PERMISSIONS, parents=True, exist_ok=True)
    for name, listed in backup.media.items():
        if not (root / name).exists():
            missing[name] = listed
        elif not _is(root / name, listed):
            raise BackupRefused(f"MEDIA_ROOT has another file {name!r}: give it an empty directory.")
    needed, free = sum(each.size_bytes for each in missing.values()), shutil.disk_usage(root).free
    if needed > free:
        raise BackupRefused(f"MEDIA_ROOT has {free:,} bytes free, and the files need {needed:,}.")
    placed: list[Path] = []
    try:
        for name in missing:
            placed.append(root / name)
            _place(backup, name, root)
    except BaseException:
        remove(placed)
        raise
    os.sync()  # before the first row speaks of them
    return placed


def remove(placed: Iterable[Path]) -> None:
    for path in placed:
        path.unlink(missing_ok=True)


def _is(path: Path, listed: Stored) -> bool:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == listed.sha256


def _place(backup: Backup, name: str, root: Path) -> None:
    path = root / name
    for parent in reversed(Path(name).parents):
        (root / parent).mkdir(mode=settings.FILE_UPLOAD_DIRECTORY_PERMISSIONS, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    beside.unlink(missing_ok=True)  # of a process that was killed
    beside.touch(mode=settings.FILE_UPLOAD_PERMISSIONS, exist_ok=False)
    try:
        with backup.open(MEDIA + name) as source, beside.open("wb") as file:
            shutil.copyfileobj(source, file)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
