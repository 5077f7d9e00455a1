import os
import signal
from argparse import ArgumentParser
from threading import Thread
from typing import Any

import structlog
from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from prometheus_client import REGISTRY

from base.db.thread import LOST
from base.exposition import expose
from companies.mail import outbox, sending
from prealerts import notices
from shipments.work.chores import Chores
from shipments.work.loop import Queue, Worker, queues

STOP_SECONDS = 40
"""How long the piece in hand may take after SIGTERM. After that the process ends, and another worker takes it over."""

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = (
        "Read the uploads that clients do not wait for, move many guides, send mails, and do the chores (retention, "
        "files without rows, old logs and sessions, the check of totals), until SIGTERM or SIGINT; then finish what "
        "was begun within 40 seconds and exit."
    )

    requires_system_checks = [Tags.security]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="Do what waits, then exit.")

    def handle(self, *args: Any, **options: Any) -> None:
        is_once, chores = options["once"], Chores()
        if settings.WORKER_METRICS_BIND and not is_once:
            REGISTRY.register(chores)
            expose(settings.WORKER_METRICS_BIND)
        work_on_chores = chores.finish_due if is_once else chores.begin_next
        worker = Worker(queues(chores=work_on_chores), once=is_once, heartbeat_file=settings.WORKER_HEARTBEAT_FILE)
        mailer = Worker(MAIL_QUEUES if settings.MAIL else (), once=is_once, is_watched=False)

        def stop(*_signal: object) -> None:
            worker.stop()
            mailer.stop()
            signal.alarm(STOP_SECONDS)

        before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _end)
        log.info("working", once=is_once)
        try:
            if is_once:
                worker.run()
                mailer.run()
            else:
                _run_both(worker, mailer)
            chores.leave()
        except LOST:
            raise CommandError(
                "The database stayed unavailable. Begun work is taken over by the next worker."
            ) from None
        finally:
            signal.alarm(0)
            for number, handler in before.items():
                signal.signal(number, handler)
        log.info("stopped")


MAIL_QUEUES = (
    Queue("mails", 1, sending.send_next),
    Queue("digests", 60, notices.write_digests),
    Queue("overdue_erasures", 600, notices.write_overdue_erasures),
    Queue("prune_mails", 3600, outbox.prune),
)


def _run_both(worker: Worker, mailer: Worker) -> None:
    """Run both until stopped; if one ends by an error, the other ends too. A slow mail server delays no upload."""

    def mail() -> None:
        try:
            mailer.run()
        finally:
            worker.stop()
            connection.close()

    thread = Thread(target=mail, name="mail")
    thread.start()
    try:
        worker.run()
    finally:
        mailer.stop()
        thread.join()


def _end(*_signal: object) -> None:
    log.warning("stopped in the middle of a piece of work; another worker takes it over")
    os._exit(1)
