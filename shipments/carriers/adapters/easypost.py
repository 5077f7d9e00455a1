"""EasyPost's webhooks: `result` is a tracker with all its details each time.

Sources: docs.easypost.com/guides/webhooks-guide and docs.easypost.com/docs/trackers (statuses).
"""

from base64 import b64encode
from typing import Any

from shipments.carriers.adapters.shape import Seed, a_list, an_object, event_only, status
from shipments.statuses import GuideStatus as S

SEEDS: dict[str, Seed] = {
    **event_only("unknown", "pre_transit", "available_for_pickup", "error", "cancelled"),
    **status(S.IN_TRANSIT, "in_transit"),
    **status(S.OUT_FOR_DELIVERY, "out_for_delivery"),
    **status(S.DELIVERED, "delivered"),
    **status(S.RETURNING_TO_SENDER, "return_to_sender"),
    **status(S.DELIVERY_FAILED, "failure"),
}
"""The meanings that a carrier's codes have when it is made."""


def events(body: Any) -> list[Any]:  # noqa: ANN401  # any JSON
    """Return the details of a tracker as events; none for other objects of EasyPost. Raises `Rejected`."""
    tracker = an_object(an_object(body).get("result"), "result")
    if tracker.get("object") != "Tracker":
        return []
    details = a_list(tracker.get("tracking_details"), "result.tracking_details")
    return [_event(tracker.get("tracking_code"), detail) for detail in details]


def _event(number: Any, detail: Any) -> Any:  # noqa: ANN401  # as above
    if not isinstance(detail, dict):
        return detail  # refused by itself
    place = detail.get("tracking_location")
    return {
        "reference": {"carrier_number": number},
        "code": detail.get("status"),
        "description": detail.get("message"),
        "occurred_at": detail.get("datetime"),
        "location": place if isinstance(place, dict) else {},
    }


# --- asking -----------------------------------------------------------------------------------------------------

ADDRESS = "https://api.easypost.com"
PATH = "/v2/trackers"


def build_query(number: str, api_key: str) -> tuple[dict[str, str], dict[str, str]]:
    credentials = b64encode(f"{api_key}:".encode()).decode("ascii")
    return {"tracking_code": number}, {"Authorization": f"Basic {credentials}"}


def read_answer(answer: Any) -> list[Any]:  # noqa: ANN401  # as above
    """Return the bodies of webhooks that say the same as an answer. Raises `Rejected`."""
    trackers = a_list(an_object(answer).get("trackers"), "trackers")
    return [{"result": tracker} for tracker in trackers]
