"""Why a parcel must not leave the warehouse."""

from collections.abc import Collection, Mapping
from enum import StrEnum

from shipments.models import Guide
from shipments.statuses import GuideStatus


class Hold(StrEnum):
    """The reasons, the gravest first. The values are public."""

    RETENTION = "retention"
    CUSTOMS = "customs"
    ON_HOLD = "on_hold"


def hold_of(status: str, *, is_retained: bool) -> Hold | None:
    """Return why a guide is held: a retention, else a customs status that is no release, else `on_hold`."""
    if is_retained:
        return Hold.RETENTION
    if status.startswith("customs_") and status != GuideStatus.CUSTOMS_RELEASED:
        return Hold.CUSTOMS
    return Hold.ON_HOLD if status == GuideStatus.ON_HOLD else None


def holds_of(guides: Collection[int]) -> Mapping[int, Hold | None]:
    rows = Guide.objects.filter(pk__in=guides).values_list("pk", "status", "retention_required")
    return {key: hold_of(status, is_retained=is_retained) for key, status, is_retained in rows}


def gravest(*holds: Hold | None) -> Hold | None:
    return next((hold for hold in Hold if hold in holds), None)
