"""Rows 1 to 4 and 6 to 8: processes killed without warning, and stopped and reloaded in good order."""

import os
import signal
import socket
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from faults.conftest import OpenSpecial, Pick, Witnessed
from faults.environment.running import Service
from faults.observation.witness import Witness, load, new_mawb, outcome, status
from tests.processes import children, command_line, descendants, soon
from tests.shipments.manifests import hostile
from tests.shipments.manifests.payloads import body, guide

UPLOADS, ROUNDS = 8, 6


@pytest.mark.fault(1)
@pytest.mark.parametrize(
    "moment",
    [
        *(pytest.param(each, marks=pytest.mark.long) for each in ("after_body", "after_parse", "after_store")),
        pytest.param("before_insert", marks=pytest.mark.long),
        "before_commit",
    ],
)
def test_nothing_is_there_and_the_same_upload_is_taken(service: Service, witness: Witness, moment: str) -> None:
    mawb, point = new_mawb(), f"upload.{moment}"
    service.board.arm(point, "kill")
    assert witness.upload(mawb) is None
    assert service.board.was_reached(point)
    assert outcome(witness.get(f"/mawbs/{mawb}")) == (404, "not_found")
    witness.accepted(mawb)


@pytest.mark.fault(2)
@pytest.mark.parametrize("endpoint", ["upload", "json"])
@pytest.mark.parametrize("key", ["", "key of {}"])
def test_the_manifest_is_there_and_the_same_request_names_it_or_gets_the_lost_answer_under_its_key(
    service: Service, witness: Witness, endpoint: str, key: str
) -> None:
    mawb = new_mawb()
    sent = partial(witness.post_json, body(guide(), mawb=mawb)) if endpoint == "json" else partial(witness.upload, mawb)
    post = partial(sent, key=key.format(mawb))
    service.board.arm(f"{endpoint}.after_commit", "kill")
    assert post() is None
    assert service.board.was_reached(f"{endpoint}.after_commit")
    shown, again = witness.shown(f"/mawbs/{mawb}"), post()
    assert again is not None
    assert again.json()["manifest_id"] == shown["manifest_id"]
    if not key:
        assert outcome(again) == (409, "mawb_already_exists")
        return
    assert (again.status_code, again.headers.get("Idempotent-Replayed")) == (201, "true")
    codes = [[each["tracking_code"] for each in said["guides"]] for said in (again.json(), shown)]
    assert codes[0] == codes[1]


@pytest.mark.fault(3)
def test_only_what_that_worker_had_in_hand_is_lost(service: Service, witness: Witness) -> None:
    """One of the two may have taken all of them: that proves nothing, and is tried again."""
    assert any(kill_one_of_two(service, witness) < UPLOADS for _ in range(ROUNDS))


def kill_one_of_two(service: Service, witness: Witness) -> int:
    """How many uploads at once lost their connection."""
    workers = set(soon(lambda: service.workers()[1:] and service.workers(), what="two workers"))
    mawbs = [new_mawb() for _ in range(UPLOADS)]
    service.board.arm("upload.before_commit", "kill")
    with ThreadPoolExecutor(UPLOADS) as pool:
        answers = list(pool.map(lambda mawb: witness.upload(mawb, rows=200), mawbs))
    lost = [mawb for mawb, answer in zip(mawbs, answers, strict=True) if answer is None]
    assert {status(answer) for answer in answers} <= {201, None}
    assert lost
    assert status(witness.get("/mawbs")) == 200
    assert len(workers & set(service.workers())) == 1, "the other worker is alive"
    for mawb in lost:
        there = status(witness.get(f"/mawbs/{mawb}"))
        assert status(witness.upload(mawb, rows=200)) == {404: 201, 200: 409}[there or 0]
    return len(lost)


@pytest.mark.fault(4)
def test_a_dead_reader_is_an_unreadable_workbook_and_the_worker_lives(
    service: Service, witness: Witness, tmp_path: Path
) -> None:
    workers = service.workers()

    def kill_the_reader() -> None:
        def reader() -> int:
            below = [each for worker in workers for each in descendants(worker)]
            return next((each for each in below if "workbook_child" in command_line(each)), 0)

        os.kill(soon(reader, what="the reader"), signal.SIGKILL)

    rows = hostile.sheet_of(hostile.row(*[f"text {number}" for number in range(12)]), 40_000)  # read for a second
    long_book = hostile.pack(tmp_path / "long.xlsx", hostile.workbook_parts(rows)).read_bytes()
    hunter = threading.Thread(target=kill_the_reader)
    hunter.start()
    answer = witness.upload(manifest_file=long_book)
    hunter.join(30)
    assert outcome(answer) == (400, "excel_parse_error")
    assert set(workers) <= set(service.workers())
    witness.accepted()


@pytest.mark.fault(6)
@pytest.mark.parametrize(
    ("point", "posts"),
    [
        pytest.param("dispatch.after_claim", 0, marks=pytest.mark.long),
        pytest.param("dispatch.after_send", 1, marks=pytest.mark.long),
        ("dispatch.before_record", 1),
    ],
)
def test_the_deliveries_of_a_dead_dispatcher_are_abandoned_and_never_sent_again(
    service: Service, witness: Witness, point: str, posts: int
) -> None:
    service.board.arm(point, "kill")
    witness.accepted()
    service.dispatcher.wait(timeout=60)
    assert service.board.was_reached(point)
    assert states(witness) == {"sending": 1}
    service.records.age("webhooks_delivery", "claimed_at")
    service.dispatch()
    soon(lambda: states(witness) == {"abandoned": 1}, 30, "the end of the delivery")
    witness.accepted()
    soon(lambda: states(witness) == {"abandoned": 1, "delivered": 1}, 30, "the delivery after it")
    mine = [request for request in service.receiver.received if request.path.endswith(witness.tenant.code)]
    assert len(mine) == posts + 1


def states(witness: Witness) -> Counter[str]:
    """How many deliveries of the witness's companies are in each state."""
    return Counter(state for _code, _subject, state, *_ in witness.service.records.deliveries(witness.codes))


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
def test_reloads_under_load_cost_no_request(service: Service, witness: Witness, pick: Pick) -> None:
    with load(witness) as responses:
        for _ in range(pick(1, 3)):
            before = set(service.workers())
            time.sleep(0.5)
            service.web.send_signal(signal.SIGHUP)
            soon(partial(_renewed, service, before), 60, "new workers")
        time.sleep(0.5)
    assert set(responses.statuses()) <= {200, 201}


@pytest.mark.fault(8)
@pytest.mark.long
def test_workers_that_end_after_some_requests_cost_no_request(open_special: OpenSpecial, witnessed: Witnessed) -> None:
    service = open_special(TEST_MAX_REQUESTS="200")
    witness = witnessed(service)
    first = set(service.workers())
    with load(witness, readers=6, uploaders=0) as responses:
        soon(lambda: len(responses.heard) >= 2_000, 100, "two thousand requests")
    assert not first & set(service.workers())
    assert set(responses.statuses()) == {200}


def _renewed(service: Service, old: set[int]) -> bool:
    now = set(children(service.web.pid))
    return len(now) == 2 and not now & old
