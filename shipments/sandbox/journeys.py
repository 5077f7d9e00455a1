"""The journey of a guide in the sandbox: a pure function of its HAWB."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from shipments.statuses import GuideStatus, Source

LATE = timedelta(hours=10)
"""How old the late event of `-LATE` is when it is reported."""


class Step(NamedTuple):
    """The next event of a guide. age: how long ago it happened. times: how often it is reported."""

    status: GuideStatus
    age: timedelta = timedelta(0)
    times: int = 1

    @property
    def source(self) -> Source:
        return usual_source(self.status)


_S = GuideStatus
_CLEARED = [Step(_S.CUSTOMS_PROCESSING), Step(_S.CUSTOMS_RELEASED)]
_DOMESTIC = [Step(_S.IN_TRANSIT), Step(_S.OUT_FOR_DELIVERY)]
_TO_THE_DOOR = [*_CLEARED, *_DOMESTIC]
_DELIVERED = Step(_S.DELIVERED)
_USUAL = [*_TO_THE_DOOR, _DELIVERED]

ENDINGS: Mapping[str, Sequence[Step]] = {
    "": _USUAL,
    "-HELD": [_CLEARED[0], Step(_S.CUSTOMS_HELD), _CLEARED[1], *_DOMESTIC, _DELIVERED],
    "-DOCS": [_CLEARED[0], Step(_S.CUSTOMS_DOCUMENTS_REQUIRED)],
    "-DUTY": [_CLEARED[0], Step(_S.CUSTOMS_DUTIES_PENDING)],
    "-REJECT": [_CLEARED[0], Step(_S.CUSTOMS_REJECTED)],
    "-LOST": [*_CLEARED, Step(_S.IN_TRANSIT), Step(_S.LOST)],
    "-FAIL": [*_TO_THE_DOOR, Step(_S.DELIVERY_FAILED), Step(_S.OUT_FOR_DELIVERY), _DELIVERED],
    "-RETURN": [*_TO_THE_DOOR, Step(_S.DELIVERY_FAILED), Step(_S.RETURNING_TO_SENDER), Step(_S.RETURNED)],
    "-LATE": [
        _CLEARED[0],
        Step(_S.IN_TRANSIT),
        Step(_S.CUSTOMS_RELEASED, age=LATE),
        Step(_S.OUT_FOR_DELIVERY),
        _DELIVERED,
    ],
    "-TWICE": [step._replace(times=2) for step in _USUAL],
    "-STILL": [],
}
"""How a HAWB ends -> its steps. The empty ending is every other HAWB's."""


def journey(hawb: str) -> Sequence[Step]:
    ending, mark, word = hawb.upper().rpartition("-")
    return ENDINGS.get(f"{mark}{word}" if ending else "", _USUAL)


def usual_source(status: GuideStatus) -> Source:
    if status.value.startswith("customs_"):
        return Source.CUSTOMS
    return Source.CARRIER if status in {_S.REGISTERED, _S.IN_TRANSIT, _S.LOST} else Source.COURIER_SCAN
