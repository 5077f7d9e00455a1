"""Stored files and the rows that name them: both, or neither, or for the sweeper to tell."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import InterfaceError, OperationalError

from shipments.storage import StoredFile


@contextmanager
def discarded_on_refusal(files: Iterable[StoredFile]) -> Iterator[None]:
    """Discard `files`, as many as there are by then, when the block that writes their rows fails.

    Not when the database went away: a commit whose acknowledgement was lost may stand, and a row without its file
    cannot be mended. `sweep_files` asks again later and deletes what no row names.
    """
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except BaseException:
        for file in files:
            file.discard()
        raise
