"""Row 31: clocks that jump. The days of a country whose clock is changed: tests/shipments/admin/test_local_days.py."""

import pytest

from faults.environment.running import POSTGRESQL, Service
from faults.environment.tools import needed
from faults.observation.witness import Witness


@pytest.mark.fault(31)
@pytest.mark.long(POSTGRESQL)
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
    shown = witness.shown(f"/guides/{code}")
    assert [event["status"] for event in shown["events"]] == ["registered", *jumps]
    assert shown["status"] == "delivered"
