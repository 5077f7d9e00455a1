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
from shipments.models import EventImport, ImportState
from shipments.tracking.event_files.report import Report


def add_import(name: str, original_name: str, operator: User, *, total_rows: int) -> EventImport:
    """Create the row of a readable file that was stored as `name`."""
    return EventImport.objects.create(
        operator=operator,
        actor=operator.get_username(),
        file=name,
        original_name=original_name[:200],
        total_rows=total_rows,
    )


def content_of(event_import: EventImport) -> AbstractContextManager[Path]:
    """Return a context manager that gives the file's path. Raises `FileNotFoundError`."""
    return file_store().local_copy(str(event_import.file.name))


@contextmanager
def claimed(event_import: EventImport) -> Iterator[Path | None]:
    """Claim the import and yield its file, or None if it is already claimed. A failure makes it wait again."""
    mine = EventImport.objects.filter(pk=event_import.pk)
    if not mine.waiting().update(state=ImportState.RUNNING, started_at=timezone.now()):
        yield None
        return
    try:
        with content_of(event_import) as path:
            yield path
    except BaseException:
        mine.filter(state=ImportState.RUNNING).update(state=ImportState.WAITING, started_at=None)
        raise


def finish(event_import: EventImport, report: Report) -> None:
    """Store the result of each row, and delete the file."""
    name = event_import.file.name
    event_import.state = ImportState.DONE
    event_import.file = ""
    event_import.lines = list(report.lines)
    event_import.tally = {outcome.value: count for outcome, count in report.tally}
    event_import.finished_at = timezone.now()
    event_import.save(update_fields=["state", "file", "lines", "tally", "finished_at"])
    delete_stored([str(name)])


def sweep_imports(older_than: datetime, *, dry_run: bool) -> int:
    """Clean up imports older than `older_than`.

    Imports that were never run are deleted with their files, runs that never ended are marked as stopped, and the
    results by row are emptied. Returns the number of imports affected.

    dry_run: only count them.
    """
    waiting = EventImport.objects.waiting().filter(created_at__lt=older_than)
    running = EventImport.objects.begun_before(older_than)
    ended = EventImport.objects.filter(finished_at__lt=older_than).exclude(lines=[])
    if dry_run:
        return (waiting | running | ended).count()
    names = list(waiting.values_list("file", flat=True)) + list(running.values_list("file", flat=True))
    swept = waiting.delete()[0] + running.update(state=ImportState.STOPPED, file="") + ended.update(lines=[])
    # An import that was started in the meantime still has its row and needs its file.
    kept = set(EventImport.objects.filter(file__in=names).values_list("file", flat=True))
    delete_stored([name for name in names if name not in kept])
    return swept


def forget_imports(before: datetime, *, dry_run: bool = False) -> int:
    """Blank the file names and results of imports before `before`, and return how many. Names may be personal."""
    old = EventImport.objects.filter(created_at__lt=before).exclude(state=ImportState.WAITING)
    named = old.exclude(original_name="", lines=[])
    return named.count() if dry_run else named.update(original_name="", lines=[])
