"""Kinds of values in the canonical JSON document: what each accepts, within which bounds.

Every kind reads a JSON value into what is stored or raises `InvalidValue`, which says what to send.
`FieldReader` trims strings before. A JSON number is an int or a `Decimal` here, as `strict_json` gives it; a boolean
is never a number.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Protocol

from shipments.manifests.countries.rules import Finding
from shipments.manifests.payload.row_findings import RowFindings
from shipments.manifests.reason import InvalidValue

EXACT = Context(prec=256, rounding=ROUND_HALF_UP)
"""Arithmetic that loses nothing: a thousand products of two numbers of 40 digits and 40 decimals fit."""

_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40})?")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class Kind(Protocol):
    """How one value is read, and how it is described in the documentation."""

    def read(self, value: object) -> object:
        """The value as it is stored; raises InvalidValue."""

    def describe(self) -> str:
        """Type and bounds in a few words."""


@dataclass(frozen=True, slots=True)
class Text:
    """A string of at most `max_length` characters. `takes_integers`: numbers that are names, as phones are."""

    max_length: int
    takes_integers: bool = False

    def read(self, value: object) -> str:
        """The text."""
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
        """Type and bounds in a few words."""
        return f"text, at most {self.max_length} characters" + (", or an integer" if self.takes_integers else "")


@dataclass(frozen=True, slots=True)
class Amount:
    """A decimal number, rounded half up to `places` decimals, from `minimum` to `maximum`."""

    places: int
    maximum: Decimal
    minimum: Decimal = Decimal(0)
    step: Decimal = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", Decimal(1).scaleb(-self.places))

    def read(self, value: object) -> Decimal:
        """The number as it is stored: rounded first, then held against the bounds. Rounded to zero is zero."""
        number = value if type(value) is Decimal else exact_number(value)
        try:
            fitted = number.quantize(self.step, None, EXACT)
            if self.minimum <= fitted <= self.maximum and (fitted or number >= 0):
                return fitted or abs(fitted)
        except InvalidOperation:  # too large for any column, infinite, or no number
            pass
        raise InvalidValue("number_out_of_range", minimum=str(self.minimum), maximum=str(self.maximum))

    def describe(self) -> str:
        """Type and bounds in a few words."""
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
        """The whole number."""
        number = value if type(value) is int else exact_number(value)
        try:
            if self.minimum <= number <= self.maximum and number == int(number):
                return int(number)
        except InvalidOperation:  # no number, as a float may be
            pass
        raise InvalidValue("not_a_count", minimum=self.minimum, maximum_count=self.maximum)

    def describe(self) -> str:
        """Type and bounds in a few words."""
        return f"whole number, {self.minimum} to {self.maximum:,}"


@dataclass(frozen=True, slots=True)
class Document:
    """An object of the sender's own, stored as it came."""

    max_bytes: int
    max_depth: int

    def read(self, value: object) -> dict[str, object]:
        """The object, its decimals as floats: what a JSON column holds."""
        plain = _plain(value, self.max_depth)
        if isinstance(plain, dict) and (_at_most_bytes(plain) <= self.max_bytes or _bytes(plain) <= self.max_bytes):
            return plain
        raise InvalidValue("object_too_large", kibibytes=self.max_bytes // 1024)

    def describe(self) -> str:
        """Type and bounds in a few words."""
        return f"object, at most {self.max_bytes // 1024} KiB and {self.max_depth} levels deep"


def _at_most_bytes(value: object) -> int:
    """A bound that costs a tenth of `_bytes`: no character of a repr stands for more than four bytes of JSON."""
    return 4 * len(repr(value))


def _bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass"))


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
class Items:
    """An array; its objects are read one by one elsewhere."""

    maximum: int

    def read(self, value: object) -> list[object]:
        """The array as it came."""
        if isinstance(value, list) and len(value) <= self.maximum:
            return value
        raise InvalidValue("too_many_items", maximum_count=self.maximum)

    def describe(self) -> str:
        """Type and bounds in a few words."""
        return f"array, at most {self.maximum:,} objects"


@dataclass(frozen=True, slots=True)
class Field:
    """One key of the document.

    code: the contract's word for a value that cannot be taken.
    note: what the key means or does, for the documentation.
    """

    name: str
    kind: Kind
    required: bool = False
    code: str = "invalid"
    note: str = ""


class FieldReader:
    """Reads the keys of objects of one sort, again and again."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._plan = [
            (field.name, field.kind.read, _plain_length(field.kind), field.required, field.code) for field in fields
        ]

    def read(self, source: Mapping[str, object], findings: RowFindings, prefix: str = "") -> dict[str, Any]:
        """The values that could be read; what is wrong with others becomes a problem in `findings`.

        null, an empty string and blanks count as absent; keys that no field names are ignored.
        prefix: stands before a key's name in a problem, such as `products[0].`.
        """
        values: dict[str, Any] = {}
        value_of = source.get
        for name, read, plain_length, is_required, code in self._plan:
            value = value_of(name)
            if type(value) is str:
                value = value.strip()
                if 0 < len(value) <= plain_length and value.isprintable():
                    values[name] = value
                    continue
            if not value and (value is None or value == ""):
                if is_required:
                    findings.refuse(prefix + name, "required")
                continue
            try:
                values[name] = read(value)
            except InvalidValue as problem:
                findings.problems.append(Finding(prefix + name, code, problem.reason))
        return values


def _plain_length(kind: Kind) -> int:
    """Up to which length a printable string needs no further look: most values are such, and calls cost time."""
    return kind.max_length if type(kind) is Text else 0


WEIGHT_KG = Amount(places=3, minimum=Decimal("0.001"), maximum=Decimal("999999999.999"))
USD = Amount(places=2, maximum=Decimal("999999999999.99"))
DESCRIPTION = Text(2000)
HS_CODE = Text(255, takes_integers=True)
"""A guide's own columns, which products fill as well."""
