"""What the worker does by the clock: each chore in a thread of its own, so that no upload waits for one.

A row of the database holds a chore's lease: two workers never do it at once, and that of a killed worker is taken over.
"""

import io
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

import structlog
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from base.buckets import forget_idle
from base.db.thread import LOST
from base.work import claim, release
from shipments.carriers import parking
from shipments.intake import idempotency, jobs
from shipments.models.chores import LONGEST_OUTCOME, Chore

LEASE = timedelta(minutes=2)
"""Extended while the worker lives. After it, another one takes the chore over."""
RETRY_AFTER = timedelta(hours=1)
"""The longest that a failed chore waits."""
WEBHOOK_LOG_DAYS = 90

log = structlog.get_logger(__name__)


class Task(NamedTuple):
    """run: does the whole chore, in transactions of at most about two seconds, and returns what it did. By command, it
    is left to cron where CHORES is off.
    """

    title: Promise
    every: timedelta
    run: Callable[[], str]
    is_command: bool = True


def _command(name: str, **options: object) -> str:
    """Return what the command printed. Raises CommandError with that before its own words."""
    output = io.StringIO()
    try:
        call_command(name, stdout=output, stderr=output, **options)
    except CommandError as error:
        raise CommandError(f"{error} {output.getvalue()}") from None
    return output.getvalue()


def _until_done(piece: Callable[[], bool]) -> str:
    while piece():
        pass
    return ""


_HOUR, _DAY, _WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
TASKS: Mapping[str, Task] = {
    "erase_by_retention": Task(_("Erase what is past its retention"), _DAY, partial(_command, "anonymise")),
    "sweep_files": Task(_("Delete files and rows left behind"), _DAY, partial(_command, "sweep_files", months=2)),
    "sweep_all_files": Task(_("Delete old files left behind"), _WEEK, partial(_command, "sweep_files")),
    "prune_webhook_log": Task(
        _("Delete old webhook deliveries"), _DAY, partial(_command, "prune_webhook_log", older_than=WEBHOOK_LOG_DAYS)
    ),
    "prune_sessions": Task(_("Delete sessions that have ended"), _DAY, partial(_command, "clearsessions")),
    "check_totals": Task(_("Check the totals of manifests"), _DAY, partial(_command, "check_totals")),
    "check_files": Task(_("Check the newest files"), _WEEK, partial(_command, "check_files", newest=1000)),
    "expire_carrier_events": Task(
        _("Give up carriers' events without a guide"), _HOUR, partial(_until_done, parking.expire), is_command=False
    ),
    "prune_idempotency_keys": Task(
        _("Delete old idempotency keys"), _HOUR, partial(_until_done, idempotency.prune), is_command=False
    ),
    "prune_upload_jobs": Task(_("Delete old upload jobs"), _HOUR, partial(_until_done, jobs.prune), is_command=False),
    "prune_rate_limits": Task(
        _("Delete rate limits that are not used"),
        _HOUR,
        partial(_until_done, lambda: forget_idle() > 0),
        is_command=False,
    ),
}


def tasks() -> Mapping[str, Task]:
    """Return what the worker does by the clock, by name."""
    return {name: task for name, task in TASKS.items() if settings.CHORES or not task.is_command}


def overdue(now: datetime) -> Sequence[Chore]:
    """Return the chores that were last done more than two periods ago, the oldest first."""
    periods = {name: task.every for name, task in tasks().items()}
    late = [
        row
        for row in Chore.objects.filter(name__in=periods)
        if now - row.waits_since > 2 * periods[row.name] + RETRY_AFTER
    ]
    return sorted(late, key=lambda row: row.waits_since)


class Chores(Collector):
    """Does one chore at a time. `begin_next` and `finish_due` are called by the worker, and `collect` by /metrics."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._held: Chore | None = None
        self._rows: Sequence[Chore] = ()

    def begin_next(self) -> bool:
        """Extend the lease of the chore in hand; without one, begin the next that is due, and return at once.

        Returns False: there is nothing to wait for.
        """
        if self._thread is not None and self._thread.is_alive():
            if held := self._held:
                Chore.objects.filter(pk=held.pk, token=held.token).update(held_until=timezone.now() + LEASE)
        elif row := self._claim():
            self._held = row
            self._thread = threading.Thread(target=self._do_and_close, args=(row,), name=row.name, daemon=True)
            self._thread.start()
        return False

    def finish_due(self) -> bool:
        """Do the next chore that is due. Returns whether there was one."""
        if row := self._claim():
            _do(row)
        return row is not None

    def leave(self) -> None:
        """Leave the chore in hand to another worker. Its transaction is rolled back when this process ends."""
        if (held := self._held) and self._thread is not None and self._thread.is_alive():
            release(held)

    def collect(self) -> Iterator[Metric]:
        succeeded = GaugeMetricFamily(
            "prealerts_chore_last_success_timestamp_seconds", "When a chore was last done.", labels=["chore"]
        )
        failed = CounterMetricFamily("prealerts_chore_failed", "Attempts at a chore that failed.", labels=["chore"])
        for row in self._rows:
            if row.succeeded_at:
                succeeded.add_metric([row.name], row.succeeded_at.timestamp())
            failed.add_metric([row.name], row.failures)
        yield succeeded
        yield failed

    def _claim(self) -> Chore | None:
        names = tasks().keys()
        known = {row.name: row for row in Chore.objects.filter(name__in=names)}
        if missing := names - known.keys():
            Chore.objects.bulk_create([Chore(name=name) for name in missing], ignore_conflicts=True)
        self._rows = list(known.values())
        return claim(Chore.objects.filter(name__in=names).due(timezone.now()), LEASE)

    def _do_and_close(self, row: Chore) -> None:
        try:
            _do(row)
        except LOST as error:
            log.warning("chore_interrupted", chore=row.name, exc_info=error)  # begun again when the lease has ended
        finally:
            self._held = None
            connection.close()


def _do(row: Chore) -> None:
    """Do a chore that is held, and record its outcome. Raises the database's error if that cannot be recorded."""
    task = TASKS[row.name]
    try:
        outcome = task.run()
    except CommandError as error:
        log.warning("chore_failed", chore=row.name)  # what it found stands in the row: a log holds no path
        _fail(row, str(error))
    except Exception as error:  # tried again: one chore must not end the worker
        log.exception("chore_failed", chore=row.name)
        if isinstance(error, LOST):
            connection.close()
        _fail(row, type(error).__name__)
    else:
        now = timezone.now()
        log.info("chore_done", chore=row.name)
        release(row, due_at=now + task.every, succeeded_at=now, outcome=_shorten(outcome))


def _fail(row: Chore, outcome: str) -> None:
    again_at = timezone.now() + min(TASKS[row.name].every, RETRY_AFTER)
    release(row, due_at=again_at, failures=row.failures + 1, outcome=_shorten(outcome))


def _shorten(text: str) -> str:
    return " ".join(text.split())[:LONGEST_OUTCOME]
