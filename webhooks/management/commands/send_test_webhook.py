from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from webhooks import outbox
from webhooks.catalogue import example_data
from webhooks.events import EventType, delivery_id
from webhooks.management.subscription_command import SubscriptionCommand


class Command(SubscriptionCommand):
    help = (
        "Send a test event to one subscription, regardless of its filters. The running dispatcher delivers it; the "
        "outcome is in the log of deliveries."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--type",
            choices=[kind.value for kind in EventType],
            default=EventType.WEBHOOK_TEST.value,
            help="Version 2: the event type whose example is sent; default: %(default)s.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        subscription = self.subscription(options["subscription_id"])
        kind = EventType(options["type"])
        if not subscription.is_active:
            raise CommandError("The subscription is disabled; enable_webhook enables it.")
        if kind is EventType.WEBHOOK_TEST:
            delivery = outbox.send_test(subscription, "A test event, sent by an operator.")
        elif subscription.signs:
            delivery = outbox.send_to(subscription, kind, {**example_data(kind), "test": True})
        else:
            raise CommandError("--type: only for subscriptions of version 2; version 1 marks no event as a test.")
        self.stdout.write(f"{delivery_id(delivery.uuid)} is on its way to {subscription}.")
