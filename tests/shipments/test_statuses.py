"""The table of statuses, all 16 x 16 pairs of it, and what a MAWB is because of its guides."""

import pytest

from shipments.statuses import GuideStatus, StatusKind, mawb_status, may_follow

CODES = {
    "registered": 1,
    "customs_processing": 2,
    "customs_released": 3,
    "in_transit": 4,
    "out_for_delivery": 5,
    "delivered": 6,
    "customs_held": 21,
    "customs_documents_required": 22,
    "customs_duties_pending": 23,
    "on_hold": 41,
    "delivery_failed": 51,
    "returning_to_sender": 52,
    "customs_rejected": 91,
    "returned": 92,
    "lost": 93,
    "cancelled": 94,
}
ENDS = ["delivered", "customs_rejected", "returned", "lost", "cancelled"]

MOVES = """
                             1  2  3  4  5  6 21 22 23 41 51 52 91 92 93 94
registered                   .  x  x  x  x  x  x  x  x  x  .  .  .  .  x  x
customs_processing           .  .  x  x  x  x  x  x  x  x  .  x  x  x  x  .
customs_released             .  x  .  x  x  x  x  x  x  x  .  x  .  x  x  .
in_transit                   .  x  x  .  x  x  x  x  x  x  x  x  .  x  x  .
out_for_delivery             .  x  x  x  .  x  x  x  x  x  x  x  .  x  x  .
delivered                    .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
customs_held                 .  x  x  x  x  x  .  x  x  x  .  x  x  x  x  .
customs_documents_required   .  x  x  x  x  x  x  .  x  x  .  x  x  x  x  .
customs_duties_pending       .  x  x  x  x  x  x  x  .  x  .  x  x  x  x  .
on_hold                      .  x  x  x  x  x  x  x  x  .  .  x  .  x  x  .
delivery_failed              .  x  x  x  x  x  x  x  x  x  .  x  .  x  x  .
returning_to_sender          .  x  x  x  x  x  x  x  x  x  .  .  .  x  x  .
customs_rejected             .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
returned                     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
lost                         .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
cancelled                    .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
"""


def pairs() -> list[tuple[str, str, bool]]:
    """(previous, status, whether the one may follow the other) of the grid above."""
    header, *rows = MOVES.strip("\n").splitlines()
    words = {str(code): word for word, code in CODES.items()}
    targets = [words[code] for code in header.split()]
    return [
        (row.split()[0], target, mark == "x")
        for row in rows
        for target, mark in zip(targets, row.split()[1:], strict=True)
    ]


def test_the_codes_are_the_contracts() -> None:
    assert {status.value: status.code for status in GuideStatus} == CODES


def test_each_move_is_in_the_table_or_is_not() -> None:
    judged = [
        (previous, status, may_follow(GuideStatus(previous), GuideStatus(status))) for previous, status, _ in pairs()
    ]
    assert judged == pairs()


def test_a_status_is_terminal_exactly_when_nothing_follows_and_delivery_is_the_one_good_end() -> None:
    assert [status.value for status in GuideStatus if status.is_terminal] == ENDS
    assert [status.value for status in GuideStatus if not any(may_follow(status, each) for each in GuideStatus)] == ENDS
    assert [status for status in GuideStatus if status.kind is StatusKind.TERMINAL] == [GuideStatus.DELIVERED]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"registered": 1}, "registered"),
        ({"in_transit": 5, "customs_processing": 1, "delivered": 3}, "customs_processing"),
        ({"out_for_delivery": 1, "delivered": 9}, "out_for_delivery"),
        ({"in_transit": 1, "customs_held": 7}, "in_transit"),
        ({"customs_held": 1, "delivered": 9}, "exception"),
        ({"on_hold": 1, "lost": 1}, "exception"),
        ({"delivered": 2}, "delivered"),
        ({"delivered": 2, "lost": 1}, "closed"),
        ({"cancelled": 3}, "closed"),
        ({"delivered": 1, "registered": 0}, "delivered"),
        ({"registered": 1, "delivered": 99}, "registered"),
        ({"out_for_delivery": 1, "lost": 1, "on_hold": 4}, "out_for_delivery"),
        ({"delivery_failed": 1, "returned": 1}, "exception"),
        ({}, "closed"),
    ],
)
def test_a_mawb_is_as_far_as_its_slowest_guide_on_its_way(counts: dict[str, int], expected: str) -> None:
    assert mawb_status(counts) == expected
