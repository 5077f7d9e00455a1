"""Small values of a format's JSON: each is read, or refused by the key's name."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from shipments.errors import FormatInvalid

LONGEST_TEXT = 160
LONGEST_HEADING = 160
LONGEST_NAME = 100
MOST_TEXTS = 20


def normal_value(text: str) -> str:
    """A text of a table of values, in the form in which cells are compared with it."""
    return " ".join(text.split()).upper()


def read_object(value: object, keys: Collection[str], place: str) -> dict[str, Any]:
    """An object without other keys than these."""
    if not isinstance(value, dict):
        raise FormatInvalid(f"{place} must be an object.")
    if unknown := sorted(value.keys() - set(keys)):
        raise FormatInvalid(f"{place} has a key that formats do not have: {unknown[0][:40]!r}.")
    return value


def read_text(
    content: Mapping[str, Any], name: str, longest: int, *, place: str = "", is_required: bool = False
) -> str:
    """A trimmed text; empty if it is missing or null."""
    value = content.get(name)
    where = f"{place}.{name}" if place else name
    if value is None and not is_required:
        return ""
    if not isinstance(value, str) or len(value) > longest or (is_required and not value.strip()):
        raise FormatInvalid(f"{where} must be a text of at most {longest} characters.")
    return value.strip()


def read_texts(content: Mapping[str, Any], name: str, place: str) -> tuple[str, ...]:
    """An array of texts that are not empty."""
    value = content.get(name) or []
    if not isinstance(value, list) or len(value) > MOST_TEXTS:
        raise FormatInvalid(f"{place}.{name} must be an array of at most {MOST_TEXTS} texts.")
    return tuple(read_text({name: each}, name, LONGEST_TEXT, place=place, is_required=True) for each in value)


def read_flag(content: Mapping[str, Any], name: str, place: str, *, default: bool = False) -> bool:
    """True or false."""
    value = content.get(name, default)
    if not isinstance(value, bool):
        raise FormatInvalid(f"{place}.{name} must be true or false.")
    return value


@cache
def time_zones() -> frozenset[str]:
    """The IANA time zones with a region in their name, such as America/Lima, and UTC. Others depend on the machine."""
    return frozenset({"UTC", *(name for name in available_timezones() if "/" in name)})
