"""AfterShip's webhooks: `msg` is a tracking with all its checkpoints each time.

Sources: developers.aftership.com/reference/specification (envelope, `msg`);
aftership.com/docs/tracking/enum/delivery-sub-statuses (codes).
"""

from typing import Any

from shipments.carriers.adapters.shape import Seed, a_list, an_object, event_only, status
from shipments.statuses import GuideStatus as S

SEEDS: dict[str, Seed] = {
    **event_only("Pending", "Expired", "InfoReceived", "Exception"),
    **event_only(*(f"Pending_{number:03}" for number in range(1, 7))),
    **event_only("Expired_001", "InfoReceived_001", "Exception_001"),
    **status(S.IN_TRANSIT, "InTransit", *(f"InTransit_{number:03}" for number in (1, 2, 3, 4, 7, 8, 9))),
    **status(S.CUSTOMS_RELEASED, "InTransit_005"),
    **status(S.CUSTOMS_PROCESSING, "InTransit_006"),
    **status(S.OUT_FOR_DELIVERY, "OutForDelivery", "OutForDelivery_001", "OutForDelivery_003", "OutForDelivery_004"),
    **event_only("AvailableForPickup", "AvailableForPickup_001"),
    **status(S.DELIVERED, "Delivered", *(f"Delivered_{number:03}" for number in range(1, 5))),
    **status(S.DELIVERY_FAILED, "AttemptFail", *(f"AttemptFail_{number:03}" for number in range(1, 4))),
    **status(S.DELIVERY_FAILED, "Exception_002", "Exception_003", "Exception_007", "Exception_008"),
    **status(S.CUSTOMS_HELD, "Exception_004"),
    **status(S.ON_HOLD, "Exception_005", "Exception_006", "Exception_009", "Exception_012"),
    **status(S.RETURNING_TO_SENDER, "Exception_010"),
    **status(S.RETURNED, "Exception_011"),
    **status(S.LOST, "Exception_013"),
}
"""The meanings that a carrier's codes have when it is made."""


def events(body: Any) -> list[Any]:  # noqa: ANN401  # any JSON
    """Return the checkpoints of a body as events. Raises `Rejected`."""
    tracking = an_object(an_object(body).get("msg"), "msg")
    checkpoints = a_list(tracking.get("checkpoints"), "msg.checkpoints")
    return [_event(tracking.get("tracking_number"), checkpoint) for checkpoint in checkpoints]


def _event(number: Any, checkpoint: Any) -> Any:  # noqa: ANN401  # as above
    if not isinstance(checkpoint, dict):
        return checkpoint  # refused by itself
    return {
        "reference": {"carrier_number": number},
        "code": checkpoint.get("subtag") or checkpoint.get("tag"),
        "description": checkpoint.get("message"),
        "occurred_at": checkpoint.get("checkpoint_time"),
        "location": {
            "city": checkpoint.get("city") or checkpoint.get("location"),
            "country": checkpoint.get("country_iso3") or checkpoint.get("country_region"),
        },
    }


# --- asking -----------------------------------------------------------------------------------------------------

ADDRESS = "https://api.aftership.com"
PATH = "/tracking/2026-07/trackings"


def build_query(number: str, api_key: str) -> tuple[dict[str, str], dict[str, str]]:
    return {"tracking_numbers": number}, {"as-api-key": api_key}


def read_answer(answer: Any) -> list[Any]:  # noqa: ANN401  # as above
    """Return the bodies of webhooks that say the same as an answer. Raises `Rejected`."""
    data = an_object(an_object(answer).get("data"), "data")
    trackings = a_list(data.get("trackings"), "data.trackings")
    return [{"msg": tracking} for tracking in trackings]
