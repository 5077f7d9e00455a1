"""Tracking codes: `<company prefix><10 random characters><1 check character>`.

Crockford's base32 alphabet leaves out what people confuse when they read aloud (I, L, O, U). The check character is
ISO/IEC 7064's hybrid system over that alphabet: one wrong character or two swapped ones do not go through. Random,
never derived from a sequence: a code tells nothing about how much a company ships.
"""

import secrets

from stdnum.iso7064 import mod_37_36

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_LENGTH = 10


def issue(prefix: str) -> str:
    """A new code for a company with `prefix` (2 to 5 of A-Z, 0-9)."""
    number = secrets.randbits(5 * RANDOM_LENGTH)
    body = "".join(ALPHABET[(number >> shift) & 31] for shift in range(0, 5 * RANDOM_LENGTH, 5))
    return prefix + body + check_character(body)


def check_character(body: str) -> str:
    """The check character of the random part."""
    return str(mod_37_36.calc_check_digit(body, alphabet=ALPHABET))


def is_sound(code: str) -> bool:
    """Whether the code's last eleven characters check: tells a typing error without asking the database."""
    return bool(mod_37_36.is_valid(code[-RANDOM_LENGTH - 1 :], alphabet=ALPHABET))
