"""How long customs has had a guide: since when is stored with the guide, and computed from its events only here."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from shipments.models import Guide, GuideEvent
from shipments.statuses import IN_CUSTOMS, GuideStatus

LONG = timedelta(hours=48)
"""After this, somebody asks customs or the client."""

_GUIDES, _EVENTS = Guide._meta.db_table, GuideEvent._meta.db_table
_STATUSES = ", ".join(f"'{status.value}'" for status in IN_CUSTOMS)

STAY_BEGAN = f"""
    SELECT MIN(stay.occurred_at) FROM {_EVENTS} stay
    WHERE stay.guide_id = {_GUIDES}.id AND stay.withdrawn_at IS NULL AND stay.status IN ({_STATUSES})
        AND NOT EXISTS (
            SELECT 1 FROM {_EVENTS} later
            WHERE later.guide_id = stay.guide_id AND later.withdrawn_at IS NULL
                AND later.status NOT IN ('{GuideStatus.REGISTERED.value}', {_STATUSES})
                AND (later.occurred_at, later.id) > (stay.occurred_at, stay.id)
        )
"""  # noqa: S608  # our own tables' names and statuses
"""The SQL for when the last stay in customs of a guide began: with the first report from customs after the last event
that was none. Null if that event is the newest.

A guide that goes from one customs status to another stays in customs; any other status is a break. By when things
happened, not by when they were reported: a guide may be registered after customs received it.
"""


def long_in_customs(guides: QuerySet[Guide], now: datetime) -> QuerySet[Guide]:
    """Return those of `guides` that have been in customs for more than `LONG` without a break."""
    return guides.filter(customs_since__lt=now - LONG)
