"""Imports of event files from the upload to the result: a row in the database, the file in the private storage.

The file is stored before its row is written, and deleted after the row no longer refers to it. A crash can leave a file
without a row; `sweep_files` deletes it. Only the operator who uploaded a file can open its import. The file is not
uploaded again after the preview, so the import runs on exactly what was previewed.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import User
from django.utils import timezone

from shipments.files.storage import file_store
from shipments.files.stored_files import delete_stored
from shipments.models import BulkMove, MoveState
from shipments.tracking.event_files.report import Report


def add_import(name: str, original_name: str, operator: User, *, total: int) -> BulkMove:
    """Create the row of a readable file that was stored as `name`."""
    return BulkMove.objects.create(
        operator=operator,
        actor=operator.get_username(),
        file=name,
        original_name=original_name[:200],
        total=total,
    )


def content_of(event_import: BulkMove) -> AbstractContextManager[Path]:
    """Return a context manager that gives the file's path. Raises `FileNotFoundError`."""
    return file_store().local_copy(str(event_import.file.name))


@contextmanager
def claimed(event_import: BulkMove) -> Iterator[Path | None]:
    """Claim the import and yield its file, or None if it is already claimed. A failure makes it wait again."""
    mine = BulkMove.objects.filter(pk=event_import.pk)
    if not mine.waiting().update(state=MoveState.RUNNING, started_at=timezone.now()):
        yield None
        return
    try:
        with content_of(event_import) as path:
            yield path
    except BaseException:
        mine.filter(state=MoveState.RUNNING).update(state=MoveState.WAITING, started_at=None)
        raise


def finish(event_import: BulkMove, report: Report) -> None:
    """Store the result of each row, and delete the file."""
    name = event_import.file.name
    event_import.state = MoveState.DONE
    event_import.file = ""
    event_import.lines = list(report.lines)
    event_import.tally = {outcome.value: count for outcome, count in report.tally}
    event_import.finished_at = timezone.now()
    event_import.save(update_fields=["state", "file", "lines", "tally", "finished_at"])
    delete_stored([str(name)])


def sweep_moves(older_than: datetime, *, dry_run: bool) -> int:
    """Clean up bulk moves older than `older_than`.

    Those that were never confirmed are deleted with their files, those that never ended are marked as stopped, and the
    results by row are emptied. Returns the number of moves affected.

    dry_run: only count them.
    """
    waiting = BulkMove.objects.never_confirmed().filter(created_at__lt=older_than)
    running = BulkMove.objects.begun_before(older_than)
    ended = BulkMove.objects.filter(finished_at__lt=older_than).exclude(lines=[], guides=[])
    if dry_run:
        return (waiting | running | ended).count()
    names = list(waiting.values_list("file", flat=True)) + list(running.values_list("file", flat=True))
    swept = waiting.delete()[0] + ended.update(lines=[], guides=[])
    swept += running.update(state=MoveState.STOPPED, file="", guides=[], token=None, held_until=None)
    # An import that was started in the meantime still has its row and needs its file.
    kept = set(BulkMove.objects.filter(file__in=names).values_list("file", flat=True))
    delete_stored([name for name in names if name and name not in kept])
    return swept


def forget_moves(before: datetime, *, dry_run: bool = False) -> int:
    """Blank the file names, the results and the notes of moves before `before`, and return how many.

    Names and notes may be personal.
    """
    old = BulkMove.objects.filter(created_at__lt=before).exclude(state=MoveState.WAITING)
    named = old.exclude(original_name="", lines=[], event={})
    return named.count() if dry_run else named.update(original_name="", lines=[], event={})
