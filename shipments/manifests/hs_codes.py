"""Tariff codes of the Harmonized System, as written in manifests."""

import re
from functools import lru_cache

_HS_CODE = re.compile(r"[0-9]{6,12}[A-Z]?")
_BETWEEN = re.compile(r"[,;/|+]|\s[-y]\s")


@lru_cache(maxsize=4096)  # a manifest repeats a few codes many times
def normal_hs_code(text: str) -> str | None:
    """A tariff code without dots and blanks: 6 to 12 digits and at most one letter; None for anything else.

    Source: the six digits of the Harmonized System, extended by the national tariffs (Chile 8, Peru 10, Argentina 11
    and a control letter).
    """
    code = text.replace(".", "").replace(" ", "")
    code = code.upper() if code.isascii() else code
    return code if _HS_CODE.fullmatch(code) else None


def normal_hs_codes(text: str) -> str | None:
    """One or several codes in one cell, each in its normal form, joined with `, `; None if any of them is invalid."""
    code = normal_hs_code(text)
    if code:
        return code
    codes = [normal_hs_code(part) for part in _BETWEEN.split(text) if part.strip()]
    return ", ".join(dict.fromkeys(code for code in codes if code)) if codes and all(codes) else None
