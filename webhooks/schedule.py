"""When a delivery of version 2 is attempted again. Pure: no database, no clock.

The steps are the example schedule of Standard Webhooks 1.0: ten attempts over 75.6 hours. Each step varies at random
by 20 %, so that deliveries that failed together are not retried together.
"""

import random
from datetime import timedelta

STEPS_SECONDS = (5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600)
"""The steps between attempts."""
MAX_ATTEMPTS = len(STEPS_SECONDS) + 1
JITTER = 0.2
LONGEST_WISH_SECONDS = 24 * 3600
"""Limit of a `Retry-After`, which is also limited to twice the step."""


def pause_after(attempt: int, wished_seconds: int | None = None, *, share: float | None = None) -> timedelta:
    """How long to wait after `attempt`, from 1, has failed.

    wished_seconds: the endpoint's `Retry-After`, or None; respected between the step and twice the step.
    share: the position in the range of the jitter, 0 to 1; random by default.
    """
    step = STEPS_SECONDS[min(attempt, len(STEPS_SECONDS)) - 1]
    if share is None:
        share = random.random()  # noqa: S311  # only spreads load
    seconds = step * (1 - JITTER + 2 * JITTER * share)
    if wished_seconds is not None:
        seconds = max(seconds, min(wished_seconds, 2 * step, LONGEST_WISH_SECONDS))
    return timedelta(seconds=seconds)
