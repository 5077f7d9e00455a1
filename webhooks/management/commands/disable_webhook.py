"""Tell a subscription nothing more."""

from argparse import ArgumentParser
from typing import Any

from webhooks import subscriptions
from webhooks.management.subscription_command import SubscriptionCommand


class Command(SubscriptionCommand):
    help = "Tell a subscription nothing more, at once; what waits for it is cancelled. Its log stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subscription_id", type=int, metavar="SUBSCRIPTION_ID", help="As list_webhooks shows it.")

    def handle(self, *args: Any, **options: Any) -> None:
        subscription = self.subscription(options["subscription_id"])
        if subscriptions.disable(subscription):
            self.stdout.write(f"{subscription} hears of nothing more.")
        else:
            self.stdout.write(f"{subscription} was disabled before; nothing changed.")
