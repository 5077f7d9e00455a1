"""Encrypt every stored secret with the first of FIELD_ENCRYPTION_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webhooks.resealing import reseal, sealed_columns


class Command(BaseCommand):
    help = (
        "Encrypt every stored secret, of webhooks and carriers, with the first of FIELD_ENCRYPTION_KEYS. Put the new "
        "key first, run this, restart the dispatchers, then remove the old key."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        total, lost = 0, []
        for model in sealed_columns():
            resealed, unreadable = reseal(model)
            total += resealed
            if unreadable:
                lost.append(f"{model._meta.verbose_name_plural}: {', '.join(map(str, unreadable))}")
        self.stdout.write(f"Encrypted {total} secrets with the first key.")
        if lost:
            raise CommandError(
                f"No key decrypts the secrets of these ({'; '.join(lost)}). Restore the key they were encrypted with, "
                "or give each a new secret with rotate_webhook_secret or rotate_carrier_secret."
            )
