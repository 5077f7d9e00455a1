"""Rows 42 to 44: the worker is killed at each point of a job, or of a bulk move; two workers share a queue."""

import signal
from functools import partial
from typing import Any

import pytest

from faults.environment.running import POSTGRESQL, Service
from faults.observation.witness import Witness, new_mawb
from tests.processes import soon

JOBS = 20
"""Of each company: the most that one may have unfinished."""
MOVED = 1_200
"""Guides of a bulk move: three pieces."""


@pytest.mark.fault(42)
@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("before_claim", marks=pytest.mark.long),
        "after_claim",
        pytest.param("after_read", marks=pytest.mark.long),
        pytest.param("before_commit", marks=pytest.mark.long),
        "after_commit",
    ],
)
def test_a_job_whose_worker_is_killed_ends_with_one_manifest(service: Service, witness: Witness, moment: str) -> None:
    mawb = new_mawb()
    job = witness.queue(mawb, key=mawb)
    service.board.arm(f"work.{moment}", "kill")
    assert worked(service) == -signal.SIGKILL
    assert service.board.was_reached(f"work.{moment}")
    is_done = moment == "after_commit"
    assert (witness.ended(job) is not None) is is_done
    assert [kept["mawb"] for kept in service.records.manifests(witness.codes).values()] == [mawb] * is_done
    assert witness.queue(mawb, key=mawb) == job
    service.records.age("shipments_uploadjob", "held_until")
    another = witness.queue()
    assert worked(service) == 0
    ended = witness.ended(job)
    assert ended["status"] == "succeeded"
    (manifest,) = (key for key, kept in service.records.manifests(witness.codes).items() if kept["mawb"] == mawb)
    assert ended["result"]["manifest_id"] == manifest
    assert witness.ended(another)["status"] == "succeeded", "the queue goes on"


def worked(service: Service) -> int:
    """Let a worker do what waits; the code it ends with."""
    return service.command("work", "--once", log="worker.log").wait(timeout=120)


@pytest.mark.fault(43, POSTGRESQL)
def test_two_workers_read_each_job_once(service: Service, witness: Witness) -> None:
    sent = [(who, new_mawb()) for _ in range(JOBS) for who in (witness.tenant, witness.rival)]
    jobs = [(who, witness.queue(mawb, tenant=who)) for who, mawb in sent]
    workers = [service.command("work", log="worker.log") for _ in range(2)]
    ended: list[Any] = [soon(partial(witness.ended, job, tenant=who), 120, "the job's end") for who, job in jobs]
    for worker in workers:
        worker.terminate()
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0]
    assert [job["status"] for job in ended] == ["succeeded"] * 2 * JOBS
    created = {job["result"]["manifest_id"]: job["result"]["mawb"] for job in ended}
    assert sorted(created.values()) == sorted(mawb for _who, mawb in sent)
    assert service.records.manifests(witness.codes).keys() == created.keys()
    attempts = service.records.ask(
        "SELECT attempts FROM shipments_uploadjob WHERE id = ANY(%s::uuid[])", [job for _who, job in jobs]
    )
    assert attempts == [(1,)] * 2 * JOBS


@pytest.mark.fault(44)
@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("bulk_claimed", marks=pytest.mark.long),
        "bulk_before_commit",
        pytest.param("bulk_after_commit", marks=pytest.mark.long),
    ],
)
def test_a_bulk_move_whose_worker_is_killed_moves_each_guide_once(
    service: Service, witness: Witness, moment: str
) -> None:
    mawb = new_mawb()
    witness.accepted(mawb, MOVED)
    move = service.records.queue_move(mawb, "in_transit")
    service.board.arm(f"work.{moment}", "kill")
    assert worked(service) == -signal.SIGKILL
    assert service.board.was_reached(f"work.{moment}")
    done = 500 if moment == "bulk_after_commit" else 0
    assert progress(service, move) == ("running", done)
    assert len(moved(service, mawb)) == done
    assert worked(service) == 0
    assert len(moved(service, mawb)) == (MOVED if done else 0), "the piece in hand is held"
    service.records.age("shipments_bulkmove", "held_until")
    assert worked(service) == 0
    assert progress(service, move) == ("done", MOVED)
    guides = moved(service, mawb)
    assert len(guides) == len(set(guides)) == MOVED


def progress(service: Service, move: str) -> tuple[str, int]:
    """The state of a bulk move, and how many guides it has moved."""
    ((state, done),) = service.records.ask("SELECT state, done FROM shipments_bulkmove WHERE id = %s", move)
    return state, done


def moved(service: Service, mawb: str) -> list[int]:
    """The guide of each event of the move."""
    events = service.records.ask(
        "SELECT e.guide_id FROM shipments_guideevent e JOIN shipments_guide g ON g.id = e.guide_id "
        "JOIN shipments_manifest m ON m.id = g.manifest_id WHERE e.status = 'in_transit' AND m.mawb = %s", mawb
    )  # fmt: skip
    return [key for (key,) in events]
