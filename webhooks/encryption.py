"""Secrets at rest: sealed with Fernet under `FIELD_ENCRYPTION_KEYS`, opened only where they are sent.

A webhook secret is sent in clear with each delivery, so a digest will not do. The keys are their own setting:
rotating SECRET_KEY must not touch stored data. Functions, not a model field: a field would open every secret that a
list of subscriptions loads, and one unreadable secret would take the whole list down.
"""

from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from webhooks.errors import SecretUnreadable


def seal(clear: str) -> str:
    """`clear` as a Fernet token under the first key."""
    return _keys(tuple(settings.FIELD_ENCRYPTION_KEYS)).encrypt(clear.encode()).decode("ascii")


def unseal(token: str) -> str:
    """What `seal` was given; raises `SecretUnreadable` when no key of the list fits."""
    try:
        return _keys(tuple(settings.FIELD_ENCRYPTION_KEYS)).decrypt(token).decode()
    except InvalidToken:
        raise SecretUnreadable from None


def reseal(token: str) -> str:
    """The same secret under the first key; raises `SecretUnreadable`."""
    try:
        return _keys(tuple(settings.FIELD_ENCRYPTION_KEYS)).rotate(token).decode("ascii")
    except InvalidToken:
        raise SecretUnreadable from None


@lru_cache(maxsize=4)
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
