from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from webhooks import replays
from webhooks.errors import ReplayNotAvailable
from webhooks.events import EventType
from webhooks.management.subscription_command import SubscriptionCommand, parse_list
from webhooks.models import State


class Command(SubscriptionCommand):
    help = (
        "Resend deliveries of a webhook of version 2 that were given up (dead) in the last 30 days. Current events "
        "are not delayed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--since", required=True, metavar="TIME", help="ISO 8601 with an offset.")
        parser.add_argument("--until", metavar="TIME", help="ISO 8601 with an offset; default: now.")
        parser.add_argument("--delivered", action="store_true", help="Include delivered events.")
        parser.add_argument("--events", metavar="TYPES", help="Only these event types, separated by commas.")

    def handle(self, *args: Any, **options: Any) -> None:
        subscription = self.subscription(options["subscription_id"])
        now = timezone.now()
        since = _moment("--since", options["since"])
        until = now if options["until"] is None else min(now, _moment("--until", options["until"]))
        if since >= until:
            raise CommandError("--since must be before --until, and not in the future.")
        states = [State.DEAD, *([State.DELIVERED] if options["delivered"] else [])]
        event_types = parse_list("--events", options["events"], [kind.value for kind in EventType])
        replayed, has_more = 0, True
        while has_more:
            try:
                rows, has_more = replays.replay_range(
                    subscription, since=since, until=until, states=states, event_types=event_types
                )
            except ReplayNotAvailable as refused:
                raise CommandError(refused.message) from None
            replayed += rows
        self.stdout.write(f"Replayed {replayed} deliveries.")


def _moment(option: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CommandError(f"{option}: write a time with its offset, such as 2026-12-15T06:45:00-03:00.")
    return moment
