"""What number formats show and cells do not hold: `12.5 lb`, `€ 30`, `YT000000042CN` for bare numbers.

ECMA-376 part 1, 18.8.31. The child process imports this module, so it imports nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DOLLARS_OF = {
    0x340A: "CLP", 0x2C0A: "ARS", 0x240A: "COP", 0x080A: "MXN", 0x380A: "UYU", 0x1009: "CAD", 0x0C0C: "CAD",
    0x0C09: "AUD", 0x1409: "NZD", 0x0C04: "HKD", 0x4804: "SGD", 0x4809: "SGD", 0x0404: "TWD",
}  # fmt: skip
"""Windows' number of a locale whose currency has the dollar's sign -> that currency."""
_DOLLARS_BY_NAME = {
    "es-cl": 0x340A, "es-ar": 0x2C0A, "es-co": 0x240A, "es-mx": 0x080A, "es-uy": 0x380A, "en-ca": 0x1009,
    "fr-ca": 0x0C0C, "en-au": 0x0C09, "en-nz": 0x1409, "zh-hk": 0x0C04, "en-hk": 0x0C04, "zh-sg": 0x4804,
    "en-sg": 0x4809, "zh-tw": 0x0404,
}  # fmt: skip
_COMPARED = ("<=", ">=", "<>", "<", ">", "=")
_MARKS = "-+():!^&'~{}=<> "
_LITERALS = f"{_MARKS}$"
"""What stands for itself without quotation marks."""

_DIGITS, _TEXT, _ELSE = "digits", "text", "else"


def words_in(code: str) -> str:
    """The words that a format shows with a number, and the code of a currency that its locale names (`[$$-340A]`)."""
    words = (text for _, section in _sections(code) for kind, text in section if kind == _TEXT)
    return " ".join(dict.fromkeys(word for each in words if (word := each.strip(f"{_MARKS}.,/"))))


def names_things(code: str) -> bool:
    """Whether a format shows whole numbers as identifiers: with leading zeros, in groups, or with letters attached."""
    return any(_is_identifier(section) for _, section in _sections(code))


def format_number(number: int, code: str) -> str | None:
    """A whole number as a format shows it; None where that is not known: fractions, thousands, dates."""
    sections = _sections(code)
    section = next((each for condition, each in sections if condition and _holds(number, condition)), None)
    if section is None:
        plain = [each for condition, each in sections if not condition]
        if not plain:
            return None
        section = plain[2] if number == 0 and len(plain) > 2 else plain[0]
    if number < 0 or any(kind == _ELSE for kind, _ in section):
        return None
    slots = "".join(text for kind, text in section if kind == _DIGITS)
    if not slots:
        return None
    digits = (str(number) if number else "").rjust(len(slots))
    extra, last = digits[: -len(slots)], digits[-len(slots) :]
    written = iter([digit if digit != " " else slot.strip("#?") for digit, slot in zip(last, slots, strict=True)])
    parts = []
    for kind, text in section:
        if kind == _DIGITS:
            parts += [extra, *(next(written) for _ in text)]
            extra = ""
        else:
            parts.append(text)
    return " ".join("".join(parts).split())


def _is_identifier(section: "list[tuple[str, str]]") -> bool:
    kinds = [kind for kind, _ in section]
    if _ELSE in kinds or _DIGITS not in kinds:
        return False
    first, last = kinds.index(_DIGITS), len(kinds) - 1 - kinds[::-1].index(_DIGITS)
    before = "".join(text for _, text in section[:first])
    after = "".join(text for _, text in section[last + 1 :])
    has_letters = before[-1:].isalnum() or after[:1].isalnum() or (before[-1:] == "-" and any(map(str.isalnum, before)))
    zeros = sum(text.count("0") for kind, text in section if kind == _DIGITS)
    return has_letters or zeros > 1 or _TEXT in kinds[first:last]


def _holds(number: int, condition: str) -> bool:
    sign = next(each for each in _COMPARED if condition.startswith(each))
    try:
        bound = float(condition[len(sign) :])
    except ValueError:
        return False
    return {
        "<=": number <= bound, ">=": number >= bound, "<>": number != bound,
        "<": number < bound, ">": number > bound, "=": number == bound,
    }[sign]  # fmt: skip


_MOST_KNOWN = 1_000
_KNOWN: "dict[str, list[tuple[str, list[tuple[str, str]]]]]" = {}
"""Formats that were read before: a column has one for thousands of cells."""


def _sections(code: str) -> "list[tuple[str, list[tuple[str, str]]]]":
    """The sections of a format: its condition, empty for none, and its tokens."""
    if code in _KNOWN:
        return _KNOWN[code]
    sections: list[tuple[str, list[tuple[str, str]]]] = []
    condition = ""
    tokens: list[tuple[str, str]] = []
    for kind, text in _tokens(code):
        if kind == ";":
            sections.append((condition, tokens))
            condition, tokens = "", []
        elif kind == "condition":
            condition = text
        elif tokens and kind == tokens[-1][0] != _ELSE:
            tokens[-1] = (kind, tokens[-1][1] + text)
        else:
            tokens.append((kind, text))
    if len(_KNOWN) >= _MOST_KNOWN:
        _KNOWN.clear()
    _KNOWN[code] = [*sections, (condition, tokens)]
    return _KNOWN[code]


def _tokens(code: str) -> "Iterator[tuple[str, str]]":
    position = 0
    while position < len(code):
        letter = code[position]
        position += 1
        if letter == '"':
            end = code.find('"', position)
            end = len(code) if end < 0 else end
            yield _TEXT, code[position:end]
            position = end + 1
        elif letter == "\\":
            yield _TEXT, code[position : position + 1]
            position += 1
        elif letter in "_*":  # a blank as wide as the next character, which may be repeated
            yield _TEXT, " "
            position += 1
        elif letter == "[":
            end = code.find("]", position)
            end = len(code) if end < 0 else end
            yield from _of_brackets(code[position:end])
            position = end + 1
        elif letter in "0#?":
            yield _DIGITS, letter
        elif letter == ";":
            yield letter, letter
        elif letter in _LITERALS or not letter.isascii():
            yield _TEXT, letter
        else:
            yield _ELSE, letter


def _of_brackets(inside: str) -> "Iterator[tuple[str, str]]":
    if inside.startswith(_COMPARED):
        yield "condition", inside
    elif inside.startswith("$"):
        sign, _, place = inside[1:].partition("-")
        yield _TEXT, f" {_currency_of(place.lower())} " if sign.strip() == "$" and _currency_of(place.lower()) else sign
    elif inside[:1].lower() in {"h", "m", "s"} and len(set(inside.lower())) == 1:
        yield _ELSE, inside  # hours that go past a day


def _currency_of(place: str) -> str:
    place = place.partition(",")[0]
    try:
        number = int(place, 16) & 0xFFFF  # above these bits: the calendar and the shape of digits
    except ValueError:
        number = _DOLLARS_BY_NAME.get(place, 0)
    return _DOLLARS_OF.get(number, "")
