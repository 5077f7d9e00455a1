"""Rows 45 and 46: a carrier's request is killed at every point; carriers flood, lie and name others' guides."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
import requests

from faults.environment.running import Service
from faults.observation.witness import Witness
from faults.test_worker import worked
from tests.live.server import WITHOUT_CHECKS

FLOOD = 320


class Sender(NamedTuple):
    """A carrier that sends its secret in a header."""

    service: Service
    slug: str
    secret: str

    def post(self, *events: dict[str, Any], secret: str = "") -> requests.Response | None:
        """The answer; None if the connection broke."""
        address = f"{self.service.server.address}/api/carriers/v1/{self.slug}/events"
        headers = {"X-Signature": secret or self.secret}
        try:
            return requests.post(address, json={"events": list(events)}, headers=headers, timeout=60)
        except requests.ConnectionError:
            return None


def sender(service: Service, slug: str, *countries: str) -> Sender:
    options = ["--name", slug, "--adapter", "canonical", "--scheme", "header", "--source", "carrier"]
    said = service.server.manage("create_carrier", slug, *options, "--countries", *countries, *WITHOUT_CHECKS)
    return Sender(service, slug, json.loads(said.strip().splitlines()[-1])["secret"])


def event(code: str, **reference: str) -> dict[str, Any]:
    return {"reference": reference, "code": code, "occurred_at": (datetime.now(UTC) - timedelta(hours=1)).isoformat()}


@pytest.mark.fault(45)
@pytest.mark.parametrize("moment", ["after_receipt", "before_moves", "before_end", "after_end"])
def test_a_receipt_survives_a_kill_at_every_point(service: Service, witness: Witness, moment: str) -> None:
    carrier = sender(service, f"killed-{moment.replace('_', '-')}", "CL")
    codes = [guide["tracking_code"] for guide in witness.accepted()["guides"]]
    service.board.arm(f"carrier.{moment}", "kill")
    assert carrier.post(*(event("DEP", tracking_code=code) for code in codes)) is None
    assert service.board.was_reached(f"carrier.{moment}")
    service.records.age_receipts()
    assert worked(service) == 0
    for code in codes:
        shown = witness.shown(f"/guides/{code}")
        assert [each["status"] for each in shown["events"]].count("in_transit") == 1
    left = service.records.ask("SELECT COUNT(*) FROM shipments_carrierreceipt WHERE due_at IS NOT NULL")
    assert left == [(0,)]


@pytest.mark.fault(46)
def test_a_carrier_that_floods_holds_only_itself_up(service: Service) -> None:
    flooding, quiet = sender(service, "flooding", "CL"), sender(service, "quiet", "CL")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _number: flooding.post(), range(FLOOD)))
        untouched = quiet.post()
    statuses = Counter(answer.status_code if answer is not None else None for answer in answers)
    assert set(statuses) <= {200, 429}
    assert statuses[200] >= 200
    refused = [answer for answer in answers if answer is not None and answer.status_code == 429]
    assert all(int(answer.headers["Retry-After"]) >= 1 and answer.json()["status"] == "retry" for answer in refused)
    assert untouched is not None
    assert untouched.status_code == 200


@pytest.mark.fault(46)
def test_a_liar_and_a_carrier_of_another_country_change_nothing(service: Service, witness: Witness) -> None:
    code = witness.accepted()["guides"][0]["tracking_code"]
    chilean, peruvian = sender(service, "honest", "CL"), sender(service, "peruvian", "PE")
    lie = chilean.post(event("DEP", tracking_code=code), secret="another-secret")  # invented
    assert lie is not None
    assert (lie.status_code, lie.json()["code"]) == (401, "invalid_signature")
    foreign = peruvian.post(event("DEP", tracking_code=code))
    assert foreign is not None
    assert (foreign.json()["parked"], foreign.json()["applied"]) == (1, 0)
    assert worked(service) == 0
    assert [each["status"] for each in witness.shown(f"/guides/{code}")["events"]] == ["registered"]
