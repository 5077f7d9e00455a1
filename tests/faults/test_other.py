"""Rows 31 to 33: clocks, logs, and companies that ask for each other's."""

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.faults.conftest import Pick, Say
from tests.faults.house import House
from tests.faults.witness import Witness, new_mawb, status
from tests.live.server import BASE, ROOT

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


@pytest.mark.fault(32)
def test_a_log_that_cannot_be_written_costs_no_answer(speechless: House, witness: Witness) -> None:
    mawb = new_mawb()
    assert status(witness.upload(mawb)) == 201
    assert status(witness.upload(mawb)) == 409
    assert status(witness.upload(manifest_file=b"no workbook")) == 400
    assert status(witness.get("/guides/nothing")) == 404
    assert speechless.answers()


@pytest.mark.fault(32)
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


@pytest.mark.fault(33)
def test_what_is_anothers_is_as_if_it_did_not_exist(house: House, witness: Witness, pick: Pick, note: Say) -> None:
    uploaded = witness.upload(rows=20)
    assert uploaded is not None
    mawb, codes = uploaded.json()["mawb"], [each["tracking_code"] for each in uploaded.json()["guides"]]
    assert status(witness.upload(tenant=witness.rival)) == 201
    own = house.address + BASE
    nothing = requests.get(f"{own}/guides/NOTHING", headers=witness.rival.headers, timeout=30).content
    listed = requests.get(f"{own}/mawbs", headers=witness.rival.headers, timeout=30).content
    spellings = [
        mawb,
        mawb.replace("-", ""),
        mawb.replace("-", " "),
        f"{mawb[:8]} {mawb[8:]}",
        uploaded.json()["manifest_id"],
    ]
    identifiers = st.sampled_from([*spellings, *codes, *(code.lower() for code in codes), uploaded.json()["flight_id"]])
    examples = pick(40, 500)

    @settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(
        route=st.sampled_from(["/guides/", "/mawbs/"]),
        identifier=identifiers,
        tail=st.sampled_from(["", "/", "?company=" + witness.tenant.code, "?company_id=1", "%20", "/../" + codes[0]]),
    )
    def ask(route: str, identifier: str, tail: str) -> None:
        answer = requests.get(own + route + identifier + tail, headers=witness.rival.headers, timeout=30)
        witness.answers.append(answer)
        assert (answer.status_code, answer.content) == (404, nothing)

    ask()
    assert (
        requests.get(f"{own}/mawbs?company={witness.tenant.code}", headers=witness.rival.headers, timeout=30).content
        == listed
    )
    note(f"{examples} questions")
