"""Row 6: the dispatcher killed between the steps of a delivery."""

from collections import Counter

import pytest

from faults.environment.processes import soon
from faults.environment.running import Service
from faults.observation.witness import Witness, status


@pytest.mark.fault(6)
@pytest.mark.parametrize(
    ("point", "posts"),
    [
        pytest.param("dispatch.after_claim", 0, marks=pytest.mark.long),
        pytest.param("dispatch.after_send", 1, marks=pytest.mark.long),
        ("dispatch.before_record", 1),
    ],
)
def test_its_deliveries_are_abandoned_and_never_sent_again(
    service: Service, witness: Witness, point: str, posts: int
) -> None:
    service.board.arm(point, "kill")
    assert status(witness.upload()) == 201
    service.dispatcher.wait(timeout=60)
    assert service.board.was_reached(point)
    assert states(witness) == {"sending": 1}
    service.records.age_claims()
    service.dispatch()
    soon(lambda: states(witness) == {"abandoned": 1}, 30, "the end of the delivery")
    assert status(witness.upload()) == 201
    soon(lambda: states(witness) == {"abandoned": 1, "delivered": 1}, 30, "the delivery after it")
    mine = [request for request in service.receiver.received if request.path.endswith(witness.tenant.code)]
    assert len(mine) == posts + 1


def states(witness: Witness) -> Counter[str]:
    """How many deliveries of the witness's companies are in each state."""
    return Counter(state for _code, _subject, _type, state in witness.service.records.deliveries(witness.codes))
