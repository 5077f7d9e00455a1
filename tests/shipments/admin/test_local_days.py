"""Days of a destination on nights when its clock is changed, and around the leap day."""

from datetime import UTC, datetime, timedelta

import pytest

from shipments.admin.filters import arrives_between, local_day
from shipments.models import Manifest
from tests.conftest import Caller
from tests.shipments.shipping import shipped

CHANGES = [
    # country, now, and in UTC: today begins, tomorrow begins, the day after begins
    pytest.param(
        "CL", "2026-04-05T02:59:59", "2026-04-04T03:00", "2026-04-05T04:00", "2026-04-06T04:00", id="before 25th hour"
    ),
    pytest.param(
        "CL", "2026-04-05T03:00:00", "2026-04-04T03:00", "2026-04-05T04:00", "2026-04-06T04:00", id="in the 25th hour"
    ),
    pytest.param(
        "CL", "2026-04-05T04:00:00", "2026-04-05T04:00", "2026-04-06T04:00", "2026-04-07T04:00", id="after it"
    ),
    pytest.param(
        "CL", "2026-09-06T03:59:59", "2026-09-05T04:00", "2026-09-06T04:00", "2026-09-07T03:00", id="before the gap"
    ),
    pytest.param(
        "CL", "2026-09-06T04:00:00", "2026-09-06T04:00", "2026-09-07T03:00", "2026-09-08T03:00", id="after it"
    ),
    pytest.param("PE", "2026-04-05T03:00:00", "2026-04-04T05:00", "2026-04-05T05:00", "2026-04-06T05:00", id="Lima"),
    pytest.param("PE", "2026-09-06T04:59:59", "2026-09-05T05:00", "2026-09-06T05:00", "2026-09-07T05:00", id="Lima"),
    pytest.param(
        "AR", "2026-04-05T03:00:00", "2026-04-05T03:00", "2026-04-06T03:00", "2026-04-07T03:00", id="B. Aires"
    ),
    pytest.param("CL", "2028-02-28T12:00:00", "2028-02-28T03:00", "2028-02-29T03:00", "2028-03-01T03:00", id="28th"),
    pytest.param("CL", "2028-02-29T12:00:00", "2028-02-29T03:00", "2028-03-01T03:00", "2028-03-02T03:00", id="29th"),
    pytest.param("CL", "2028-03-01T02:59:59", "2028-02-29T03:00", "2028-03-01T03:00", "2028-03-02T03:00", id="end"),
    pytest.param(
        "AR", "2028-02-29T12:00:00", "2028-02-29T03:00", "2028-03-01T03:00", "2028-03-02T03:00", id="B. Aires"
    ),
    pytest.param("PE", "2028-03-01T04:59:59", "2028-02-29T05:00", "2028-03-01T05:00", "2028-03-02T05:00", id="Lima"),
    pytest.param("CL", "2027-02-28T12:00:00", "2027-02-28T03:00", "2027-03-01T03:00", "2027-03-02T03:00", id="no leap"),
]


@pytest.mark.parametrize(("country", "now", "today", "tomorrow", "day_after"), CHANGES)
def test_a_day_begins_when_the_last_one_ends_however_long_it_was(
    country: str, now: str, today: str, tomorrow: str, day_after: str
) -> None:
    begins = [at(moment) for moment in (today, tomorrow, day_after)]
    # In UTC: two moments of one zone are compared by what its clock shows, which repeats.
    days = [[moment.astimezone(UTC) for moment in local_day(country, at(now), ahead)] for ahead in (0, 1)]
    assert days == [begins[:2], begins[1:]]


@pytest.mark.django_db
@pytest.mark.parametrize(("country", "now", "today", "tomorrow", "day_after"), CHANGES)
def test_each_second_of_arrival_belongs_to_one_day(
    acme: Caller, country: str, now: str, today: str, tomorrow: str, day_after: str
) -> None:
    shipped(acme.company, 1, country=country)
    second = timedelta(seconds=1)

    def is_found(moment: datetime, *days: int | None) -> bool:
        Manifest.objects.update(eta=moment)
        first, end = days
        return Manifest.objects.filter(arrives_between(at(now), first, end or 0)).exists()

    for moment, is_today, is_tomorrow, is_past in (
        (at(today) - second, False, False, True),
        (at(today), True, False, False),
        (at(tomorrow) - second, True, False, False),
        (at(tomorrow), False, True, False),
        (at(day_after) - second, False, True, False),
        (at(day_after), False, False, False),
    ):
        assert (is_found(moment, 0, 1), is_found(moment, 1, 2), is_found(moment, None, 0)) == (
            is_today, is_tomorrow, is_past,
        )  # fmt: skip


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)
