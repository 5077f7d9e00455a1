"""Row 45: a carrier's request is killed at every point."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
import requests

from faults.environment.running import Service
from faults.observation.witness import Witness
from faults.test_worker import worked
from tests.live.server import WITHOUT_CHECKS


class Sender(NamedTuple):
    """A carrier that sends its secret in a header."""

    service: Service
    slug: str
    secret: str

    def post(self, *events: dict[str, Any]) -> requests.Response | None:
        """The answer; None if the connection broke."""
        address = f"{self.service.server.address}/api/carriers/v1/{self.slug}/events"
        headers = {"X-Signature": self.secret}
        try:
            return requests.post(address, json={"events": list(events)}, headers=headers, timeout=60)
        except requests.ConnectionError:
            return None


def sender(service: Service, slug: str, *countries: str) -> Sender:
    options = ["--name", slug, "--adapter", "canonical", "--scheme", "header", "--source", "carrier"]
    said = service.server.manage("create_carrier", slug, *options, "--countries", ",".join(countries), *WITHOUT_CHECKS)
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
    service.records.age("shipments_carrierreceipt", "held_until")
    assert worked(service) == 0
    for code in codes:
        shown = witness.shown(f"/guides/{code}")
        assert [each["status"] for each in shown["events"]].count("in_transit") == 1
    left = service.records.ask("SELECT COUNT(*) FROM shipments_carrierreceipt WHERE held_until IS NOT NULL")
    assert left == [(0,)]
