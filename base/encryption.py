"""Secrets at rest: sealed with Fernet under `FIELD_ENCRYPTION_KEYS`, opened only where they are sent. Cursors of pages.

A webhook secret is sent in clear with each delivery, so a digest is not enough. The keys are a separate setting because
rotating SECRET_KEY must not affect stored data. These are functions, not a model field: a field would decrypt every
secret of a list of subscriptions, and one unreadable secret would break the whole list.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from base.errors import DomainError


class SecretUnreadable(DomainError):
    """No key in FIELD_ENCRYPTION_KEYS decrypts a stored secret."""

    default_message = (
        "No key in FIELD_ENCRYPTION_KEYS decrypts the stored secret: restore the old key, or set a new secret."
    )


def seal(clear: str) -> str:
    """Encrypt `clear` with the first key, as a Fernet token."""
    return _keys().encrypt(clear.encode()).decode("ascii")


def unseal(token: str) -> str:
    """Decrypt what `seal` returned. Raises `SecretUnreadable` if no key fits."""
    try:
        return _keys().decrypt(token).decode()
    except InvalidToken:
        raise SecretUnreadable from None


def reseal(token: str) -> str:
    """Encrypt the same secret with the first key. Raises `SecretUnreadable`."""
    try:
        return _keys().rotate(token).decode("ascii")
    except InvalidToken:
        raise SecretUnreadable from None


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.FIELD_ENCRYPTION_KEYS])


_BLOCK = 32
"""Cursors are padded to a multiple of this, so that their length does not reveal the size of a number either."""


def seal_cursor(position: object, made_with: Mapping[str, object]) -> str:
    """Encrypt where a page ends, so that a cursor does not reveal how many rows other companies have.

    position: JSON, or moments and UUIDs, which become texts. made_with: everything that decides which rows are listed,
    the company included; the cursor is valid only with the same. The same arguments give the same cursor, so that a
    page keeps its ETag: AES-SIV (RFC 5297), for Fernet and other modes need a nonce.
    """
    clear = json.dumps(position, default=str).encode()
    padded = clear.ljust(-(-len(clear) // _BLOCK) * _BLOCK)
    (cipher, *_others) = _cursor_keys(tuple(settings.FIELD_ENCRYPTION_KEYS))
    return urlsafe_b64encode(cipher.encrypt(padded, [_digestible(made_with)])).decode("ascii").rstrip("=")


def open_cursor(cursor: str, made_with: Mapping[str, object]) -> Any:  # noqa: ANN401  # as it was given to `seal_cursor`
    """Return the position in a cursor. Raises `ValueError` unless `seal_cursor` made it with the same `made_with`."""
    sealed = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    for cipher in _cursor_keys(tuple(settings.FIELD_ENCRYPTION_KEYS)):
        try:
            return json.loads(cipher.decrypt(sealed, [_digestible(made_with)]))
        except InvalidTag:
            continue
    raise ValueError("Not a cursor of this list.")


def _digestible(made_with: Mapping[str, object]) -> bytes:
    return json.dumps(made_with, sort_keys=True, default=str).encode()


@lru_cache(maxsize=4)
def _cursor_keys(keys: tuple[str, ...]) -> tuple[AESSIV, ...]:
    """Keys for cursors alone, derived from those for secrets."""
    return tuple(AESSIV(HKDF(SHA512(), 64, None, b"cursors").derive(urlsafe_b64decode(key))) for key in keys)
