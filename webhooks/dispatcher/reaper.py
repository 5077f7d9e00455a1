"""What nobody will ever finish: rows of dispatchers that died, rows that wait for a subscription that is closed."""

import time
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from companies.models import Company
from webhooks.models import Delivery, State, Subscription
from webhooks.sender import DEADLINE_SECONDS
from webhooks.subscriptions import cancel_part
from webhooks.verdicts import Failure

STALE_SECONDS = 3 * DEADLINE_SECONDS
"""No row is in flight for longer: it waits a moment for its turn and has one deadline; the rest is for the record."""
_REASON = "The dispatcher ended between claim and record; whether the POST arrived is not known. It is not sent again."


class Reaper:
    """Abandons, never sends again: whether the POST arrived is not known."""

    def __init__(self) -> None:
        self._first_seen: dict[tuple[int, object], float] = {}

    def abandon(self, mine: Collection[int]) -> int:
        """Finish stale `sending` rows but for those that this dispatcher still holds; returns how many.

        The database's clock judges. A row that was claimed in that clock's future (it was set back since) is judged
        by how long we have seen it so.
        """
        now = Now() if connection.vendor == "postgresql" else timezone.now()
        sending = Delivery.objects.filter(state=State.SENDING).exclude(pk__in=mine)
        stale = Q(claimed_at__lt=now - timedelta(seconds=STALE_SECONDS)) | Q(pk__in=self._long_seen(sending, now))
        return sending.filter(stale).update(
            state=State.ABANDONED, finished_at=now, error=Failure.OUTCOME_UNKNOWN, reason=_REASON
        )

    def _long_seen(self, sending: QuerySet[Delivery], now: Now | datetime) -> list[int]:
        seen: dict[tuple[int, object], float] = {}
        for key in sending.filter(claimed_at__gt=now).values_list("pk", "claim_id"):
            seen[key] = self._first_seen.get(key, time.monotonic())
        self._first_seen = seen
        return [pk for (pk, _claim), since in seen.items() if time.monotonic() - since > STALE_SECONDS]


def cancel_unheard() -> int:
    """Cancel a part of what waits for subscriptions that hear of nothing any more; returns how many, 0 when none does.

    Disabling cancels by itself; this finds what was committed in the same moment, and what belongs to companies that
    were deactivated.
    """
    # Not joined with the deliveries themselves: where the statistics know of none that wait, as they do after a quiet
    # hour, the planner would compare every waiting row with every other.
    unheard = Q(subscription__in=Subscription.everyone.filter(is_active=False)) | Q(
        company__in=Company.objects.filter(is_active=False)
    )
    return cancel_part(Delivery.objects.filter(unheard))
