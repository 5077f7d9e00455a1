from typing import Any

from webhooks import subscriptions
from webhooks.management.subscription_command import SubscriptionCommand


class Command(SubscriptionCommand):
    help = "Disable a subscription immediately and cancel its waiting deliveries. Its log stays."

    def handle(self, *args: Any, **options: Any) -> None:
        subscription = self.subscription(options["subscription_id"])
        said = "is disabled." if subscriptions.disable(subscription) else "was already disabled."
        self.stdout.write(f"{subscription} {said}")
