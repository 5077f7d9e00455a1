"""Enable a subscription."""

from typing import Any

from django.core.management.base import CommandError

from webhooks import subscriptions
from webhooks.errors import AlreadySubscribed
from webhooks.management.subscription_command import SubscriptionCommand


class Command(SubscriptionCommand):
    help = "Enable a subscription for new events, with the same secret as before."

    def handle(self, *args: Any, **options: Any) -> None:
        subscription = self.subscription(options["subscription_id"])
        try:
            changed = subscriptions.enable(subscription)
        except AlreadySubscribed as refused:
            raise CommandError(refused.message) from None
        if changed:
            self.stdout.write(f"{subscription} is enabled.")
        else:
            self.stdout.write(f"{subscription} was already enabled.")
