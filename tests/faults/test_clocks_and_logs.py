"""Rows 31 and 32: clocks that jump, logs that cannot be written."""

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.house import House
from tests.faults.matrix import SQLITE
from tests.faults.witness import Witness, new_mawb, status
from tests.live.server import ROOT

ROOMS = ("companies", "webhooks", "shipments", "prealerts")


@pytest.mark.fault(31)
@pytest.mark.long
def test_a_clock_that_jumps_an_hour_either_way_changes_no_order(house: House, witness: Witness) -> None:
    if shutil.which("faketime") is None:
        pytest.skip("faketime is not installed")
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
        prefix = ("faketime", "-f", jump) if jump else ()
        assert house.command("advance_status", "--to", word, code, prefix=prefix, log="clock.log").wait(60) == 0
    shown = witness.get(f"/guides/{code}")
    assert shown is not None
    assert [event["status"] for event in shown.json()["events"]] == ["registered", *(word for word, _jump in jumps)]
    assert shown.json()["status"] == "delivered"


@pytest.fixture
def speechless(house: House) -> Iterator[House]:
    """The service, its log on a full disk."""
    house.stop()
    house.start(log=Path("/dev/full"))
    yield house
    house.stop()
    house.start()


@pytest.mark.fault(32, SQLITE)
def test_a_log_that_cannot_be_written_costs_no_answer(speechless: House, witness: Witness) -> None:
    mawb = new_mawb()
    assert status(witness.upload(mawb)) == 201
    assert status(witness.upload(mawb)) == 409
    assert status(witness.upload(manifest_file=b"no workbook")) == 400
    assert status(witness.get("/guides/nothing")) == 404
    assert speechless.answers()


@pytest.mark.fault(32, SQLITE)
def test_every_callback_after_a_commit_may_fail(house: House) -> None:  # noqa: ARG001  # names the backend
    """A callback that is not robust turns a committed upload into a 500."""
    fragile = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "on_commit"
        if not any(word.arg == "robust" and getattr(word.value, "value", False) is True for word in call.keywords)
    ]
    assert fragile == []
