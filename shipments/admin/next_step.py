"""What usually happens next to a manifest's guides, and which of them are named in a text."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from shipments.models import Manifest
from shipments.statuses import GuideStatus, StatusKind

_WAY = [
    GuideStatus.REGISTERED, GuideStatus.CUSTOMS_PROCESSING, GuideStatus.CUSTOMS_RELEASED, GuideStatus.OUT_FOR_DELIVERY,
    GuideStatus.DELIVERED,
]  # fmt: skip
_FOLLOWS = {
    **dict(pairwise(_WAY)),
    GuideStatus.IN_TRANSIT: GuideStatus.OUT_FOR_DELIVERY,
}
_LOOKED_UP = 500


class NextStep(NamedTuple):
    """A proposal. status: the next one; empty if there is none. among: the status of the guides that it is for.
    guides: how many they are.
    """

    status: str
    among: str
    guides: int


def next_step(guides_by_status: Mapping[str, int]) -> NextStep:
    """Return the step after the status that most guides under way have."""
    under_way = {
        GuideStatus(status): count
        for status, count in guides_by_status.items()
        if count and GuideStatus(status).kind is StatusKind.PROGRESS
    }
    if not under_way:
        return NextStep("", "", 0)
    most = max(under_way, key=lambda status: (under_way[status], -status.code))
    return NextStep(_FOLLOWS[most].value, most.value, under_way[most])


def named_guides(manifest: Manifest, text: str) -> tuple[set[int], Sequence[str]]:
    """Return the ids of the guides of `manifest` that `text` names, and the words that name none.

    text: HAWBs and tracking codes, in lines or with commas, semicolons, tabs or blanks between them.
    """
    lines = [line.strip() for line in re.split(r"[\n\r,;\t]+", text) if line.strip()]
    found = _found(manifest, lines)
    words = [word for line in lines if line not in found for word in line.split()]
    found |= _found(manifest, words)
    return set(found.values()), list(dict.fromkeys(word for word in words if word not in found))


def _found(manifest: Manifest, names: Sequence[str]) -> dict[str, int]:
    """Return name -> id, of the names that are a HAWB or a tracking code of the manifest, also in lower case."""
    by_value: dict[str, int] = {}
    for start in range(0, len(names), _LOOKED_UP):
        some = names[start : start + _LOOKED_UP]
        for column in ("hawb", "tracking_code"):
            named = manifest.guides.filter(**{f"{column}__in": {*some, *(name.upper() for name in some)}})
            by_value |= dict(named.values_list(column, "pk"))
    spelled = {name: name if name in by_value else name.upper() for name in names}
    return {name: by_value[value] for name, value in spelled.items() if value in by_value}
