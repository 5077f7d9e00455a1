import os
import signal
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

import structlog
from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError

from base.db.thread import LOST
from base.errors import DomainError
from base.exposition import expose
from prealerts.answers import refusal_answer, unexpected
from shipments.work.loop import Worker, chores

STOP_SECONDS = 40
"""How long the piece in hand may take after SIGTERM. After that the process ends, and another worker takes it over."""

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = (
        "Read the uploads that clients do not wait for, move many guides, and delete old idempotency keys and upload "
        "jobs, until SIGTERM or SIGINT; then finish what was begun within 40 seconds and exit."
    )

    requires_system_checks = [Tags.security]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="Do what waits, then exit.")

    def handle(self, *args: Any, **options: Any) -> None:
        is_once = options["once"]
        if settings.WORKER_METRICS_BIND and not is_once:
            expose(settings.WORKER_METRICS_BIND)
        worker = Worker(chores(_answer), once=is_once, heartbeat_file=settings.WORKER_HEARTBEAT_FILE)

        def stop(*_signal: object) -> None:
            worker.stop()
            signal.alarm(STOP_SECONDS)

        before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _end)
        log.info("working", once=is_once)
        try:
            worker.run()
        except LOST:
            raise CommandError(
                "The database stayed unavailable. Begun work is taken over by the next worker."
            ) from None
        finally:
            signal.alarm(0)
            for number, handler in before.items():
                signal.signal(number, handler)
        log.info("stopped")


def _answer(refusal: DomainError | None, request_id: str) -> tuple[int, Mapping[str, Any]]:
    return refusal_answer(refusal) if refusal else (500, unexpected(request_id))


def _end(*_signal: object) -> None:
    log.warning("stopped in the middle of a piece of work; another worker takes it over")
    os._exit(1)
