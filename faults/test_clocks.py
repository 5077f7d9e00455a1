"""Row 31: clocks that jump, nights on which a country's clock is changed, and the leap day."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from faults.conftest import OpenSpecial, Pick, Witnessed
from faults.environment.machine import Clock
from faults.environment.running import SQLITE, Service
from faults.environment.tools import needed
from faults.observation.invariants import settle
from faults.observation.operator import Operator
from faults.observation.witness import Witness, new_mawb
from tests.shipments.manifests.payloads import body, guide

TODAY, TOMORROW = "Arriving today", "Arriving tomorrow"


@pytest.mark.fault(31)
@pytest.mark.long
def test_a_clock_that_jumps_an_hour_either_way_changes_no_order(service: Service, witness: Witness) -> None:
    faketime = needed("faketime")
    code = witness.accepted(rows=1)["guides"][0]["tracking_code"]
    jumps = {
        "customs_processing": "+0",
        "customs_released": "-1h",
        "in_transit": "+1h",
        "out_for_delivery": "-1h",
        "delivered": "+0",
    }
    for word, jump in jumps.items():
        moving = ("advance_status", "--to", word, code)
        assert service.command(*moving, prefix=(faketime, "-f", jump), log="clock.log").wait(60) == 0
    assert timeline(witness, code) == ["registered", *jumps]


class Night(NamedTuple):
    """Arrivals in Chile around a change, by their moment in UTC; and moments to which the clock is set, each with the
    arrivals of today and of tomorrow by the clock of Santiago.
    """

    arrivals: dict[str, str]
    moments: dict[str, tuple[set[str], set[str]]]


BACK = Night(  # at 24:00 on 4 April it is 23:00 again: a day of 25 hours
    arrivals={
        "before": "2026-04-04T02:59:59",
        "once": "2026-04-05T02:30:00",
        "again": "2026-04-05T03:30:00",
        "midnight": "2026-04-05T04:00:00",
        "last": "2026-04-06T03:59:59",
        "after": "2026-04-06T04:00:00",
    },
    moments={
        "2026-04-05T02:58:00": ({"once", "again"}, {"midnight", "last"}),
        "2026-04-05T03:02:00": ({"once", "again"}, {"midnight", "last"}),
        "2026-04-05T04:02:00": ({"midnight", "last"}, {"after"}),
    },
)
LEAP = Night(
    arrivals={
        "28th": "2028-02-29T02:59:59",
        "29th": "2028-02-29T03:00:00",
        "last": "2028-03-01T02:59:59",
        "March": "2028-03-01T03:00:00",
        "after": "2028-03-02T03:00:00",
    },
    moments={
        "2028-02-29T02:58:00": ({"28th"}, {"29th", "last"}),
        "2028-02-29T03:02:00": ({"29th", "last"}, {"March"}),
        "2028-03-01T03:02:00": ({"March"}, {"after"}),
    },
)
WORDS = ["customs_processing", "customs_released", "in_transit"]


@pytest.mark.fault(31, SQLITE)
def test_the_service_lives_through_changed_clocks_and_the_leap_day(
    open_special: OpenSpecial, witnessed: Witnessed, tmp_path: Path, pick: Pick
) -> None:
    """On SQLite alone: PostgreSQL has a clock of its own."""
    clock, nights = Clock(tmp_path), pick([BACK], [BACK, LEAP])
    clock.set(begin_of(nights[0]))
    witness = witnessed(open_special(**clock.environment))
    for night in nights:
        clock.set(begin_of(night))
        mawbs = {name: announced(witness, at(moment)) for name, moment in night.arrivals.items()}
        code = witness.accepted(rows=1)["guides"][0]["tracking_code"]
        for word, (moment, days) in zip(WORDS, night.moments.items(), strict=False):
            clock.set(at(moment))
            assert start_page(witness.service) == [{mawbs[name] for name in day} for day in days], moment
            witness.service.server.manage("advance_status", "--to", word, code)
            (event,) = (each for each in witness.shown(f"/guides/{code}")["events"] if each["status"] == word)
            assert datetime.fromisoformat(event["timestamp"]) - at(moment) < timedelta(minutes=2)
        assert timeline(witness, code) == ["registered", *WORDS[: len(night.moments)]]
        settle(witness.service)  # half a year later nobody would want what still waits


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)


def begin_of(night: Night) -> datetime:
    return at(next(iter(night.moments))) - timedelta(minutes=1)


def announced(witness: Witness, arrival: datetime) -> str:
    """The MAWB of a document that arrives then."""
    mawb = new_mawb()
    answer = witness.post_json(body(guide(), mawb=mawb, scheduled_arrival=arrival.isoformat()))
    assert answer is not None
    assert answer.status_code == 201, answer.text
    assert datetime.fromisoformat(answer.json()["eta"]) == arrival
    return mawb


def timeline(witness: Witness, code: str) -> list[str]:
    """The statuses of a guide in the order in which they are shown; the last is its own."""
    shown = witness.shown(f"/guides/{code}")
    words = [event["status"] for event in shown["events"]]
    assert shown["status"] == words[-1]
    return words


def start_page(service: Service) -> list[set[str]]:
    """The MAWBs that the operator's start page names under today, and under tomorrow."""
    answer = Operator(service).get(f"{service.address}/admin/")
    assert answer.status_code == 200
    panels = re.findall(r'<section class="panel" aria-label="([^"]+)">(.*?)</section>', answer.text, re.DOTALL)
    named = {title: set(re.findall(r">(\d{3}-\d{8})</a>", content)) for title, content in panels}
    return [named[title] for title in (TODAY, TOMORROW)]
