"""Stored files and the rows that name them: both, or neither, or for the sweeper to tell."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError

from shipments.files.storage import StoredFile
from shipments.models import ManifestFile

log = structlog.get_logger(__name__)


@contextmanager
def discarded_on_refusal(files: Iterable[StoredFile]) -> Iterator[None]:
    """Discard `files`, as many as there are by then, when the block that writes their rows fails and left none.

    Not when the database went away: a commit whose acknowledgement was lost may stand, or be about to, and a row
    without its file cannot be mended. `sweep_files` asks again later and deletes what no row names.
    """
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except BaseException:
        _discard_unnamed(list(files))
        raise


def _discard_unnamed(files: Iterable[StoredFile]) -> None:
    """What failed may have failed once the rows were committed: the rows tell, not the error."""
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
