"""Kinds of values: what a field accepts, and its limits.

Every kind converts a JSON value to the stored value or raises `InvalidValue`, which says what to send. Strings come
trimmed. A JSON number is an int or a `Decimal` here, as `strict_json` returns it; a boolean is never a number.
"""

import json
import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Protocol

from shipments.manifests.destinations import find_country
from shipments.manifests.manifest import InvalidValue
from shipments.manifests.waybills import HAWB_LENGTH, normal_hawb

EXACT = Context(prec=256, rounding=ROUND_HALF_UP)
"""Arithmetic without loss: the sum of a thousand products of two numbers with 40 digits and 40 decimals fits."""

_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40})?")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class FieldKind(Protocol):
    """How one value is read, and how it is described in the documentation."""

    def read(self, value: object) -> object:
        """The value as it is stored; raises InvalidValue."""

    def describe(self) -> str:
        """Type and bounds in a few words."""


@dataclass(frozen=True, slots=True)
class Text:
    """A string of at most `max_length` characters. `takes_integers`: accept numbers used as names, such as phones."""

    max_length: int
    takes_integers: bool = False

    def read(self, value: object) -> str:
        if type(value) is str:
            text = value
        elif self.takes_integers and type(value) is int:
            text = str(value)
        else:
            raise InvalidValue("not_a_string")
        if len(text) > self.max_length:
            raise InvalidValue("text_too_long", most=self.max_length)
        if not text.isprintable() and _CONTROL.search(text):
            raise InvalidValue("control_characters")
        return text

    def describe(self) -> str:
        return f"text, at most {self.max_length} characters" + (", or an integer" if self.takes_integers else "")


class Hawb(Text):
    """A house waybill number in its normal form."""

    def read(self, value: object) -> str:
        hawb = normal_hawb(super().read(value))
        if hawb is None:
            raise InvalidValue("hawb_characters", most=HAWB_LENGTH)
        return hawb


class DocumentType(Text):
    """The word for a kind of document. Any other value means a kind that no country accepts."""

    def read(self, value: object) -> str:
        """The word as sent. The country's rules check it and list the valid words."""
        return value if isinstance(value, str) else "?"


class Country(Text):
    """A country, stored as its alpha-2 code. `find_country` says which names are understood."""

    def read(self, value: object) -> str:
        code = find_country(value) if isinstance(value, str) else None
        if code is None:
            raise InvalidValue("not_a_country")
        return code

    def describe(self) -> str:
        return "country: ISO 3166 alpha-2 or alpha-3, or its name in Spanish or English"


@dataclass(frozen=True, slots=True)
class DecimalNumber:
    """A decimal number, rounded half up to `places` decimals, from `minimum` to `maximum`."""

    places: int
    maximum: Decimal
    minimum: Decimal = Decimal(0)
    step: Decimal = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", Decimal(1).scaleb(-self.places))

    def read(self, value: object) -> Decimal:
        """The number as it is stored: rounded first, then checked against the limits. Rounded to zero is zero."""
        number = value if type(value) is Decimal else exact_number(value)
        try:
            fitted = number.quantize(self.step, None, EXACT)
            if self.minimum <= fitted <= self.maximum and (fitted or number >= 0):
                return fitted or abs(fitted)
        except InvalidOperation:  # too large for any column, infinite, or not a number
            pass
        raise InvalidValue("number_out_of_range", minimum=str(self.minimum), maximum=str(self.maximum))

    def describe(self) -> str:
        return f"number, {self.minimum} to {self.maximum}, rounded half up to {self.places} decimals"


def exact_number(value: object) -> Decimal:
    """A JSON number, or a string that spells one plainly (`12.50`), without any rounding."""
    if type(value) is Decimal:
        return value
    if type(value) is int:
        return Decimal(value)
    if type(value) is float:
        return Decimal(repr(value))
    if type(value) is str and _PLAIN_NUMBER.fullmatch(value.strip()):
        return Decimal(value.strip())
    raise InvalidValue("not_a_number")


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number from `minimum` to `maximum`."""

    minimum: int
    maximum: int

    def read(self, value: object) -> int:
        number = value if type(value) is int else exact_number(value)
        try:
            if self.minimum <= number <= self.maximum and number == int(number):
                return int(number)
        except InvalidOperation:  # not a number, as a float may be
            pass
        raise InvalidValue("not_a_count", minimum=self.minimum, maximum_count=self.maximum)

    def describe(self) -> str:
        return f"whole number, {self.minimum} to {self.maximum:,}"


@dataclass(frozen=True, slots=True)
class Document:
    """An object of the sender's own, stored as sent."""

    max_bytes: int
    max_depth: int

    def read(self, value: object) -> dict[str, object]:
        """The object, with its decimals as floats, as a JSON column stores them."""
        plain = _plain(value, self.max_depth)
        # A character of a repr is at most four bytes of JSON, and costs a tenth.
        if isinstance(plain, dict):
            if 4 * len(repr(plain)) <= self.max_bytes:
                return plain
            text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
            if len(text.encode(errors="surrogatepass")) <= self.max_bytes:
                return plain
        raise InvalidValue("object_too_large", kibibytes=self.max_bytes // 1024)

    def describe(self) -> str:
        return f"object, at most {self.max_bytes // 1024} KiB and {self.max_depth} levels deep"


def _plain(value: object, depth: int) -> object:
    if isinstance(value, Decimal):
        return float(value)
    if not isinstance(value, (dict, list)):
        return value
    if depth == 0:
        raise InvalidValue("nested_too_deep")
    if isinstance(value, dict):
        return {key: _plain(member, depth - 1) for key, member in value.items()}
    return [_plain(member, depth - 1) for member in value]


@dataclass(frozen=True, slots=True)
class YesNo:
    """true or false; absent when it is not known."""

    def read(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise InvalidValue("not_yes_or_no")

    def describe(self) -> str:
        return "true or false"


@dataclass(frozen=True, slots=True)
class Items:
    """An array. Its objects are read one by one elsewhere."""

    maximum: int

    def read(self, value: object) -> list[object]:
        if isinstance(value, list) and len(value) <= self.maximum:
            return value
        raise InvalidValue("too_many_items", maximum_count=self.maximum)

    def describe(self) -> str:
        return f"array, at most {self.maximum:,} objects"


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a document.

    code: the contract's word for an invalid value.
    note: what the key means or does, for the documentation.
    """

    name: str
    kind: FieldKind
    required: bool = False
    code: str = "invalid"
    note: str = ""


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
