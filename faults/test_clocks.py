"""Row 31: clocks that jump, nights on which a country's clock is changed, and the leap day."""

import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests

from faults.conftest import NewHouse, Pick, Say, Witnessed
from faults.environment.clock import Clock
from faults.environment.running import Service
from faults.environment.tools import needed
from faults.matrix import SQLITE
from faults.observation.invariants import settle
from faults.observation.witness import Witness, new_mawb
from tests.shipments.manifests.payloads import body, guide

TODAY, TOMORROW = "Arriving today", "Arriving tomorrow"


@pytest.mark.fault(31)
@pytest.mark.long
def test_a_clock_that_jumps_an_hour_either_way_changes_no_order(service: Service, witness: Witness) -> None:
    faketime = str(needed("faketime"))
    answer = witness.upload(rows=1)
    assert answer is not None
    code = answer.json()["guides"][0]["tracking_code"]
    jumps = [
        ("customs_processing", ""),
        ("customs_released", "-1h"),
        ("in_transit", "+1h"),
        ("out_for_delivery", "-1h"),
        ("delivered", ""),
    ]
    for word, jump in jumps:
        prefix = (faketime, "-f", jump) if jump else ()
        assert service.command("advance_status", "--to", word, code, prefix=prefix, log="clock.log").wait(60) == 0
    assert timeline(witness, code) == ["registered", *(word for word, _jump in jumps)]


@dataclass(frozen=True, slots=True)
class Night:
    """Arrivals in Chile around a change, each with its moment in UTC; and the clock's stations, each with what then
    arrives today and tomorrow by the clock of Santiago.
    """

    arrivals: dict[str, str]
    stations: tuple[tuple[str, set[str], set[str]], ...]


BACK = Night(  # at 24:00 on 4 April it is 23:00 again: a day of 25 hours
    arrivals={
        "before": "2026-04-04T02:59:59",
        "once": "2026-04-05T02:30:00",
        "again": "2026-04-05T03:30:00",
        "midnight": "2026-04-05T04:00:00",
        "last": "2026-04-06T03:59:59",
        "after": "2026-04-06T04:00:00",
    },
    stations=(
        ("2026-04-05T02:58:00", {"once", "again"}, {"midnight", "last"}),
        ("2026-04-05T03:02:00", {"once", "again"}, {"midnight", "last"}),
        ("2026-04-05T04:02:00", {"midnight", "last"}, {"after"}),
    ),
)
FORTH = Night(  # 6 September begins at one o'clock: a day of 23 hours
    arrivals={
        "before": "2026-09-05T03:59:59",
        "last": "2026-09-06T03:59:59",
        "one": "2026-09-06T04:00:00",
        "midnight": "2026-09-07T02:59:59",
        "after": "2026-09-07T03:00:00",
    },
    stations=(
        ("2026-09-06T03:58:00", {"last"}, {"one", "midnight"}),
        ("2026-09-06T04:02:00", {"one", "midnight"}, {"after"}),
    ),
)
LEAP = Night(
    arrivals={
        "28th": "2028-02-29T02:59:59",
        "29th": "2028-02-29T03:00:00",
        "last": "2028-03-01T02:59:59",
        "March": "2028-03-01T03:00:00",
        "after": "2028-03-02T03:00:00",
    },
    stations=(
        ("2028-02-29T02:58:00", {"28th"}, {"29th", "last"}),
        ("2028-02-29T03:02:00", {"29th", "last"}, {"March"}),
        ("2028-03-01T03:02:00", {"March"}, {"after"}),
    ),
)
WORDS = ["customs_processing", "customs_released", "in_transit"]


@pytest.mark.fault(31, SQLITE)
def test_the_service_lives_through_changed_clocks_and_the_leap_day(
    open_special: NewHouse, witnessed: Witnessed, tmp_path: Path, pick: Pick, note: Say
) -> None:
    """On SQLite alone: PostgreSQL has a clock of its own."""
    clock = Clock(tmp_path)
    nights: list[Night] = pick([BACK], [BACK, FORTH, LEAP])
    clock.set(at(nights[0].stations[0][0]) - timedelta(minutes=1))
    service = open_special(**clock.environment)
    witness = witnessed(service)
    for night in nights:
        clock.set(at(night.stations[0][0]) - timedelta(minutes=1))
        mawbs = {name: announced(witness, at(moment)) for name, moment in night.arrivals.items()}
        code = registered(witness, at(night.stations[0][0]))
        for word, (moment, today, tomorrow) in zip(WORDS, night.stations, strict=False):
            clock.set(at(moment))
            assert start_page(service) == {
                TODAY: {mawbs[name] for name in today},
                TOMORROW: {mawbs[name] for name in tomorrow},
            }, moment
            service.server.manage("advance_status", "--to", word, code)
            assert reported_at(witness, code, word) - at(moment) < timedelta(minutes=2)
        assert timeline(witness, code) == ["registered", *WORDS[: len(night.stations)]]
        settle(service)  # half a year later nobody would want what still waits
    note(f"{sum(len(night.stations) for night in nights)} moments around changed clocks")


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)


def announced(witness: Witness, arrival: datetime) -> str:
    """The MAWB of a document that arrives then."""
    mawb = new_mawb()
    answer = witness.post_json(body(guide(), mawb=mawb, scheduled_arrival=arrival.isoformat()))
    assert answer is not None
    assert answer.status_code == 201, answer.text
    assert datetime.fromisoformat(answer.json()["eta"]) == arrival
    return mawb


def registered(witness: Witness, around: datetime) -> str:
    """The tracking code of a guide out of a workbook, taken around that time by the service's clock."""
    answer = witness.upload(rows=1)
    assert answer is not None
    assert answer.status_code == 201, answer.text
    code = str(answer.json()["guides"][0]["tracking_code"])
    assert abs(reported_at(witness, code, "registered") - around) < timedelta(minutes=3)
    return code


def reported_at(witness: Witness, code: str, word: str) -> datetime:
    """When the timeline says that it happened."""
    shown = witness.get(f"/guides/{code}")
    assert shown is not None
    (event,) = (event for event in shown.json()["events"] if event["status"] == word)
    return datetime.fromisoformat(event["timestamp"])


def timeline(witness: Witness, code: str) -> list[str]:
    """The statuses of a guide in the order in which they are shown; the last is its own."""
    shown = witness.get(f"/guides/{code}")
    assert shown is not None
    words = [event["status"] for event in shown.json()["events"]]
    assert shown.json()["status"] == words[-1]
    return words


def start_page(service: Service) -> dict[str, set[str]]:
    """Title -> the MAWBs that the operator's start page names under it."""
    cookie = subprocess.run(
        [sys.executable, "-m", "faults.observation.admin_session"],
        cwd=service.server.root, env=service.server.environment, capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    answer = requests.get(f"{service.address}/admin/", headers={"Cookie": cookie, "Accept-Language": "en"}, timeout=30)
    assert answer.status_code == 200
    panels = re.findall(r'<section class="panel" aria-label="([^"]+)">(.*?)</section>', answer.text, re.DOTALL)
    named = {title: set(re.findall(r">(\d{3}-\d{8})</a>", content)) for title, content in panels}
    return {title: named[title] for title in (TODAY, TOMORROW)}
