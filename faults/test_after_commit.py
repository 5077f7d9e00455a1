"""Row 32: logs that cannot be written, and callbacks after a commit that raise. It does not ask the database."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.environment.running import SQLITE, Service
from faults.observation.witness import Witness, new_mawb, outcome, status

pytestmark = pytest.mark.fault(32, SQLITE)


@pytest.fixture
def speechless(service: Service) -> Iterator[Service]:
    """The service, its log on a full disk."""
    service.stop()
    service.start(log=Path("/dev/full"))
    yield service
    service.stop()
    service.start()


def test_a_log_that_cannot_be_written_costs_no_answer(speechless: Service, witness: Witness) -> None:
    mawb = new_mawb()
    witness.accepted(mawb)
    assert status(witness.upload(mawb)) == 409
    assert status(witness.upload(manifest_file=b"no workbook")) == 400
    assert status(witness.get("/guides/nothing")) == 404
    assert speechless.answers()


def test_a_callback_that_raises_after_the_commit_costs_no_answer_and_is_in_the_log(
    service: Service, witness: Witness
) -> None:
    mawb, words = new_mawb(), f"callback {os.urandom(4).hex()}"
    service.board.arm("upload.before_commit", f"callback:{words}")
    witness.accepted(mawb)
    assert service.board.was_reached("upload.before_commit")
    assert [each["mawb"] for each in service.records.manifests(witness.codes).values()] == [mawb]
    assert outcome(witness.upload(mawb)) == (409, "mawb_already_exists")
    assert "error" in levels_of(words, service.directory / "server.log")


def test_the_callback_of_a_move_that_raises_undoes_nothing(service: Service, witness: Witness) -> None:
    code = witness.accepted(rows=1)["guides"][0]["tracking_code"]
    words = f"callback {os.urandom(4).hex()}"
    service.board.arm("advance.after_commit", f"raise:{words}")
    assert service.command("advance_status", "--to", "in_transit", code, log="moves.log").wait(60) == 0
    assert service.board.was_reached("advance.after_commit")
    assert witness.shown(f"/guides/{code}")["status"] == "in_transit"
    assert levels_of(words, service.directory / "moves.log") == ["error"]


def levels_of(words: str, log: Path) -> list[str]:
    """The level of each line of a log that holds these words."""
    lines = (line for line in log.read_text(encoding="utf-8").splitlines() if words in line)
    return [str(json.loads(line)["level"]) for line in lines]
