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
            said = "is enabled." if subscriptions.enable(subscription) else "was already enabled."
        except AlreadySubscribed as refused:
            raise CommandError(refused.message) from None
        self.stdout.write(f"{subscription} {said}")
