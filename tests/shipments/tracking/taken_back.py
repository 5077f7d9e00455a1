"""Taking a status back, and what it answers."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from shipments.models import Guide
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Move
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import Withdrawal
from tests.conftest import Caller

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def taken_back(*guides: Guide, wrong: str = "delivered", to: str = "", **more: Any) -> list[Move]:
    correction = Withdrawal(
        GuideStatus(wrong), GuideStatus(to) if to else None, **{"reason": "Another MAWB was meant", **more}
    )
    return take_back(Guide.objects.filter(pk__in=[guide.pk for guide in guides]), correction, actor="root")


def refusals(results: Sequence[Move]) -> list[str]:
    return [result.refusal.code if result.refusal else result.outcome.value for result in results]


def answered(caller: Caller, guide: Guide) -> Any:
    return caller.get(f"/guides/{guide.tracking_code}").json()
