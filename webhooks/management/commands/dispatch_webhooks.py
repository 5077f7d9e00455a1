import asyncio
import resource
import signal
from argparse import ArgumentParser
from typing import Any

import structlog
import uvloop
from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError

from base.db.thread import LOST
from base.exposition import expose
from webhooks.addresses import Network, parse_networks
from webhooks.checks import tls_context
from webhooks.dispatcher.loop import Dispatcher
from webhooks.sender import Sender

FILES_BESIDE_CONNECTIONS = 64
"""Descriptors for the database, logs, name servers and libraries."""

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = "Send webhook deliveries until SIGTERM or SIGINT; then finish those in flight within ten seconds and exit."

    requires_system_checks = [Tags.security]
    """They say which settings cannot work. All checks would load every view into a process that needs none."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="Send what is due, then exit.")
        parser.add_argument(
            "--concurrency",
            type=int,
            default=settings.WEBHOOK_CONCURRENCY,
            metavar="N",
            help=f"Maximum of deliveries in flight (default: WEBHOOK_CONCURRENCY, {settings.WEBHOOK_CONCURRENCY}).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["concurrency"] < 1:
            raise CommandError("--concurrency must be at least 1.")
        if settings.DISPATCHER_METRICS_BIND and not options["once"]:
            expose(settings.DISPATCHER_METRICS_BIND)
        allowed = parse_networks(settings.WEBHOOK_ALLOWED_NETWORKS)
        sender = Sender(allowed=allowed, context=tls_context(settings.WEBHOOK_CA_BUNDLE))
        concurrency = _within_file_limit(options["concurrency"])
        is_cut_off = False
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(_dispatch(sender, concurrency=concurrency, once=options["once"], allowed=allowed))
        except* LOST:
            is_cut_off = True  # what is raised here arrives in a group before Python 3.11.4, as a traceback
        if is_cut_off:
            raise CommandError(
                "The database stayed unavailable. Unrecorded deliveries in flight will be abandoned by the next "
                "dispatcher, or retried if they are of version 2."
            )


async def _dispatch(sender: Sender, *, concurrency: int, once: bool, allowed: tuple[Network, ...]) -> None:
    async with sender:
        dispatcher = Dispatcher(sender, concurrency=concurrency, once=once)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, dispatcher.stop)
        log.info("dispatching", concurrency=concurrency, once=once, opened=[str(network) for network in allowed])
        await dispatcher.run()
        log.info("stopped")


def _within_file_limit(concurrency: int) -> int:
    """Limit concurrency to the open files allowed, one per connection, after raising that limit as far as possible."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard == resource.RLIM_INFINITY or concurrency + FILES_BESIDE_CONNECTIONS <= hard:
        return concurrency
    log.warning("fewer deliveries in flight because of the limit of open files", asked=concurrency, limit=hard)
    return max(1, hard - FILES_BESIDE_CONNECTIONS)
