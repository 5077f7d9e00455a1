"""A MAWB's status is a pure function of its guides': the least advanced of those on their way."""

import pytest

from shipments.statuses import GuideStatus, Kind, mawb_status


@pytest.mark.parametrize(
    ("guides_by_status", "expected"),
    [
        ({"registered": 3}, "registered"),
        ({"registered": 1, "delivered": 99}, "registered"),
        ({"in_transit": 1, "customs_released": 2}, "customs_released"),
        ({"in_transit": 1, "customs_held": 2}, "in_transit"),
        ({"out_for_delivery": 1, "lost": 1, "on_hold": 4}, "out_for_delivery"),
        ({"registered": 0, "in_transit": 5}, "in_transit"),
        ({"customs_held": 1, "delivered": 9}, "exception"),
        ({"delivery_failed": 1, "returned": 1}, "exception"),
        ({"delivered": 9}, "delivered"),
        ({"delivered": 9, "lost": 1}, "closed"),
        ({"cancelled": 2}, "closed"),
        ({}, "closed"),
    ],
)
def test_it_follows_from_the_counts(guides_by_status: dict[str, int], expected: str) -> None:
    assert mawb_status(guides_by_status) == expected


def test_codes_are_the_public_ones_and_each_is_one_statuss_alone() -> None:
    codes = {status.value: status.code for status in GuideStatus}
    assert codes == {
        "registered": 1, "customs_processing": 2, "customs_released": 3, "in_transit": 4, "out_for_delivery": 5,
        "delivered": 6, "customs_held": 21, "customs_documents_required": 22, "customs_duties_pending": 23,
        "on_hold": 41, "delivery_failed": 51, "returning_to_sender": 52, "customs_rejected": 91, "returned": 92,
        "lost": 93, "cancelled": 94,
    }  # fmt: skip
    assert {status for status in GuideStatus if status.is_terminal} == {
        "delivered", "customs_rejected", "returned", "lost", "cancelled",
    }  # fmt: skip
    assert [status for status in GuideStatus if status.kind is Kind.TERMINAL] == [GuideStatus.DELIVERED]
