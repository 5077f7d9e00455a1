"""Keeping stored files and their rows consistent: both exist or neither does. `sweep_files` resolves the rest."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError

from shipments.files.storage import StoredFile
from shipments.models import ManifestFile

log = structlog.get_logger(__name__)


@contextmanager
def discarded_on_refusal(files: Iterable[StoredFile]) -> Iterator[None]:
    """Delete `files` if the block that writes their rows fails without leaving any. The block may add to `files`.

    Files are kept if the database connection was lost: the commit may have succeeded or still succeed, and a row
    without its file cannot be repaired. `sweep_files` later deletes files that have no row.
    """
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except BaseException:
        _discard_unnamed(list(files))
        raise


def _discard_unnamed(files: Iterable[StoredFile]) -> None:
    """Delete the files without a row. The error does not show whether the rows were committed, so they are queried."""
    by_name = {file.name: file for file in files}
    if not by_name:
        return
    try:
        named = set(ManifestFile.objects.filter(file__in=by_name).values_list("file", flat=True))
    except DatabaseError as error:
        log.warning("refused files stay until they are swept", exc_info=error)
        return
    for name in by_name.keys() - named:
        by_name[name].discard()
