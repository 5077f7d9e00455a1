"""A description of each event type, with an example of its `data`: for clients, their test events, and the docs.

The examples belong to no company. Tests compare them with what is sent.
"""

from collections.abc import Mapping

from webhooks.events import BY_NAME_ALONE, V2_ONLY, EventType

_MANIFEST_ID = "ea7a7054-73b2-4998-9298-70c2463ead7a"
_MAWB = "045-70310122"
SUBSCRIPTION = "sub_0b7c6a52-3f0e-4d56-9c55-5a1f1f6c8d21"
JOB = "0b7c1c1e-6a52-4d56-9c55-5a1f1f6c8d21"
_GUIDE = {"manifest_id": _MANIFEST_ID, "mawb": _MAWB, "hawb": "AND2612150102", "tracking_code": "DEMHGD7DBQVS3R"}


def _move(sequence: int, status: str, code: int, previous: str, source: str, **reason: str) -> dict[str, object]:
    """Return the example of a guide's event. Only this guide moved, so the MAWB's version is equal to the sequence."""
    standing = {"status": status, "status_code": code, "previous_status": previous}
    return {**_GUIDE, **standing, "source": source, "sequence": sequence, "mawb_version": sequence, **reason}


CATALOGUE: Mapping[EventType, tuple[str, Mapping[str, object]]] = {
    EventType.PRE_ALERT_INGESTED: (
        "A manifest was registered",
        {
            "manifest_id": _MANIFEST_ID, "mawb": _MAWB, "country": "CL", "eta": "2026-12-15T06:45:00-03:00",
            "total_guides": 2, "guides_by_status": {"registered": 2}, "mawb_version": 1,
        },
    ),
    EventType.GUIDE_STATUS_CHANGED: (
        "A guide moved to customs_processing, customs_released or in_transit",
        _move(2, "customs_processing", 2, "registered", "customs"),
    ),
    EventType.GUIDE_OUT_FOR_DELIVERY: (
        "A guide is with the last-mile carrier", _move(5, "out_for_delivery", 5, "customs_released", "courier_scan")
    ),
    EventType.GUIDE_DELIVERED: (
        "A guide was delivered", _move(6, "delivered", 6, "out_for_delivery", "courier_scan")
    ),
    EventType.GUIDE_EXCEPTION: (
        "A guide moved to an exception, terminal or not",
        _move(3, "customs_held", 21, "customs_processing", "customs", reason="Inspección"),
    ),
    EventType.WEBHOOK_TEST: ("An operator sent a test", {"message": "A test event, sent by an operator."}),
    EventType.PRE_ALERT_VOIDED: (
        "A manifest sent by mistake was voided, with all its guides",
        {"manifest_id": _MANIFEST_ID, "mawb": _MAWB, "country": "CL", "total_guides": 2, "mawb_version": 7},
    ),
    EventType.GUIDE_CORRECTED: (
        "A guide was corrected by API",
        {**_GUIDE, "fields": ["consignee_address", "consignee_phone"], "mawb_version": 2},
    ),
    EventType.UPLOAD_SUCCEEDED: (
        "An upload that was answered with 202 was accepted", {"job_id": JOB, "mawb": _MAWB}
    ),
    EventType.UPLOAD_FAILED: (
        "An upload that was answered with 202 was refused", {"job_id": JOB, "error": "mawb_already_exists"}
    ),
    EventType.WEBHOOK_SUBSCRIPTION_DISABLED: (
        "Another webhook of the company was disabled",
        {"subscription": SUBSCRIPTION, "url": "https://hooks.example.com/pre-alerts", "reason": "gone"},
    ),
}  # fmt: skip
"""Type -> its description, and an example of `data` in version 1 (in version 2 where only that has the type)."""
COUNTRY = "CL"
"""The country of the examples, as in `data.country` of version 2."""


def example_data(kind: EventType) -> dict[str, object]:
    """`data` as version 2 sends it."""
    data = dict(CATALOGUE[kind][1])
    return data if kind.startswith(BY_NAME_ALONE) else {**data, "country": COUNTRY}


def versions_of(kind: EventType) -> list[str]:
    return ["v2"] if kind in V2_ONLY else ["v1", "v2"]
