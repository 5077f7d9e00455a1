"""Encrypt every stored secret under the first of FIELD_ENCRYPTION_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webhooks.subscriptions import reseal_secrets


class Command(BaseCommand):
    help = (
        "Encrypt every webhook secret under the first of FIELD_ENCRYPTION_KEYS. Put the new key in front, run this, "
        "restart the dispatchers, take the old key out."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        resealed, unreadable = reseal_secrets()
        self.stdout.write(f"Encrypted {resealed} secrets under the first key.")
        if unreadable:
            ids = ", ".join(map(str, unreadable))
            raise CommandError(
                f"No key opens the secrets of these subscriptions: {ids}. "
                "Put the key back that they were stored under, or give each a new secret with rotate_webhook_secret."
            )
