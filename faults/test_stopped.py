"""Rows 7 and 8: the service stopped and reloaded in good order."""

import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import pytest

from faults.conftest import NewHouse, Pick, Say, Witnessed
from faults.environment.processes import children, soon
from faults.environment.running import Service
from faults.observation.load import load
from faults.observation.witness import Witness, status


@pytest.mark.fault(7)
def test_what_is_in_flight_ends_and_nothing_new_begins(service: Service, witness: Witness) -> None:
    service.board.arm("upload.before_commit", "sleep:3")
    with ThreadPoolExecutor(1) as pool:
        in_flight = pool.submit(witness.upload)
        service.board.wait_until_reached("upload.before_commit")
        service.web.send_signal(signal.SIGTERM)
        soon(lambda: not _listens(service), what="the end of listening")
        assert not in_flight.done()
        assert status(in_flight.result(timeout=60)) == 201
    assert service.web.wait(timeout=60) == 0
    service.start()


def _listens(service: Service) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(service.server.host_and_port) == 0


@pytest.mark.fault(8)
def test_reloads_under_load_cost_no_request(service: Service, witness: Witness, pick: Pick, note: Say) -> None:
    with load(witness) as responses:
        for _ in range(pick(1, 3)):
            before = set(service.workers())
            time.sleep(0.5)
            service.web.send_signal(signal.SIGHUP)
            soon(partial(_renewed, service, before), 60, "new workers")
        time.sleep(0.5)
    note(f"{sum(responses.statuses().values())} requests over the reloads, {responses.statuses()[None]} lost")
    assert set(responses.statuses()) <= {200, 201}


@pytest.mark.fault(8)
@pytest.mark.long
def test_workers_that_end_after_some_requests_cost_no_request(
    open_special: NewHouse, note: Say, witnessed: Witnessed
) -> None:
    service = open_special(TEST_MAX_REQUESTS="200")
    witness = witnessed(service)
    first = set(service.workers())
    with load(witness, readers=6, uploaders=0) as responses:
        soon(lambda: sum(responses.statuses().values()) >= 2_000, 100, "two thousand requests")
    assert not first & set(service.workers())
    note(f"{sum(responses.statuses().values())} requests with workers of 200, {responses.statuses()[None]} lost")
    assert set(responses.statuses()) == {200}


def _renewed(service: Service, old: set[int]) -> bool:
    now = set(children(service.web.pid))
    return len(now) == 2 and not now & old
