"""Row 33: a company that requests another's data."""

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faults.conftest import Pick, Say
from faults.environment.running import Service
from faults.observation.witness import Witness, status
from tests.live.server import BASE


@pytest.mark.fault(33)
def test_what_is_anothers_is_as_if_it_did_not_exist(service: Service, witness: Witness, pick: Pick, note: Say) -> None:
    uploaded = witness.upload(rows=20)
    assert uploaded is not None
    mawb, codes = uploaded.json()["mawb"], [each["tracking_code"] for each in uploaded.json()["guides"]]
    assert status(witness.upload(tenant=witness.rival)) == 201
    own = service.address + BASE
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
        nothing = requests.get(own + route + "NOTHING" + tail, headers=witness.rival.headers, timeout=30)
        assert (answer.status_code, answer.content) == (404, nothing.content)

    ask()
    assert (
        requests.get(f"{own}/mawbs?company={witness.tenant.code}", headers=witness.rival.headers, timeout=30).content
        == listed
    )
    same = witness.upload(mawb, rows=20, tenant=witness.rival)
    assert status(same) == 201, "another's MAWB is free"
    assert same is not None
    assert same.json()["manifest_id"] != uploaded.json()["manifest_id"]
    note(f"{examples} questions")
