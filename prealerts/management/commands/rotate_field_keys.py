from collections.abc import Mapping, Sequence
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError
from django.db import models, transaction

from base import encryption
from base.encryption import SecretUnreadable

_PREFIX = "sealed_"
"""How the names of columns begin that `encryption.seal` filled."""


def find_sealed_columns() -> Mapping[type[models.Model], Sequence[str]]:
    found = {
        model: [field.name for field in model._meta.concrete_fields if field.name.startswith(_PREFIX)]
        for model in apps.get_models()
    }
    return {model: names for model, names in found.items() if names}


def reseal(model: type[models.Model]) -> tuple[int, list[object]]:
    """Encrypt the secrets of a model's rows with the first key.

    Returns how many rows, and the keys of those with a secret that no key decrypts; those are not changed.
    """
    rows, names = model._base_manager, find_sealed_columns()[model]  # noqa: SLF001  # Django's documented name: all rows
    resealed, unreadable = 0, []
    for key in rows.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            row = rows.select_for_update().filter(pk=key).first()
            sealed = [name for name in names if row is not None and getattr(row, name)]
            if row is None or not sealed:
                continue
            try:
                for name in sealed:
                    setattr(row, name, encryption.reseal(getattr(row, name)))
            except SecretUnreadable:
                unreadable.append(key)
                continue
            row.save(update_fields=sealed)
            resealed += 1
    return resealed, unreadable


def unreadable_rows() -> str:
    """Name the rows with a secret that no key decrypts, `webhooks: 3, 7; carriers: 1`. Empty if there are none."""
    lost = []
    for model, names in find_sealed_columns().items():
        rows = model._base_manager.order_by("pk").values_list("pk", *names)  # noqa: SLF001  # as above
        unreadable = [key for key, *sealed in rows.iterator() if not all(map(_opens, filter(None, sealed)))]
        if unreadable:
            lost.append(_names(model, unreadable))
    return "; ".join(lost)


def _opens(sealed: str) -> bool:
    try:
        encryption.unseal(sealed)
    except SecretUnreadable:
        return False
    return True


def _names(model: type[models.Model], keys: Sequence[object]) -> str:
    return f"{model._meta.verbose_name_plural}: {', '.join(map(str, keys))}"


class Command(BaseCommand):
    help = (
        "Encrypt every stored secret, of webhooks and carriers, with the first of FIELD_ENCRYPTION_KEYS. Put the new "
        "key first, run this, restart the dispatchers, then remove the old key."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        total, lost = 0, []
        for model in find_sealed_columns():
            resealed, unreadable = reseal(model)
            total += resealed
            if unreadable:
                lost.append(_names(model, unreadable))
        self.stdout.write(f"Encrypted {total} secrets with the first key.")
        if lost:
            raise CommandError(
                f"No key decrypts the secrets of these ({'; '.join(lost)}). Restore the key they were encrypted with, "
                "or give each a new secret with rotate_webhook_secret or rotate_carrier_secret."
            )
