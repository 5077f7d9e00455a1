"""Strict JSON: anything that readers may interpret differently is refused.

Standard JSON leaves open what a duplicate key means, how deep values may nest and how long numbers may be. Python's
reader adds NaN and lone surrogates. Not every database can store such a body and return it unchanged, so it is refused
as a whole before its fields are read.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import NoReturn

from base.errors import InvalidBody, Translatable

MAX_DEPTH = 32
"""How deep objects and arrays may nest."""

MAX_DIGITS = 40
"""Characters in one number, and the largest power of ten, positive or negative, that it may reach."""

MAX_VALUES = 1_000_000
"""Values in one body, so that ten megabytes of `[],[],` do not become a gigabyte of objects."""

_CONTAINERS = frozenset({dict, list})
_MOST_REMEMBERED = 10_000
_UNSTORABLE_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SAYABLE_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ESCAPE = Translatable("a backslash in a text begins no valid escape")
_COMMA = Translatable("there is a comma before a closing bracket")
_PROBLEMS = {
    "Expecting value": Translatable("a value is missing"),
    "Expecting property name enclosed in double quotes": Translatable("a key in double quotes is missing"),
    "Expecting ':' delimiter": Translatable("a colon is missing"),
    "Expecting ',' delimiter": Translatable("a comma or a closing bracket is missing"),
    "Illegal trailing comma before end of object": _COMMA,
    "Illegal trailing comma before end of array": _COMMA,
    "Extra data": Translatable("there is more after its end"),
    "Unterminated string starting at": Translatable("a text has no closing quotation mark"),
    "Invalid control character at": Translatable("a text has a control character; write it as an escape"),
    "Invalid \\escape": _ESCAPE,
    "Invalid \\uXXXX escape": _ESCAPE,
}
"""What Python's reader says -> the same in words that can be translated."""


def loads(body: bytes) -> object:
    """The value of one JSON document in UTF-8. Numbers with a fraction or an exponent are `Decimal`, exactly as sent.

    Raises `InvalidBody` for an empty body, a byte order mark, other encodings, NaN and Infinity, a key that appears
    twice in one object, NUL and lone surrogates in keys or values, and for more than `MAX_DEPTH`, `MAX_DIGITS` or
    `MAX_VALUES`. Source: RFC 8259, and RFC 7493 (I-JSON) for what it leaves open.
    """
    text = _text(body)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_Numbers(_decimal).__getitem__,
            parse_int=_Numbers(_integer).__getitem__,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise InvalidBody(
            Translatable(
                "The body is not JSON: %(problem)s, line %(line)s column %(column)s.",
                problem=_PROBLEMS.get(error.msg, error.msg),
                line=error.lineno,
                column=error.colno,
            )
        ) from None
    except RecursionError:
        raise _too_deep() from None
    _check_nesting(value, is_suspect=_UNSTORABLE_ESCAPE.search(body) is not None)
    return value


def _text(body: bytes) -> str:
    if not body or body.isspace():
        raise InvalidBody("The body is empty; send one JSON object.")
    if body.startswith(b"\xef\xbb\xbf"):
        raise InvalidBody("The body begins with a byte order mark; send UTF-8 without one.")
    if body.count(b",") + body.count(b"[") + body.count(b"{") > MAX_VALUES:
        raise InvalidBody(Translatable("The body has more than %(most)s values.", most=f"{MAX_VALUES:,}"))
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise InvalidBody(Translatable("The body is not UTF-8 (byte %(byte)s).", byte=error.start)) from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        if _SAYABLE_KEY.fullmatch(twice):
            raise InvalidBody(Translatable("The key %(key)s occurs twice in one object.", key=twice))
        raise InvalidBody("A key occurs twice in one object.")
    return members


class _Numbers(dict[str, int | Decimal]):
    """The numbers of a document by their text, because prices and quantities recur. read: called for other texts."""

    def __init__(self, read: Callable[[str], int | Decimal]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, text: str) -> int | Decimal:
        number = self._read(text)
        if len(self) < _MOST_REMEMBERED:
            self[text] = number
        return number


def _decimal(text: str) -> Decimal:
    if len(text) <= MAX_DIGITS:
        try:
            number = Decimal(text)
        except ArithmeticError:  # an exponent too large even for Decimal
            pass
        else:
            if -MAX_DIGITS <= number.adjusted() <= MAX_DIGITS:
                return number
    raise _too_long()


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _too_long()
    return int(text)


def _constant(text: str) -> NoReturn:
    raise InvalidBody(Translatable("%(number)s is not a JSON number.", number=text))


def _check_nesting(value: object, *, is_suspect: bool) -> None:
    """Check the document level by level. A loop is faster than a call for each value, and cannot overflow the stack.

    is_suspect: the body contains an escape that may mean NUL or a surrogate, so texts are checked as well.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[object] = []
        for container in level:
            if isinstance(container, dict):
                members: Iterable[object] = container.values()
                texts: Iterable[object] = (*container, *members) if is_suspect else ()
            else:
                members = texts = container if isinstance(container, list) else (container,)
            if is_suspect and any(type(text) is str and _UNSTORABLE.search(text) for text in texts):
                raise InvalidBody("The body has a NUL character or half a surrogate pair in a text; leave it out.")
            below += [member for member in members if type(member) in _CONTAINERS]
        if not below:
            return
        level = below
    raise _too_deep()


def _too_deep() -> InvalidBody:
    return InvalidBody(Translatable("The body nests objects and arrays more than %(most)s deep.", most=MAX_DEPTH))


def _too_long() -> InvalidBody:
    return InvalidBody(
        Translatable(
            "A number in the body has more than %(most)s characters or a power of ten beyond that.", most=MAX_DIGITS
        )
    )
