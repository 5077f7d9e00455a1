"""Who gets how many seats: everybody one, the prompt many, and those that hang never the half of the prompt."""

import pytest

from webhooks.dispatcher.seats import CLAIMED_AHEAD, PER_SUBSCRIPTION, PROMPT_MS, UNRESERVED_AT_ONCE, Pace, Seats

LIMIT = PER_SUBSCRIPTION + CLAIMED_AHEAD


def seats_with(total: int = 1000, **paces: Pace) -> Seats:
    """Seats that have seen one delivery of each of these; `s7=Pace.SLOW` for subscription 7."""
    seats = Seats(total)
    for name, pace in paces.items():
        see(seats, int(name[1:]), pace)
    return seats


def see(seats: Seats, key: int, pace: Pace) -> None:
    seats.claim(key)
    seats.begin(key)
    duration_ms = PROMPT_MS if pace is Pace.PROMPT else 10_000
    assert seats.finish(key, duration_ms=duration_ms, has_timed_out=pace is Pace.HANGING) is pace


@pytest.mark.parametrize(
    ("pace", "allotted"),
    [(Pace.NEW, 1), (Pace.PROMPT, LIMIT), (Pace.SLOW, PER_SUBSCRIPTION), (Pace.HANGING, 1)],
)
def test_a_subscription_gets_what_its_last_delivery_earned(pace: Pace, allotted: int) -> None:
    seats = seats_with() if pace is Pace.NEW else seats_with(s7=pace)
    assert seats.allot({7: 50}) == {7: allotted}


NEW: dict[str, Pace] = {}
HANGS, PROMPT = {"s3": Pace.HANGING}, {"s7": Pace.PROMPT}
ALL_PROMPT = {"s1": Pace.PROMPT, "s2": Pace.PROMPT, "s3": Pace.PROMPT}


@pytest.mark.parametrize(
    ("total", "seen", "waiting", "failing", "given"),
    [
        (1000, PROMPT, {7: 3}, set(), {7: 3}),  # no more than waits
        (4, ALL_PROMPT, {1: 20, 2: 20, 3: 20}, set(), {1: 2, 2: 1, 3: 1}),  # a first seat for all before a second one
        (2, NEW, {1: 20, 2: 20, 3: 1}, set(), {3: 1}),  # of new ones the shorter queue
        (2, HANGS, {3: 1, 2: 20}, set(), {2: 1}),  # a new one before one that hangs
        (2, HANGS, {1: 1, 2: 20}, {1}, {2: 1}),  # a new one before one that is known to fail
        (2, HANGS, {1: 1, 3: 1}, {1}, {1: 1}),  # which comes before one that was seen to hang
        (1000, PROMPT, {7: 50}, {7}, {7: LIMIT}),  # what was seen counts more than what is known
    ],
)
def test_who_comes_first(
    total: int, seen: dict[str, Pace], waiting: dict[int, int], failing: set[int], given: dict[int, int]
) -> None:
    assert seats_with(total, **seen).allot(waiting, failing) == given


def test_what_is_held_counts() -> None:
    seats = seats_with(s7=Pace.PROMPT)
    seats.claim(7, LIMIT - 2)
    assert seats.allot({7: 50}) == {7: 2}
    seats.claim(7, 2)
    assert seats.allot({7: 50}) == {}
    assert seats.full() == [7]


def test_only_ten_are_in_flight_and_the_rest_is_claimed_ahead() -> None:
    seats = seats_with(s7=Pace.PROMPT)
    seats.claim(7, LIMIT)
    begun = 0
    while seats.may_begin(7):
        seats.begin(7)
        begun += 1
    assert begun == PER_SUBSCRIPTION


def test_whoever_holds_less_comes_first() -> None:
    seats = seats_with(6, s1=Pace.PROMPT, s2=Pace.PROMPT)
    seats.claim(1, 3)
    assert seats.allot({1: 20, 2: 20}) == {2: 3}


def test_what_is_not_prompt_shares_half_of_the_seats() -> None:
    seats = seats_with(100, s999=Pace.PROMPT)
    for _turn in range(10):
        for key, allotted in seats.allot(dict.fromkeys(range(400), 20)).items():
            seats.claim(key, allotted)
    assert seats.held == 50
    assert seats.allot(dict.fromkeys(range(400), 20) | {999: 20}) == {999: LIMIT}


def test_one_claim_lets_in_only_so_many_that_may_hang() -> None:
    assert len(seats_with(1000).allot(dict.fromkeys(range(400), 1))) == UNRESERVED_AT_ONCE


def test_seats_that_are_all_taken_give_nothing() -> None:
    seats = seats_with(3, s7=Pace.PROMPT)
    seats.claim(7, 3)
    assert seats.are_taken
    assert seats.allot({7: 20, 8: 20}) == {}


def test_a_single_seat_serves_everybody_in_turn() -> None:
    seats = seats_with(1)
    assert seats.allot({1: 1, 2: 1}) == {1: 1}
    see(seats, 1, Pace.HANGING)
    assert seats.allot({1: 1, 2: 1}) == {2: 1}


def test_one_that_begins_to_hang_falls_to_a_single_seat_and_comes_back_with_one_answer() -> None:
    seats = seats_with(s7=Pace.PROMPT)
    see(seats, 7, Pace.HANGING)
    assert seats.allot({7: 50}) == {7: 1}
    see(seats, 7, Pace.PROMPT)
    assert seats.allot({7: 50}) == {7: LIMIT}


def test_what_was_put_back_is_free_again() -> None:
    seats = seats_with(s7=Pace.PROMPT)
    seats.claim(7, 5)
    seats.put_back(7, 5)
    assert seats.held == 0
