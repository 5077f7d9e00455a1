"""Unknown keys of the JSON document: none is refused, and each is reported once."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import Any, Literal

from shipments.manifests.findings import MAX_REPORTED, Findings, shorten
from shipments.manifests.manifest import Notice, Reason

Place = Literal["manifest", "guide", "product", "form"]

_MAX_READ = 100
"""Characters of a key that are compared: more than are quoted."""


def report_unknown_fields(body: Mapping[str, Any], fields: Mapping[Place, Collection[str]], findings: Findings) -> None:
    """Add a notice for each unknown key, with the number of guides that have it.

    body: a JSON manifest with a list of guides. Anything but an object among guides or products is skipped: it is
    refused elsewhere, and a trial reads on. fields: the names known in each place. Keys inside `extra_data` are the
    sender's own.
    """
    known = {place: frozenset(names) for place, names in fields.items()}
    counts: dict[tuple[Place, str], int] = {}
    has_more = False
    in_guides = (_unknown_in_guide(guide, known) for guide in body["guides"])
    for found in chain([_unknown("manifest", body, known)], in_guides):
        for each in found:
            if each in counts or len(counts) < MAX_REPORTED:
                counts[each] = counts.get(each, 0) + 1
            else:
                has_more = True
    if has_more:
        findings.notice("unknown_field", "unknown_fields_more")
    for (place, name), count in counts.items():
        findings.add(unknown_field(place, name, fields[place], count))


def _unknown_in_guide(guide: object, known: Mapping[Place, frozenset[str]]) -> Collection[tuple[Place, str]]:
    """The unknown keys of a guide and its products, each once."""
    if not isinstance(guide, dict):
        return ()
    products = guide.get("products")
    found = [*_unknown("guide", guide, known)]
    for product in products if isinstance(products, list) else ():  # blanks count as absent
        if isinstance(product, dict):
            found += _unknown("product", product, known)
    return dict.fromkeys(found)


def _unknown(
    place: Place, source: Mapping[str, object], known: Mapping[Place, frozenset[str]]
) -> Collection[tuple[Place, str]]:
    if source.keys() <= known[place]:
        return ()
    return [(place, name) for name in source if name not in known[place]]


def _unit(name: str) -> str:
    """The unit at the end of a measure's name, or empty."""
    last = name.rpartition("_")[2]
    return last if last in {"usd", "kg"} else ""


def unknown_field(place: Place, name: str, known: Collection[str], count: int = 1) -> Notice:
    """The notice on an unknown key.

    known: the names that may have been meant. count: how many guides have it, in a guide or a product.
    """
    shown = shorten("".join(letter if letter.isprintable() else "\ufffd" for letter in name[:_MAX_READ]))
    params: dict[str, str | int] = {"name": shown}
    if place in {"guide", "product"}:
        params["count"] = count
    sentence = f"unknown_{place}_field"
    is_alike = [each for each in known if _unit(each) == _unit(shown.lower())]  # a value is no misspelled weight
    if nearest := get_close_matches(shown.lower(), is_alike, n=1):
        sentence, params["nearest"] = f"{sentence}_near", nearest[0]
    return Notice("unknown_field", Reason(sentence, params))
