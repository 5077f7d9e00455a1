"""`rotate_field_keys` knows every column with a secret."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command

from prealerts.management.commands.rotate_field_keys import find_sealed_columns
from shipments.models import CarrierSecret
from tests.shipments.carriers.sending import make_sender


def test_every_sealed_column_is_known() -> None:
    """A new one belongs into this list, and its name begins with `sealed_`."""
    assert {model.__name__: names for model, names in find_sealed_columns().items()} == {
        "Subscription": ["sealed_secret", "sealed_previous_secret"],
        "Carrier": ["sealed_api_key"],
        "CarrierSecret": ["sealed_secret"],
        "Erasure": ["sealed_person"],
    }


@pytest.mark.django_db
def test_the_secrets_of_carriers_move_to_the_first_key(settings: Any) -> None:
    sender = make_sender()
    sealed = CarrierSecret.objects.get().sealed_secret
    new = Fernet.generate_key().decode()
    settings.FIELD_ENCRYPTION_KEYS = [new, *settings.FIELD_ENCRYPTION_KEYS]
    call_command("rotate_field_keys")
    settings.FIELD_ENCRYPTION_KEYS = [new]
    assert CarrierSecret.objects.get().sealed_secret != sealed
    assert sender.send()["status"] == "accepted"
