"""When an attempt is made again: ten of them over three days, and an endpoint that asks for time is given some."""

import pytest

from webhooks.verdicts import MAX_ATTEMPTS, STEPS_SECONDS, pause_after


def seconds(attempt: int, wished: int | None = None, share: float = 0.5) -> int:
    return round(pause_after(attempt, wished, share=share).total_seconds())


def test_ten_attempts_take_75_hours_and_a_half() -> None:
    pauses = [seconds(attempt) for attempt in range(1, MAX_ATTEMPTS)]
    assert pauses == [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    assert MAX_ATTEMPTS == 10
    assert sum(pauses) / 3600 == pytest.approx(75.6, abs=0.05)


@pytest.mark.parametrize("attempt", range(1, MAX_ATTEMPTS))
def test_a_step_is_a_fifth_shorter_or_longer_at_random(attempt: int) -> None:
    step = STEPS_SECONDS[attempt - 1]
    drawn = [pause_after(attempt).total_seconds() for _each in range(200)]
    assert 0.8 * step <= min(drawn) < max(drawn) <= 1.2 * step
    assert len(set(drawn)) > 100


@pytest.mark.parametrize(
    ("attempt", "wished", "pause"),
    [
        (1, 8, 8),
        (1, 1, 5),  # sooner than the step is not sooner for us
        (1, 3600, 10),  # and nobody is put off for longer than twice the step
        (2, 60, 300),
        (2, 450, 450),
        (9, 400_000, 86_400),  # nor for more than a day
    ],
)
def test_a_wish_counts_between_once_and_twice_the_step(attempt: int, wished: int, pause: int) -> None:
    assert seconds(attempt, wished) == pause


def test_no_draw_undercuts_a_wish() -> None:
    assert seconds(2, 310, share=0.0) == 310
    assert seconds(2, 60, share=0.0) == 240
