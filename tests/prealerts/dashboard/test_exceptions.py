"""The start page's guides in exception: by status, and by the time since the last report."""

from datetime import UTC, datetime, timedelta

import pytest

from prealerts.dashboard.waiting import in_exception
from shipments.models import Guide
from tests.conftest import Caller
from tests.shipments.shipping import shipped, tell

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_guides_in_exception_are_reported_by_status_and_by_the_time_since_the_last_report(
    acme: Caller, rival: Caller
) -> None:
    first, second, third = shipped(acme.company, 3).guides.all()
    other = shipped(rival.company, 1).guides.get()
    tell(first, "customs_held", occurred_at=NOW - timedelta(days=9))
    tell(first, "customs_held", occurred_at=NOW - timedelta(hours=2))  # scanned again: heard of today
    tell(second, "customs_held", occurred_at=NOW - timedelta(days=2))
    tell(other, "on_hold", occurred_at=NOW - timedelta(days=30))
    tell(third, "lost", occurred_at=NOW - timedelta(days=1))  # the end, and nobody's work
    reported = in_exception(Guide.objects.all(), NOW)
    assert reported["guides"].count == 3
    bars = [(str(bar["label"]), [(part["age"], part["count"]) for part in bar["segments"]]) for bar in reported["bars"]]
    assert bars == [("Held by customs", [(0, 1), (1, 1)]), ("On hold", [(3, 1)])]


def test_bars_share_one_scale_and_their_parts_join(acme: Caller) -> None:
    guides = list(shipped(acme.company, 4).guides.all())
    for guide, hours in zip(guides[:3], (1, 48, 500), strict=True):
        tell(guide, "customs_held", occurred_at=NOW - timedelta(hours=hours))
    tell(guides[3], "on_hold", occurred_at=NOW)
    held, on_hold = in_exception(Guide.objects.all(), NOW)["bars"]
    assert [(part["x"], part["width"]) for part in held["segments"]] == [(0, 333), (333, 334), (667, 333)]
    assert [(part["x"], part["width"]) for part in on_hold["segments"]] == [(0, 333)]


def test_of_too_many_exceptions_those_known_longest_are_counted(monkeypatch: pytest.MonkeyPatch, acme: Caller) -> None:
    *oldest, newest = shipped(acme.company, 4).guides.order_by("id")
    for guide in oldest:
        tell(guide, "on_hold", occurred_at=NOW)
    monkeypatch.setattr("prealerts.dashboard.waiting.COUNTED", 3)
    assert str(in_exception(Guide.objects.all(), NOW)["guides"]) == "3"
    tell(newest, "customs_held", occurred_at=NOW)
    reported = in_exception(Guide.objects.all(), NOW)
    assert str(reported["guides"]) == "3+"
    assert [(str(bar["label"]), str(bar["guides"])) for bar in reported["bars"]] == [("On hold", "3+")]
