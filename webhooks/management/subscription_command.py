"""Shared by the commands about subscriptions: finding one, and the output for scripts."""

import json
from argparse import ArgumentParser
from collections.abc import Collection

from django.core.management.base import BaseCommand, CommandError

from webhooks.errors import SecretRefused
from webhooks.models import Subscription
from webhooks.subscriptions import SHORT_SECRET_LENGTH, check_secret


class SubscriptionCommand(BaseCommand):
    """A command with a subscription's id as its argument."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subscription_id", type=int, metavar="SUBSCRIPTION_ID", help="As shown by list_webhooks.")

    @staticmethod
    def subscription(subscription_id: int) -> Subscription:
        """Return the subscription. Raises `CommandError` if it does not exist."""
        try:
            found: Subscription = Subscription.objects.select_related("company").get(pk=subscription_id)
        except Subscription.DoesNotExist:
            raise CommandError(f"There is no subscription {subscription_id}; list_webhooks shows them all.") from None
        return found

    def usable_secret(self, secret: str | None) -> str | None:
        """Return the given secret or None; warn if it is short. Raises `CommandError` if it is invalid."""
        if secret is None:
            return None
        try:
            check_secret(secret)
        except SecretRefused as refused:
            raise CommandError(f"--secret: {refused.message}") from None
        if len(secret) < SHORT_SECRET_LENGTH:
            warning = f"The secret has fewer than {SHORT_SECRET_LENGTH} characters, so it could be guessed."
            self.stderr.write(self.style.WARNING(warning))
        return secret

    def say_secret(self, subscription: Subscription, secret: str) -> None:
        self.stdout.write(json.dumps({"subscription_id": subscription.pk, "secret": secret}))


def parse_list(option: str, text: str | None, known: Collection[str]) -> list[str] | None:
    """Parse an option such as `CL,PE`, in any case; None if it was left out. Raises `CommandError` if it is unknown."""
    if text is None:
        return None
    spelled = {value.casefold(): value for value in known}
    words = [word.strip().casefold() for word in text.split(",") if word.strip()]
    if not words or not spelled.keys() >= set(words):
        raise CommandError(f"{option}: choose from {', '.join(known)}.")
    return [spelled[word] for word in words]
