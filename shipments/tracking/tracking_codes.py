"""Tracking codes: `<company prefix><10 random characters><1 check character>`.

Crockford's base32 alphabet leaves out characters that are easily confused (I, L, O, U). The check character is computed
with the hybrid system of ISO/IEC 7064 over that alphabet, which detects a wrong character or two swapped ones. Codes
are random and not sequential, so they do not reveal how much a company ships.

Parcels that moved in from another system keep its codes, of which only the form is known.
"""

import re
import secrets
from collections.abc import Collection

from stdnum.iso7064 import mod_37_36

from shipments.manifests.waybills import TRACKING_CODE_LENGTH, normal_mawb

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_LENGTH = 10
LENGTH_BEHIND_PREFIX = RANDOM_LENGTH + 1

_FOREIGN = re.compile(f"[A-Z0-9-]{{6,{TRACKING_CODE_LENGTH}}}")
_LETTERS = (ALPHABET * 8).encode()
"""The letter of each byte: its remainder by 32, so that all letters are equally likely."""
_DOUBLED = [(check or len(ALPHABET)) * 2 % (len(ALPHABET) + 1) for check in range(len(ALPHABET))]


def issue(prefix: str, count: int) -> list[str]:
    """Return `count` new codes for a company with `prefix` (2 to 5 characters of A-Z and 0-9)."""
    drawn = secrets.token_bytes(count * RANDOM_LENGTH)
    parts = (drawn[start : start + RANDOM_LENGTH] for start in range(0, len(drawn), RANDOM_LENGTH))
    return [f"{prefix}{part.translate(_LETTERS).decode()}{_check_character(part)}" for part in parts]


def _check_character(drawn: bytes) -> str:
    """Return the check character of a code's random bytes. `stdnum` computes the same in twenty times the time."""
    check = len(ALPHABET) // 2
    for byte in drawn:
        check = (_DOUBLED[check] + byte) % len(ALPHABET)
    return ALPHABET[1 - _DOUBLED[check]]


def is_sound(code: str) -> bool:
    """Return whether the check character of a code is right that is made as ours are."""
    return bool(mod_37_36.is_valid(code[-LENGTH_BEHIND_PREFIX:], alphabet=ALPHABET))


def is_mistyped(code: str, prefixes: Collection[str]) -> bool:
    """Return whether a code looks like one that we issue, and its check character is wrong.

    prefixes: of companies. Codes of another length, or that begin otherwise, may be of another system.
    """
    return code[:-LENGTH_BEHIND_PREFIX] in prefixes and not is_sound(code)


def may_be_taken_over(code: str) -> bool:
    """Return whether a guide may keep this code of another system: it is no MAWB, which is sought by its digits."""
    return _FOREIGN.fullmatch(code) is not None and normal_mawb(code) is None
