"""API passwords: how one is made, recognised and stored. Pure but for the pepper.

The shape is GitHub's: a prefix by which a leak is found, 43 base62 characters from the system's random source
(256 bits), and six of CRC32 by which a scanner tells a real one from an invented one without asking us. With that
entropy a keyed digest is enough (OWASP ASVS 5.0, V6.5.2), and a look-up by digest costs microseconds where a password
hash would cost a fifth of a second.
"""

import hashlib
import hmac
import secrets
import string
import zlib

from django.conf import settings

PREFIX = "pa_live_"
HINT_LENGTH = 12

_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM_LENGTH = 43
_CHECKSUM_LENGTH = 6
_LENGTH = len(PREFIX) + _RANDOM_LENGTH + _CHECKSUM_LENGTH


def generate() -> str:
    """A new password in clear. It is shown once and never stored."""
    head = PREFIX + "".join(secrets.choice(_BASE62) for _ in range(_RANDOM_LENGTH))
    return head + _checksum(head)


def is_well_formed(password: str) -> bool:
    """Whether `password` could be one of ours: prefix, length and checksum. Saves the database a question."""
    head, tail = password[:-_CHECKSUM_LENGTH], password[-_CHECKSUM_LENGTH:]
    return len(password) == _LENGTH and password.startswith(PREFIX) and password.isascii() and tail == _checksum(head)


def digest(password: str) -> str:
    """What is stored: HMAC-SHA-256 under the pepper, as 64 hexadecimal digits."""
    return hmac.new(settings.API_PASSWORD_PEPPER.encode(), password.encode(), hashlib.sha256).hexdigest()


def hint(password: str) -> str:
    """The first characters, by which an operator and a client can agree which password they speak of."""
    return password[:HINT_LENGTH]


def _checksum(head: str) -> str:
    number = zlib.crc32(head.encode())
    digits = []
    for _ in range(_CHECKSUM_LENGTH):
        number, position = divmod(number, 62)
        digits.append(_BASE62[position])
    return "".join(reversed(digits))
