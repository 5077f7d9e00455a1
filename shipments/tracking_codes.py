"""Tracking codes: `<company prefix><10 random characters><1 check character>`.

Crockford's base32 alphabet leaves out characters that are easily confused (I, L, O, U). The check character is computed
with the hybrid system of ISO/IEC 7064 over that alphabet, which detects a wrong character or two swapped ones. Codes
are random and not sequential, so they do not reveal how much a company ships.
"""

import secrets

from stdnum.iso7064 import mod_37_36

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_LENGTH = 10


def issue(prefix: str) -> str:
    """Return a new code for a company with `prefix` (2 to 5 characters of A-Z and 0-9)."""
    number = secrets.randbits(5 * RANDOM_LENGTH)
    body = "".join(ALPHABET[(number >> shift) & 31] for shift in range(0, 5 * RANDOM_LENGTH, 5))
    return prefix + body + check_character(body)


def check_character(body: str) -> str:
    """Return the check character of the random part."""
    return str(mod_37_36.calc_check_digit(body, alphabet=ALPHABET))


def is_sound(code: str) -> bool:
    """Return whether the check character is right. This detects typing errors without a database query."""
    return bool(mod_37_36.is_valid(code[-RANDOM_LENGTH - 1 :], alphabet=ALPHABET))
