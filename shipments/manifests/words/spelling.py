"""How headings are written: scripts, signs, abbreviations, words run together, and text in the wrong encoding.

`fold` splits a heading into tokens, however it was written. It handles the spelling of words, not their meaning.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

from shipments.manifests.words import WORDS

_SAME_WORD: Mapping[str, str] = {word: usual for usual, words in WORDS["same_word"].items() for word in words.split()}
_CHINESE: Mapping[str, str] = {word: meaning for meaning, words in WORDS["chinese"].items() for word in words.split()}
_SIGNS = str.maketrans(WORDS["signs"])
SIMPLIFIED = str.maketrans(WORDS["traditional_letters"]["traditional"], WORDS["traditional_letters"]["simplified"])
"""For traditional Chinese letters, the simplified ones."""
_BRACKETS = str.maketrans("\uff08\uff09\uff3b\uff3d\uff1c\uff1e\uff5b\uff5d\u3010\u3011<>{}", "()[]()()()()()")
IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")

_CURRENCY_SIGNS = [(re.compile(sign), f" {word} ") for word, sign in WORDS["currency_signs"].items()]
_CHINESE_WORD = re.compile("|".join(sorted(_CHINESE, key=len, reverse=True)))

_MARKS = re.compile("(?<![cdmCDM]m)(?<![^A-Za-z]m)(?<!^m)[\u00b9\u00b2\u00b3\u2070-\u2079]+|[\u2020\u2021\u00a7\u203b]")
"""Superscripts and daggers that refer to a note, but not those of areas and volumes (`m³`)."""
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2}|(?:No|Nr|Kg|Lb|Id)(?![a-z]))")
"""Where `pesoBruto`, `MAWBNumber`, `AWBNo` and `GWKg` begin another word."""
_CUSTOM = re.compile(r"^x_(?:studio_)?(?=[A-Za-z])|__c$")
"""What programs add to the names of fields that their users made: `x_fob_usd`, `Weight_kg__c`."""
_BOUND = re.compile(r"(?:\b(?:(?:m[aá]x|m[ií]n)[a-z]*|hasta|up to)|最[多大少小])[.:]?\s*[0-9][0-9.,]*", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z]+|[0-9]+|[^\W\d_a-z]+")

_MOST_ROUNDS = 2
# Windows-1252 leaves five bytes out; spreadsheet programs pass them on as control characters.
_HOLES = b"\x81\x8d\x8f\x90\x9d"
_CP1252 = {
    ord(chr(byte) if byte in _HOLES else bytes([byte]).decode("cp1252")): chr(byte) for byte in range(0x80, 0x100)
}
_OTHER_ENCODINGS = ("mac_roman", "cp850")

_PLAUSIBLE = re.compile(
    "[\\s\x20-\x7e\u00a0-\u017f\u2010-\u2026\u2030\u2039\u203a\u20ac\u2116\u2122\u2212\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]*"
)
"""Characters used in manifests: Latin letters and punctuation, Chinese."""


def fold(text: str) -> tuple[str, ...]:
    """The tokens of a heading: lower case, no accents, camelCase and digits split, abbreviations in one spelling."""
    return tuple(_SAME_WORD.get(token, token) for token in spell(text))


def spell(text: str) -> list[str]:
    """The tokens of a heading before abbreviations are unified. Letters without a known word are kept as they are."""
    if not text.isascii():
        text = _MARKS.sub("", repair(text)).replace(".\u00ba", "\u00ba")  # `N.º`
        text = text.translate(SIMPLIFIED)
        text = _CHINESE_WORD.sub(lambda match: f" {_CHINESE[match[0]]} ", text).translate(_SIGNS)
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    lower = _HUMPS.sub(" ", _CUSTOM.sub("", text).translate(_SIGNS).replace("UoM", "uom")).lower().replace("'s ", " ")
    if "$" in lower or "/" in lower or "." in lower:
        for sign, word in _CURRENCY_SIGNS:
            lower = sign.sub(word, lower)
    return _TOKEN.findall(lower)


def drop_bounds(text: str) -> str:
    """A heading without the least and the most that a remark in brackets allows: `Peso (kg, máx. 30)`."""
    return IN_BRACKETS.sub(lambda remark: _BOUND.sub("", remark[0]), text.translate(_BRACKETS))


def split_brackets(text: str) -> tuple[str, list[str]]:
    """A heading without its remarks in brackets of any kind, and each of the remarks."""
    plain = text.translate(_BRACKETS)
    return IN_BRACKETS.sub(" ", plain), [remark[1:-1] for remark in IN_BRACKETS.findall(plain)]


def repair(text: str) -> str:
    """The text before it was misread, perhaps twice; unchanged when that cannot be determined exactly.

    When a spreadsheet program opens a UTF-8 CSV as Windows-1252, Latin-1, MacRoman or a DOS code page, each accented
    letter becomes two or three odd characters. Encoding such a text back gives the original UTF-8. If the whole text
    then is plausible, the repair is exact (the rule of `ftfy.fixes`, for the encodings met here).
    """
    repaired_text, found = text, None if text.isascii() else text
    for _ in range(_MOST_ROUNDS):
        found = next(_before(found), None) if found else None
        if found and _PLAUSIBLE.fullmatch(found):
            repaired_text = found
    return repaired_text


def _before(text: str) -> Iterator[str]:
    """The texts of which this may be a misreading, in one of the known encodings."""
    for encoding in ("latin-1", *_OTHER_ENCODINGS):
        try:
            found = (text.translate(_CP1252) if encoding == "latin-1" else text).encode(encoding).decode()
        except UnicodeError:
            continue
        if len(found) < len(text):
            yield found


@lru_cache(maxsize=4096)
def run_together(token: str, words: frozenset[str], endings: frozenset[str]) -> tuple[str, ...]:
    """The words joined in a token (`pesobruto`, `valorusd`), or only the token itself.

    words: the words it may contain. endings: shorter words, allowed only at its end.
    """
    if len(token) < 5 or token in words or token in endings:
        return (token,)
    return _split(token, words, endings) or (token,)


def _split(rest: str, words: frozenset[str], endings: frozenset[str]) -> tuple[str, ...]:
    for length in range(len(rest), 2, -1):
        if rest[:length] not in words:
            continue
        if length == len(rest):
            return (rest,)
        if rest[length:] in endings:
            return rest[:length], rest[length:]
        if following := _split(rest[length:], words, endings):
            return rest[:length], *following
    return ()
