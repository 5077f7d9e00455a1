"""Unknown keys of the JSON document: none is refused, and each is reported once."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, Literal

from shipments.manifests.findings import MAX_REPORTED, Findings, shortened
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
    found = _Unknown({place: frozenset(names) for place, names in fields.items()})
    found.look("manifest", body)
    for row_index, guide in enumerate(body["guides"]):
        if not isinstance(guide, dict):
            continue
        found.look("guide", guide, row_index)
        products = guide.get("products")
        for product in products if isinstance(products, list) else ():  # blanks count as absent
            if isinstance(product, dict):
                found.look("product", product, row_index)
    if found.has_more:
        findings.notice("unknown_field", "unknown_fields_more")
    for (place, name), count in found.counts.items():
        findings.add(unknown_field(place, name, fields[place], count))


class _Unknown:
    """counts: how many guides have each unknown key, up to `MAX_REPORTED` keys. has_more: whether there were more."""

    def __init__(self, known: Mapping[Place, frozenset[str]]) -> None:
        self.counts: dict[tuple[Place, str], int] = {}
        self.has_more = False
        self._known = known
        self._last_row: dict[tuple[Place, str], int | None] = {}

    def look(self, place: Place, source: Mapping[str, object], row_index: int | None = None) -> None:
        """Count the unknown keys of an object. row_index: the guide it belongs to, if any."""
        known = self._known[place]
        if source.keys() <= known:
            return
        for name in source:
            if name not in known:
                self._count((place, name), row_index)

    def _count(self, key: tuple[Place, str], row_index: int | None) -> None:
        if key not in self.counts and len(self.counts) >= MAX_REPORTED:
            self.has_more = True
        elif key not in self.counts or self._last_row[key] != row_index:
            self.counts[key] = self.counts.get(key, 0) + 1
            self._last_row[key] = row_index


def unknown_field(place: Place, name: str, known: Collection[str], count: int = 1) -> Notice:
    """The notice on an unknown key.

    known: the names that may have been meant. count: how many guides have it, in a guide or a product.
    """
    shown = shortened("".join(letter if letter.isprintable() else "\ufffd" for letter in name[:_MAX_READ]))
    params: dict[str, str | int] = {"name": shown}
    if place in {"guide", "product"}:
        params["count"] = count
    sentence = f"unknown_{place}_field"
    if nearest := get_close_matches(shown.lower(), known, n=1):
        sentence, params["nearest"] = f"{sentence}_near", nearest[0]
    return Notice("unknown_field", Reason(sentence, params))
