"""Rows 1 to 4: processes killed without warning."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from faults.conftest import Say
from faults.environment.processes import command_line, descendants, soon
from faults.environment.running import Service
from faults.observation.witness import Witness, new_mawb, outcome, status
from tests.shipments.manifests import hostile
from tests.shipments.manifests.payloads import body, guide

UPLOADS, ROUNDS = 8, 6


@pytest.mark.fault(1)
@pytest.mark.parametrize(
    "point",
    [
        *(
            pytest.param(f"upload.{moment}", marks=pytest.mark.long)
            for moment in ("after_body", "after_parse", "after_store", "before_insert")
        ),
        "upload.before_commit",
    ],
)
def test_nothing_is_there_and_the_same_upload_is_taken(service: Service, witness: Witness, point: str) -> None:
    mawb = new_mawb()
    service.board.arm(point, "kill")
    assert witness.upload(mawb) is None
    assert service.board.was_reached(point)
    assert outcome(witness.get(f"/mawbs/{mawb}")) == (404, "not_found")
    assert status(witness.upload(mawb)) == 201


@pytest.mark.fault(2)
@pytest.mark.parametrize("endpoint", ["upload", pytest.param("json", marks=pytest.mark.long)])
def test_the_manifest_is_there_and_the_same_request_names_it(service: Service, witness: Witness, endpoint: str) -> None:
    mawb = new_mawb()
    post = partial(witness.post_json, body(guide(), mawb=mawb)) if endpoint == "json" else partial(witness.upload, mawb)
    service.board.arm(f"{endpoint}.after_commit", "kill")
    assert post() is None
    assert service.board.was_reached(f"{endpoint}.after_commit")
    shown = witness.get(f"/mawbs/{mawb}")
    assert shown is not None
    assert shown.status_code == 200
    again = post()
    assert outcome(again) == (409, "mawb_already_exists")
    assert again is not None
    assert again.json()["manifest_id"] == shown.json()["manifest_id"]


@pytest.mark.fault(2)
@pytest.mark.parametrize("endpoint", ["upload", "json"])
def test_the_same_request_under_its_key_gets_the_lost_answer(service: Service, witness: Witness, endpoint: str) -> None:
    mawb = new_mawb()
    sent = partial(witness.post_json, body(guide(), mawb=mawb)) if endpoint == "json" else partial(witness.upload, mawb)
    post = partial(sent, key=f"key of {mawb}")
    service.board.arm(f"{endpoint}.after_commit", "kill")
    assert post() is None
    assert service.board.was_reached(f"{endpoint}.after_commit")
    again = post()
    assert again is not None
    assert (again.status_code, again.headers.get("Idempotent-Replayed")) == (201, "true")
    shown = witness.get(f"/mawbs/{mawb}")
    assert shown is not None
    assert again.json()["manifest_id"] == shown.json()["manifest_id"]
    assert [each["tracking_code"] for each in again.json()["guides"]] == [
        each["tracking_code"] for each in shown.json()["guides"]
    ]


@pytest.mark.fault(3)
def test_only_what_that_worker_had_in_hand_is_lost(service: Service, witness: Witness, note: Say) -> None:
    for _ in range(ROUNDS):
        lost = kill_one_of_two(service, witness)
        if lost < UPLOADS:
            break
    else:
        pytest.fail(f"{ROUNDS} times all uploads were lost with one worker")
    note(f"{lost} of {UPLOADS} uploads lost their connection")


def kill_one_of_two(service: Service, witness: Witness) -> int:
    """How many uploads at once lost their connection: those of one worker, which may have taken all of them."""
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
    service: Service, witness: Witness, long_book: bytes
) -> None:
    workers = service.workers()
    killed = threading.Event()

    def kill_the_reader() -> None:
        def reader() -> int:
            below = [each for worker in workers for each in descendants(worker)]
            return next((each for each in below if "workbook_child" in command_line(each)), 0)

        os.kill(soon(reader, what="the reader"), signal.SIGKILL)
        killed.set()

    hunter = threading.Thread(target=kill_the_reader)
    hunter.start()
    answer = witness.upload(manifest_file=long_book)
    hunter.join(30)
    assert killed.is_set()
    assert outcome(answer) == (400, "excel_parse_error")
    assert set(workers) <= set(service.workers())
    assert status(witness.upload()) == 201


@pytest.fixture
def long_book(tmp_path: Path) -> bytes:
    """A workbook that takes about a second to read."""
    rows = hostile.sheet_of(hostile.row(*[f"text {number}" for number in range(12)]), 40_000)
    return hostile.pack(tmp_path / "long.xlsx", hostile.workbook_parts(rows)).read_bytes()
