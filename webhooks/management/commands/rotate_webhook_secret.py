"""Replace a subscription's secret; the only line on standard output is the new one, as JSON."""

from argparse import ArgumentParser
from typing import Any

from webhooks import subscriptions
from webhooks.management.subscription_command import SubscriptionCommand


class Command(SubscriptionCommand):
    help = "Replace a subscription's secret, at once, and print one JSON line: subscription_id, secret."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subscription_id", type=int, metavar="SUBSCRIPTION_ID", help="As add_webhook printed it.")
        parser.add_argument("--secret", metavar="S", help="The client's own bearer secret; without it one is made.")

    def handle(self, *args: Any, **options: Any) -> None:
        subscription = self.subscription(options["subscription_id"])
        clear = subscriptions.rotate_secret(subscription, self.usable_secret(options["secret"]))
        self.say_secret(subscription, clear)
