"""Compare a client's copy of its shipments with the record."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prealerts_client.answers import ChangedGuide, MawbDetail

Known = MutableMapping[str, dict[str, int]]
"""MAWB -> tracking code -> status_code."""

DELIVERED, ENDS_BADLY = 6, 91
"""By status_code; from 91 on the way has ended badly. Nothing follows either."""

OVERLAP = timedelta(minutes=2)
"""How far `updated_since` reaches back: a change may be committed later than the time it has."""


@dataclass(frozen=True)
class Change:
    """A guide whose status differs from what was known. status_code: None when its manifest was voided."""

    mawb: str
    tracking_code: str
    status: str
    status_code: int | None


def has_ended(codes: Mapping[str, int]) -> bool:
    """Whether no guide of a MAWB is on its way any more."""
    return bool(codes) and all(code == DELIVERED or code >= ENDS_BADLY for code in codes.values())


def noted(known: Known, guide: "ChangedGuide") -> list[Change]:
    """Put a guide as it is into `known`; return whether it was otherwise."""
    number, code, status_code = guide["mawb"], guide["tracking_code"], guide["status_code"]
    if known.get(number, {}).get(code) == status_code:
        return []
    known.setdefault(number, {})[code] = status_code
    return [Change(number, code, guide["status"], status_code)]


def brought_up_to_date(known: Known, number: str, found: "MawbDetail | None") -> list[Change]:
    """Put a MAWB as it is into `known`; return what was otherwise."""
    before = known.pop(number, {})
    if found is None:
        return [Change(number, code, "", None) for code in before]
    known[number] = {guide["tracking_code"]: guide["status_code"] for guide in found["guides"]}
    return [
        Change(number, guide["tracking_code"], guide["status"], guide["status_code"])
        for guide in found["guides"]
        if before.get(guide["tracking_code"]) != guide["status_code"]
    ] + [Change(number, code, "", None) for code in before.keys() - known[number].keys()]
