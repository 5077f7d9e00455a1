"""Generate, check and hash API passwords. Depends on nothing but the pepper.

The format is GitHub's: a prefix by which leaks are found, 43 base62 characters from the system's random source
(256 bits), and a six-character CRC32 that lets scanners tell real ones from invented ones offline. With that much
entropy a keyed digest is enough (OWASP ASVS 5.0, V6.5.2), and a lookup by digest takes microseconds where a password
hash would take a fifth of a second.
"""

import hashlib
import hmac
import secrets
import string
import zlib
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

LIVE, SANDBOX = "pa_live_", "pa_test_"
"""The beginnings of passwords; those of a sandbox open nothing elsewhere."""
OPERATOR = "pa_op_"
"""The beginning of the secrets of machines that work as operators."""
HINT_LENGTH = 12
UNTIL_IT_IS_SENT = timedelta(minutes=10)
"""How long a new secret that was never used is taken not to have reached its user."""

_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM_LENGTH = 43
_CHECKSUM_LENGTH = 6
LENGTH = len(LIVE) + _RANDOM_LENGTH + _CHECKSUM_LENGTH


def prefix() -> str:
    return SANDBOX if settings.SANDBOX else LIVE


def other_prefix() -> str:
    return LIVE if settings.SANDBOX else SANDBOX


def generate(begins: str | None = None) -> str:
    """Return a new password in clear. It is shown once and never stored. begins: its prefix, if not a company's."""
    head = (begins or prefix()) + "".join(secrets.choice(_BASE62) for _ in range(_RANDOM_LENGTH))
    return head + _checksum(head)


def is_well_formed(password: str, begins: str | None = None) -> bool:
    """Whether `password` has the right prefix, length and checksum. Saves a database query if not.

    begins: another prefix than that of this installation's companies.
    """
    head, tail = password[:-_CHECKSUM_LENGTH], password[-_CHECKSUM_LENGTH:]
    begins = begins or prefix()
    is_kind = password.startswith(begins) and len(password) == len(begins) + _RANDOM_LENGTH + _CHECKSUM_LENGTH
    return is_kind and password.isascii() and tail == _checksum(head)


def digest(password: str) -> str:
    """Return what is stored: HMAC-SHA-256 under the pepper, as 64 hexadecimal digits."""
    return hmac.digest(settings.API_PASSWORD_PEPPER.encode(), password.encode(), "sha256").hex()


def hint(password: str) -> str:
    """Return the first characters, by which operators and clients can identify a password."""
    return password[:HINT_LENGTH]


def is_unsent(set_at: datetime | None, last_used_at: datetime | None = None) -> bool:
    """Whether a secret has probably not reached its user yet, as after a second click on *Rotate*.

    last_used_at: of this secret, not of the one before it.
    """
    return last_used_at is None and set_at is not None and set_at > timezone.now() - UNTIL_IT_IS_SENT


def _checksum(head: str) -> str:
    number = zlib.crc32(head.encode())
    digits = []
    for _ in range(_CHECKSUM_LENGTH):
        number, position = divmod(number, 62)
        digits.append(_BASE62[position])
    return "".join(reversed(digits))


def digest_with_pepper(purpose: str, value: str) -> bytes:
    """Return a 32-byte digest of `value` keyed with the pepper. purpose: keeps digests of different kinds apart."""
    return hmac.new(settings.API_PASSWORD_PEPPER.encode(), f"{purpose}:{value}".encode(), hashlib.sha256).digest()
