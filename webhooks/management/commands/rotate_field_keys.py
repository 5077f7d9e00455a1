"""Encrypt every stored secret with the first of FIELD_ENCRYPTION_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webhooks.subscriptions import reseal_secrets


class Command(BaseCommand):
    help = (
        "Encrypt every webhook secret with the first of FIELD_ENCRYPTION_KEYS. Put the new key first, run this, "
        "restart the dispatchers, then remove the old key."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        resealed, unreadable = reseal_secrets()
        self.stdout.write(f"Encrypted {resealed} secrets with the first key.")
        if unreadable:
            ids = ", ".join(map(str, unreadable))
            raise CommandError(
                f"No key decrypts the secrets of these subscriptions: {ids}. "
                "Restore the key they were encrypted with, or give each a new secret with rotate_webhook_secret."
            )
