"""Row 32: logs that cannot be written, and callbacks after a commit that raise."""

import ast
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.environment.running import Service
from faults.matrix import SQLITE
from faults.observation.witness import Witness, new_mawb, outcome, status
from tests.live.server import ROOT

APPS = ("companies", "webhooks", "shipments", "prealerts")


@pytest.fixture
def speechless(service: Service) -> Iterator[Service]:
    """The service, its log on a full disk."""
    service.stop()
    service.start(log=Path("/dev/full"))
    yield service
    service.stop()
    service.start()


@pytest.mark.fault(32, SQLITE)
def test_a_log_that_cannot_be_written_costs_no_answer(speechless: Service, witness: Witness) -> None:
    mawb = new_mawb()
    assert status(witness.upload(mawb)) == 201
    assert status(witness.upload(mawb)) == 409
    assert status(witness.upload(manifest_file=b"no workbook")) == 400
    assert status(witness.get("/guides/nothing")) == 404
    assert speechless.answers()


@pytest.mark.fault(32, SQLITE)
def test_a_callback_that_raises_after_the_commit_costs_no_answer_and_is_in_the_log(
    service: Service, witness: Witness
) -> None:
    mawb, words = new_mawb(), f"callback {os.urandom(4).hex()}"
    service.board.arm("upload.before_commit", f"callback:{words}")
    answer = witness.upload(mawb)
    assert service.board.was_reached("upload.before_commit")
    assert answer is not None
    assert answer.status_code == 201
    assert [each["mawb"] for each in service.records.manifests(witness.codes).values()] == [mawb]
    assert outcome(witness.upload(mawb)) == (409, "mawb_already_exists")
    assert "error" in level_of(words, service.directory / "server.log")


@pytest.mark.fault(32, SQLITE)
def test_the_callback_of_a_move_that_raises_undoes_nothing(service: Service, witness: Witness) -> None:
    answer = witness.upload(rows=1)
    assert answer is not None
    code, words = answer.json()["guides"][0]["tracking_code"], f"callback {os.urandom(4).hex()}"
    service.board.arm("advance.after_commit", f"raise:{words}")
    assert service.command("advance_status", "--to", "in_transit", code, log="moves.log").wait(60) == 0
    assert service.board.was_reached("advance.after_commit")
    shown = witness.get(f"/guides/{code}")
    assert shown is not None
    assert shown.json()["status"] == "in_transit"
    assert level_of(words, service.directory / "moves.log") == ["error"]


def level_of(words: str, log: Path) -> list[str]:
    """The level of each line of a log that holds these words."""
    lines = (line for line in log.read_text(encoding="utf-8").splitlines() if words in line)
    return [str(json.loads(line)["level"]) for line in lines]


@pytest.mark.fault(32, SQLITE)
def test_every_callback_after_a_commit_may_fail(service: Service) -> None:  # noqa: ARG001  # names the backend
    """A callback that is not robust turns a committed upload into a 500; so does a robust one without a name, such as a
    partial, for Django's line about it asks for the name.
    """
    fragile = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "on_commit"
        if not (is_robust(call) and isinstance(call.args[0], ast.Lambda | ast.Name))
    ]
    assert fragile == []


def is_robust(call: ast.Call) -> bool:
    return any(word.arg == "robust" and getattr(word.value, "value", False) is True for word in call.keywords)
