"""The secrets of version 2: made here, read the same by every verifier, two of them while one replaces the other."""

from base64 import b64decode
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone
from standardwebhooks import Webhook

from base import encryption
from prealerts.management.commands.rotate_field_keys import reseal
from tests.webhooks.conftest import subscribe_signed
from webhooks import subscriptions
from webhooks.errors import SecretRefused
from webhooks.models import Subscription

URL = "https://hooks.example.com/"


def test_every_secret_is_standard_base64_of_32_bytes_and_the_official_verifier_takes_it() -> None:
    for _each in range(500):
        secret = subscriptions.new_signing_secret()
        key = b64decode(secret.removeprefix("whsec_"), validate=True)
        assert len(key) == 32
        assert Webhook(secret)._whsecret == key


@pytest.mark.django_db
def test_rotation_keeps_the_secret_before_for_as_long_as_both_sign() -> None:
    subscription = subscribe_signed(URL)
    first = encryption.unseal(subscription.sealed_secret)
    second = subscriptions.rotate_secret(subscription)
    subscription.refresh_from_db()
    assert encryption.unseal(subscription.sealed_secret) == second != first
    assert encryption.unseal(subscription.sealed_previous_secret) == first
    assert subscription.previous_until is not None
    assert subscription.previous_until - timezone.now() > timedelta(hours=23)
    subscriptions.rotate_secret(subscription, overlap=timedelta())
    subscription = Subscription.objects.get()
    assert (subscription.sealed_previous_secret, subscription.previous_until) == ("", None)


@pytest.mark.django_db
@pytest.mark.parametrize(("minutes", "kept"), [(1, ["second", "first"]), (11, ["second"])])
def test_rotated_again_within_minutes_the_secret_that_the_receiver_may_still_have_signs_too(
    minutes: int, kept: list[str]
) -> None:
    subscription = subscribe_signed(URL)
    names = {encryption.unseal(subscription.sealed_secret): "first"}
    with time_machine.travel(timezone.now(), tick=False) as clock:
        names[subscriptions.rotate_secret(subscription)] = "second"
        clock.shift(minutes * 60)
        subscriptions.rotate_secret(subscription)
    previous = encryption.unseal(Subscription.objects.get().sealed_previous_secret).split()
    assert [names[secret] for secret in previous] == kept


@pytest.mark.django_db
def test_a_secret_of_the_clients_own_cannot_sign() -> None:
    with pytest.raises(SecretRefused):
        subscriptions.rotate_secret(subscribe_signed(URL), "the-clients-own-secret")


@pytest.mark.django_db
def test_both_secrets_are_encrypted_anew_with_the_first_key() -> None:
    subscription = subscribe_signed(URL)
    subscriptions.rotate_secret(subscription)
    before = subscription.sealed_previous_secret
    assert reseal(Subscription) == (1, [])
    subscription.refresh_from_db()
    assert subscription.sealed_previous_secret != before
    assert encryption.unseal(subscription.sealed_previous_secret) == encryption.unseal(before)
