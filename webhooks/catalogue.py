"""The types of events in words, each with an example of its `data`: for clients, for tests they ask for, for the docs.

The examples are of no company. Tests hold them against what is really sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from webhooks.events import V2_ONLY, EventType

_MANIFEST_ID = "ea7a7054-73b2-4998-9298-70c2463ead7a"
_MAWB = "045-70310122"
_GUIDE = {
    "manifest_id": _MANIFEST_ID,
    "mawb": _MAWB,
    "hawb": "AND2612150102",
    "tracking_code": "DEMHGD7DBQVS3R",
}


def _moved(status: str, code: int, previous: str, source: str, **reason: str) -> dict[str, object]:
    standing = {"status": status, "status_code": code, "previous_status": previous}
    return {**_GUIDE, **standing, "source": source, **reason}


@dataclass(frozen=True, slots=True)
class Described:
    """A type in one sentence, and an example of `data` as version 1 has it (version 2 where that is alone)."""

    meaning: str
    data: Mapping[str, object]


CATALOGUE: Mapping[EventType, Described] = {
    EventType.PRE_ALERT_INGESTED: Described(
        "A manifest was taken in",
        {
            "manifest_id": _MANIFEST_ID,
            "mawb": _MAWB,
            "country": "CL",
            "eta": "2026-12-15T06:45:00-03:00",
            "total_guides": 2,
            "guides_by_status": {"registered": 2},
        },
    ),
    EventType.GUIDE_STATUS_CHANGED: Described(
        "A guide came into customs_processing, customs_released or in_transit",
        _moved("customs_processing", 2, "registered", "customs"),
    ),
    EventType.GUIDE_OUT_FOR_DELIVERY: Described(
        "A guide is with the last-mile carrier",
        _moved("out_for_delivery", 5, "customs_released", "courier_scan"),
    ),
    EventType.GUIDE_DELIVERED: Described(
        "A guide was delivered", _moved("delivered", 6, "out_for_delivery", "courier_scan")
    ),
    EventType.GUIDE_EXCEPTION: Described(
        "A guide came into an exception, terminal or not",
        _moved("customs_held", 21, "customs_processing", "customs", reason="Inspección"),
    ),
    EventType.WEBHOOK_TEST: Described("An operator sent a test", {"message": "A test event, sent by an operator."}),
    EventType.PRE_ALERT_VOIDED: Described(
        "A manifest that was sent by mistake was voided, with all its guides",
        {"manifest_id": _MANIFEST_ID, "mawb": _MAWB, "country": "CL", "total_guides": 2},
    ),
    EventType.UPLOAD_SUCCEEDED: Described(
        "An upload that was answered with 202 was taken in", {"job_id": "7d0f1c8e-5b1c-4f0e-9a57-3a1d9f0c2b11"}
    ),
    EventType.UPLOAD_FAILED: Described(
        "An upload that was answered with 202 was refused", {"job_id": "7d0f1c8e-5b1c-4f0e-9a57-3a1d9f0c2b11"}
    ),
    EventType.WEBHOOK_SUBSCRIPTION_DISABLED: Described(
        "Another webhook of the company was disabled",
        {"subscription": "sub_12", "url": "https://hooks.example.com/pre-alerts", "reason": "gone"},
    ),
}
COUNTRY = "CL"
"""Of the shipments in the examples; version 2 says so in `data.country`."""


def example_data(kind: EventType) -> dict[str, object]:
    """`data` as version 2 sends it."""
    data = dict(CATALOGUE[kind].data)
    is_of_a_shipment = not kind.startswith(("webhook.", "upload."))
    return {**data, "country": COUNTRY} if is_of_a_shipment else data


def versions_of(kind: EventType) -> list[str]:
    """Which versions hear of the type."""
    return ["v2"] if kind in V2_ONLY else ["v1", "v2"]
