"""Rows 7 and 8: the service stopped and reloaded in good order."""

import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import pytest

from faults.conftest import NewHouse, Pick, Say, Witnessed
from faults.house import House
from faults.load import load
from faults.processes import children, soon
from faults.witness import Witness, status


@pytest.mark.fault(7)
def test_what_is_in_flight_ends_and_nothing_new_begins(house: House, witness: Witness) -> None:
    house.board.arm("upload.before_commit", "sleep:3")
    with ThreadPoolExecutor(1) as pool:
        in_flight = pool.submit(witness.upload)
        house.board.wait_until_reached("upload.before_commit")
        house.web.send_signal(signal.SIGTERM)
        soon(lambda: not _listens(house), what="the end of listening")
        assert not in_flight.done()
        assert status(in_flight.result(timeout=60)) == 201
    assert house.web.wait(timeout=60) == 0
    house.start()


def _listens(house: House) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(house.server.host_and_port) == 0


@pytest.mark.fault(8)
def test_reloads_under_load_cost_no_request(house: House, witness: Witness, pick: Pick, note: Say) -> None:
    with load(witness) as told:
        for _ in range(pick(1, 3)):
            before = set(house.workers())
            time.sleep(0.5)
            house.web.send_signal(signal.SIGHUP)
            soon(partial(_renewed, house, before), 60, "new workers")
        time.sleep(0.5)
    note(f"{sum(told.statuses().values())} requests over the reloads, {told.statuses()[None]} lost")
    assert set(told.statuses()) <= {200, 201}


@pytest.mark.fault(8)
@pytest.mark.long
def test_workers_that_end_after_some_requests_cost_no_request(
    open_special: NewHouse, note: Say, witnessed: Witnessed
) -> None:
    house = open_special(TEST_MAX_REQUESTS="200")
    witness = witnessed(house)
    first = set(house.workers())
    with load(witness, readers=6, uploaders=0) as told:
        soon(lambda: sum(told.statuses().values()) >= 2_000, 100, "two thousand requests")
    assert not first & set(house.workers())
    note(f"{sum(told.statuses().values())} requests with workers of 200, {told.statuses()[None]} lost")
    assert set(told.statuses()) == {200}


def _renewed(house: House, old: set[int]) -> bool:
    now = set(children(house.web.pid))
    return len(now) == 2 and not now & old
