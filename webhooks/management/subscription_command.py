"""What the commands about subscriptions have in common: finding one, and the line scripts read."""

import json

from django.core.management.base import BaseCommand, CommandError

from webhooks.errors import SecretRefused
from webhooks.models import Subscription
from webhooks.subscriptions import SHORT_SECRET_LENGTH, check_secret


class SubscriptionCommand(BaseCommand):
    """A command that names a subscription by its id."""

    @staticmethod
    def subscription(subscription_id: int) -> Subscription:
        """The subscription; raises `CommandError` when there is none."""
        try:
            found: Subscription = Subscription.objects.select_related("company").get(pk=subscription_id)
        except Subscription.DoesNotExist:
            raise CommandError(f"No subscription has the id {subscription_id}; list_webhooks shows them all.") from None
        return found

    def usable_secret(self, secret: str | None) -> str | None:
        """The secret that was given, None for none; warns of a short one, raises `CommandError` for a useless one."""
        if secret is None:
            return None
        try:
            check_secret(secret)
        except SecretRefused as refused:
            raise CommandError(f"--secret: {refused.message}") from None
        if len(secret) < SHORT_SECRET_LENGTH:
            warning = f"The secret has fewer than {SHORT_SECRET_LENGTH} characters; it can be guessed."
            self.stderr.write(self.style.WARNING(warning))
        return secret

    def say_secret(self, subscription: Subscription, secret: str) -> None:
        """Write the one line of standard output that scripts rely on: the id and the secret as JSON."""
        self.stdout.write(json.dumps({"subscription_id": subscription.pk, "secret": secret}))
