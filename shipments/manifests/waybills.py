"""Waybill numbers: the master (MAWB) that a flight carries and the houses (HAWBs) under it."""

import math
import re
import unicodedata
from collections.abc import Mapping

HAWB_LENGTH = 64
"""The maximum length of a HAWB."""
NUMBER_LENGTH = 64
"""The maximum length of a carrier's own number for a guide."""
TRACKING_CODE_LENGTH = 32
"""The maximum length of a tracking code: those that we issue have 13 to 16 characters, those of other systems more."""

_LONGEST = 400

_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"))
_INVISIBLE = dict.fromkeys(
    (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
     *range(0xE0100, 0xE01F0))
)  # fmt: skip
"""Fillers, variation selectors and the blank Braille pattern: printable, as Python has it."""
_SPELLING = r"0?([0-9]{3})(?: ?- ?| )?([0-9]{4}) ?([0-9]{4})"
_MAWB = re.compile(_SPELLING)
_LABELLED = r"0?([0-9]{3})(?: ?[-/.] ?| )?([0-9]{4})[ .]?([0-9]{4})"
_MAWB_FIRST = re.compile(rf"(?:[^0-9A-Z]|N[OR]*\b|NUM(?:ERO)?\b|M?AWB\b)*{_LABELLED}(?![0-9])", re.IGNORECASE)
_HYPHENATED = re.compile(r"(?<![0-9A-Za-z-])([0-9]{3})-([0-9]{4}) ?([0-9]{4})(?![0-9A-Za-z-])")
_WITHOUT_ZEROS = re.compile(r"([0-9]{1,2})(?: ?- ?| )?([0-9]{4}) ?([0-9]{4})")
_PREFIX, _SERIAL = re.compile(r"[0-9]{2,3}"), re.compile(r"[0-9]{4} ?[0-9]{4}|[0-9]{7}")
_BARE_NUMBER = re.compile(r"([0-9]{9,12})(?:\.0+)?")


def normal_mawb(value: str | float) -> str | None:
    """The normal form `NNN-NNNNNNNN` of a MAWB; None if it is invalid.

    Text: three digits, then eight, separated by a space, any kind of hyphen or nothing; the eight may be split into
    four and four. A leading twelfth digit is dropped if it is a zero. Numbers, as spreadsheets keep them, have lost
    their leading zeros: 9 or 10 digits are padded to 11. The check digit is not checked: see `has_valid_check_digit`.
    Source: IATA Resolution 600a, air waybill number: airline prefix and serial number.
    """
    if not isinstance(value, str):
        return _mawb_of_number(value)
    match = _MAWB.fullmatch(_plain(value)) if len(value) <= _LONGEST else None
    return _join(match) if match else None


def carrier_number(extra_data: Mapping[str, object], key: str) -> str:
    """The carrier's own number in a guide's `extra_data`; empty without a usable one. Numbers are kept as doubles."""
    value = extra_data.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    number = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    return number if len(number) <= NUMBER_LENGTH else ""


def join_mawb(prefix: str, serial: str) -> str | None:
    """The normal form of a MAWB in two cells, the carrier's digits and a serial number, of which leading zeros may be
    lost; None if these are no such parts."""
    is_whole = _PREFIX.fullmatch(prefix) and _SERIAL.fullmatch(serial)
    return normal_mawb(f"{prefix.zfill(3)}-{serial.zfill(8)}") if is_whole else None


def read_sought_mawb(text: str) -> str | None:
    """The normal form of a MAWB that somebody asks for; None if it is invalid.

    Spelled as `normal_mawb` accepts it, or without the leading zeros, which spreadsheets drop: `4512345675`.
    """
    match = _WITHOUT_ZEROS.fullmatch(_plain(text)) if len(text) <= _LONGEST else None
    return f"{match[1].zfill(3)}-{match[2]}{match[3]}" if match else normal_mawb(text)


def find_labelled_mawbs(text: str) -> list[str]:
    """The MAWBs in a text labelled as one: the first in any spelling, further ones only with their hyphen.

    A slash or points as separators are accepted too (`045/12345675`, `045.1234.5675`). Digits alone that have lost
    leading zeros are padded, as in a numeric cell.
    """
    plain = _plain(text)
    bare = _BARE_NUMBER.fullmatch(plain)
    if bare:
        number = normal_mawb(bare[1]) or _mawb_of_number(int(bare[1]))
        return [number] if number else []
    first = _MAWB_FIRST.match(plain)
    return [_join(first), *find_unlabelled_mawbs(plain[first.end() :])] if first else []


def find_unlabelled_mawbs(text: str) -> list[str]:
    """Every MAWB in an unlabelled text: only with the hyphen after three digits.

    Eleven bare digits are not accepted as a MAWB here: a Peruvian RUC and an Argentine CUIT also have eleven digits.
    """
    return [_join(match) for match in _HYPHENATED.finditer(_plain(text))]


def has_valid_check_digit(mawb: str) -> bool:
    """Whether the eighth serial digit is the first seven modulo 7.

    mawb: in the normal form `NNN-NNNNNNNN`.
    Source: IATA Resolution 600a, serial number with check digit (unweighted modulus 7).
    """
    serial = mawb[4:]
    return int(serial[:7]) % 7 == int(serial[7])


def visible(text: str) -> str:
    """The text without letters and marks that show nothing: programs leave them in codes, where nobody sees them."""
    return text if text.isascii() else text.translate(_INVISIBLE)


def normal_hawb(text: str) -> str | None:
    """A HAWB trimmed and in capitals; None if it is empty, longer than `HAWB_LENGTH` or has control characters."""
    hawb = visible(text).strip().upper()
    return hawb if 0 < len(hawb) <= HAWB_LENGTH and hawb.isprintable() else None


def _plain(text: str) -> str:
    # A text longer than any cell with a MAWB is cut before it is processed.
    return " ".join(unicodedata.normalize("NFKC", text[:_LONGEST]).translate(_HYPHENS).split())


def _join(match: re.Match[str]) -> str:
    return f"{match[1]}-{match[2]}{match[3]}"


def _mawb_of_number(value: float) -> str | None:
    if isinstance(value, bool) or not math.isfinite(value) or value != int(value) or value < 0:
        return None
    digits = str(int(value))
    return f"{digits.zfill(11)[:3]}-{digits.zfill(11)[3:]}" if 9 <= len(digits) <= 11 else None
