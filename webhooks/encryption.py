"""Secrets at rest: sealed with Fernet under `FIELD_ENCRYPTION_KEYS`, opened only where they are sent.

A webhook secret is sent in clear with each delivery, so a digest is not enough. The keys are a separate setting because
rotating SECRET_KEY must not affect stored data. These are functions, not a model field: a field would decrypt every
secret of a list of subscriptions, and one unreadable secret would break the whole list.
"""

from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from webhooks.errors import SecretUnreadable


def seal(clear: str) -> str:
    """Encrypt `clear` with the first key, as a Fernet token."""
    return _keys(tuple(settings.FIELD_ENCRYPTION_KEYS)).encrypt(clear.encode()).decode("ascii")


def unseal(token: str) -> str:
    """Decrypt what `seal` returned. Raises `SecretUnreadable` if no key fits."""
    try:
        return _keys(tuple(settings.FIELD_ENCRYPTION_KEYS)).decrypt(token).decode()
    except InvalidToken:
        raise SecretUnreadable from None


def reseal(token: str) -> str:
    """Encrypt the same secret with the first key. Raises `SecretUnreadable`."""
    try:
        return _keys(tuple(settings.FIELD_ENCRYPTION_KEYS)).rotate(token).decode("ascii")
    except InvalidToken:
        raise SecretUnreadable from None


@lru_cache(maxsize=4)
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
