"""Our own envelope. Its codes are IATA's (Cargo-IMP, status of a consignment)."""

from typing import Any

from shipments.carriers.adapters.shape import Seed, a_list, an_object, event_only, status
from shipments.statuses import GuideStatus as S

SEEDS: dict[str, Seed] = {
    **event_only("BKD", "RCS", "FOH", "PRE", "AWR", "AWD", "NFD"),
    # Delivery to consignee or agent at the airport: of a consolidation, that is the forwarder.
    **event_only("DLV", "DDL"),
    **status(S.IN_TRANSIT, "MAN", "DEP", "ARR", "RCF", "RCT", "TRM", "TFD"),
    **status(S.CUSTOMS_PROCESSING, "CRC"),
    **status(S.CUSTOMS_RELEASED, "CCD"),
    **status(S.CUSTOMS_HELD, "TGC"),
    **status(S.ON_HOLD, "DIS"),
}
"""The meanings that a carrier's codes have when it is made."""


def events(body: Any) -> list[Any]:  # noqa: ANN401  # any JSON
    """Return the events of a body. Raises `Rejected`."""
    return a_list(an_object(body).get("events"), "events")
