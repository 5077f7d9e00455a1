"""Operations on subscriptions, for operators (commands, admin) and clients (API)."""

import re
import secrets
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Case, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from base import encryption
from base.encryption import SecretUnreadable
from companies.models import Company
from companies.passwords import is_unsent
from webhooks import destinations
from webhooks.errors import AlreadySubscribed, SecretRefused
from webhooks.models import UNSENT, Delivery, DeliveryQuerySet, DisabledReason, State, Subscription, Version

MAX_SECRET_LENGTH = 1024
SHORT_SECRET_LENGTH = 16
"""Shorter secrets are accepted with a warning: the client chose it, but it could be guessed."""
CANCELLED_AT_ONCE = 5_000
"""Deliveries cancelled by one statement."""
OVERLAP = timedelta(hours=24)
"""How long the previous secret also signs, by default."""
ALREADY_SUBSCRIBED = gettext_lazy("The company already has an active subscription for this URL.")

_CARRIED_BY_A_HEADER = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")


SIGNING_SECRET_PATTERN = "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$"  # noqa: S105  # of all of them


def is_signing_secret(secret: str) -> bool:
    """Return whether it is `whsec_` and standard base64 of 24 to 64 bytes, the bounds of Standard Webhooks."""
    encoded = secret.removeprefix("whsec_")
    try:
        key = b64decode(encoded, validate=True)
    except ValueError:
        return False
    return encoded != secret and 24 <= len(key) <= 64 and b64encode(key).decode() == encoded


def new_secret() -> str:
    return f"whsec_{secrets.token_urlsafe(32)}"


def new_signing_secret() -> str:
    """Return a random key of 256 bits as in Standard Webhooks: standard base64, with padding.

    Unlike `new_secret`: verifiers reject some URL-safe base64 without padding, and decode other values to a wrong key.
    """
    return f"whsec_{b64encode(secrets.token_bytes(32)).decode('ascii')}"


def check_secret(secret: str) -> None:
    """Raise `SecretRefused` unless `secret` is printable ASCII without spaces at either end, as a header needs."""
    if len(secret) > MAX_SECRET_LENGTH or not _CARRIED_BY_A_HEADER.fullmatch(secret):
        raise SecretRefused(
            _("A secret has 1 to %d printable ASCII characters, without spaces at either end.") % MAX_SECRET_LENGTH
        )


def register(company: Company, url: str, secret: str | None = None) -> tuple[Subscription, str]:
    """Subscribe `url` to all events about `company`'s shipments; return the subscription and its secret in clear.

    secret: the client's own; None generates one. Raises `DestinationRefused`, `SecretRefused`, `AlreadySubscribed`.
    """
    clear = new_secret() if secret is None else secret
    return _register(Subscription(company=company, url=url), clear)


def register_signed(
    company: Company,
    url: str,
    *,
    event_types: Collection[str] | None = None,
    countries: Collection[str] | None = None,
    description: str = "",
    secret: str = "",
) -> tuple[Subscription, str]:
    """Subscribe `url` in version 2; return the subscription and its secret in clear, generated unless it is given.

    event_types, countries: the filters, already validated; None: everything. Raises `DestinationRefused`,
    `AlreadySubscribed`.
    """
    subscription = Subscription(
        company=company, url=url, version=Version.V2, description=description,
        event_types=None if event_types is None else sorted(set(event_types)),
        countries=None if countries is None else sorted(set(countries)),
    )  # fmt: skip
    return _register(subscription, secret or new_signing_secret())


def _register(subscription: Subscription, clear: str) -> tuple[Subscription, str]:
    destinations.inspect(subscription.url, destinations.allowed_networks())
    check_secret(clear)
    subscription.set_secret(clear)
    store(subscription)
    return subscription, clear


def store(subscription: Subscription, *fields: str) -> None:
    """Save `fields` that an operator's form changed, or all of a new subscription. Raises `AlreadySubscribed`."""
    with _once_per_url():
        subscription.save(update_fields=fields or None)


def rotate_secret(subscription: Subscription, secret: str | None = None, *, overlap: timedelta = OVERLAP) -> str:
    """Replace the secret; return the new one. Raises `SecretRefused`.

    Version 1: at once. Version 2: both sign until `overlap` has passed; rotated to the current secret, nothing changes.
    Rotated again within minutes, the one from before still signs too: nobody can tell which one the receiver has.
    """
    if not subscription.signs:
        clear = new_secret() if secret is None else secret
        check_secret(clear)
        subscription.set_secret(clear)
        subscription.save(update_fields=["sealed_secret", "secret_set_at"])
        return clear
    if secret is not None and not is_signing_secret(secret):
        raise SecretRefused(_("Leave this empty: secrets of signed webhooks are generated."))
    clear = secret or new_signing_secret()
    with transaction.atomic():
        locked = Subscription.objects.select_for_update(no_key=True).get(pk=subscription.pk)
        if _is_current(locked, clear):
            return clear
        kept = _still_signing(locked) if overlap > timedelta() else []
        locked.sealed_previous_secret = encryption.seal(" ".join(kept)) if kept else ""
        locked.previous_until = timezone.now() + overlap if kept else None
        locked.set_secret(clear)
        locked.save(update_fields=["sealed_secret", "secret_set_at", "sealed_previous_secret", "previous_until"])
    subscription.refresh_from_db()
    return clear


def _still_signing(subscription: Subscription) -> list[str]:
    """Return the secrets that sign beside a new one; none that cannot be decrypted, which the rotation mends."""
    try:
        kept = [encryption.unseal(subscription.sealed_secret)]
        if keeps_former(subscription):
            kept.append(encryption.unseal(subscription.sealed_previous_secret).split()[-1])
    except SecretUnreadable:
        return []
    return kept


def keeps_former(subscription: Subscription) -> bool:
    """Whether the former secret goes on signing after another rotation, because the current one is minutes old."""
    until = subscription.previous_until
    return until is not None and until > timezone.now() and is_unsent(subscription.secret_set_at)


def _is_current(subscription: Subscription, clear: str) -> bool:
    try:
        return encryption.unseal(subscription.sealed_secret) == clear
    except SecretUnreadable:  # a rotation is what mends it
        return False


def enable(subscription: Subscription) -> bool:
    """Enable it for new events. Returns whether that changed anything. Raises `AlreadySubscribed`."""
    if not Subscription.objects.filter(pk=subscription.pk, is_active=True).exists():
        # Left over from an interrupted disable; these are not to be sent now.
        end_unsent(subscription)
    with _once_per_url():
        changed = _switch(subscription, is_active=True)
    subscription.is_active = True
    return changed


def disable(subscription: Subscription) -> bool:
    """Disable it and end waiting deliveries. Returns whether that changed anything."""
    changed = switch_off(subscription)
    end_unsent(subscription)
    subscription.is_active = False
    return changed


def switch_off(subscription: Subscription, reason: DisabledReason | None = None) -> bool:
    """Disable it without touching waiting deliveries. Returns whether that changed anything.

    reason: why, if the dispatcher disables it.
    """
    return _switch(subscription, is_active=False, reason=reason)


def end_unsent(subscription: Subscription) -> None:
    """End waiting deliveries. Those of version 2 become dead instead of cancelled, so that they can be replayed."""
    unsent = Delivery.objects.filter(subscription=subscription)
    cancel(unsent, State.DEAD if subscription.signs else State.CANCELLED)


def remove(subscription: Subscription) -> None:
    """Delete it and cancel waiting deliveries; the delivery log stays.

    The row stays too, without its secrets, until the log no longer refers to it: removing it from half a million
    deliveries would exceed the statement timeout. `prune_webhook_log` deletes it.
    """
    with transaction.atomic():
        locked = Subscription.objects.select_for_update(no_key=True).filter(pk=subscription.pk).first()
        if locked is not None:
            locked.is_active, locked.sealed_secret, locked.deleted_at = False, "", timezone.now()
            locked.sealed_previous_secret, locked.previous_until = "", None
            names = ["is_active", "sealed_secret", "deleted_at", "sealed_previous_secret", "previous_until"]
            locked.save(update_fields=names)
    cancel(Delivery.objects.filter(subscription=subscription))


def _switch(subscription: Subscription, *, is_active: bool, reason: DisabledReason | None = None) -> bool:
    """Change and save it under its lock, so that only one of two concurrent calls changes anything."""
    with transaction.atomic():
        locked = Subscription.objects.select_for_update(no_key=True).filter(pk=subscription.pk).first()
        if locked is None or locked.is_active is is_active:
            return False
        locked.is_active = is_active
        locked.disabled_at = None if is_active else timezone.now()
        locked.disabled_reason = reason or ""
        if is_active:
            locked.failing_since, locked.failures = None, 0
        locked.save(update_fields=["is_active", "disabled_at", "disabled_reason", "failing_since", "failures"])
        return True


def cancel(undeliverable: DeliveryQuerySet, end: State = State.CANCELLED) -> int:
    """Set the waiting deliveries among `undeliverable` to this final state; return how many.

    A few thousand per transaction: one statement for a long backlog would exceed the statement timeout.
    """
    cancelled = 0
    while part := cancel_part(undeliverable, end):
        cancelled += part
    return cancelled


def cancel_part(undeliverable: DeliveryQuerySet, end: State = State.CANCELLED) -> int:
    """Do this for the first few thousand; return how many, 0 if none waits."""
    # A single attempt that was never made is cancelled, not given up.
    ended = Case(When(max_attempts__gt=1, then=Value(end)), default=Value(State.CANCELLED))
    for state in UNSENT:  # separately: each has its own partial index
        unsent = undeliverable.filter(state=state)
        if keys := list(unsent.order_by().values_list("pk", flat=True)[:CANCELLED_AT_ONCE]):
            rows = Delivery.objects.filter(pk__in=keys, state=state)
            return rows.update(state=ended, finished_at=timezone.now(), due_at=None)
    return 0


@contextmanager
def _once_per_url() -> Iterator[None]:
    """A savepoint that raises `AlreadySubscribed` for a second active subscription of a URL."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        # PostgreSQL names the constraint, SQLite the columns; these statements cannot violate another unique one.
        if any(mark in str(error) for mark in ("subscription_active_once_per_url", "UNIQUE constraint failed")):
            raise AlreadySubscribed(str(ALREADY_SUBSCRIBED)) from None
        raise
