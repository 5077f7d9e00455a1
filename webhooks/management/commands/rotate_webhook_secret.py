from argparse import ArgumentParser
from typing import Any

from webhooks import subscriptions
from webhooks.management.secret_option import add_secret_option
from webhooks.management.subscription_command import SubscriptionCommand


class Command(SubscriptionCommand):
    help = "Replace a subscription's secret immediately and print one JSON line: subscription_id, secret."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_secret_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        subscription = self.subscription(options["subscription_id"])
        clear = subscriptions.rotate_secret(subscription, self.usable_secret(options["secret"]))
        self.say_secret(subscription, clear)
