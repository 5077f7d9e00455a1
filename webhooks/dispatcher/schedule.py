"""When a delivery of version 2 is attempted again. Pure: no database, no clock.

The steps are the example schedule of Standard Webhooks 1.0: ten attempts over 75.6 hours, each step 20 % shorter or
longer at random, so that what failed together does not come back together.
"""

import random
from datetime import timedelta

STEPS_SECONDS = (5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600)
"""From each attempt that failed to the next one."""
MAX_ATTEMPTS = len(STEPS_SECONDS) + 1
JITTER = 0.2
LONGEST_WISH_SECONDS = 24 * 3600
"""Of a `Retry-After`; beside it nobody may put an attempt off for longer than twice its step."""


def pause_after(attempt: int, wished_seconds: int | None = None, *, share: float | None = None) -> timedelta:
    """How long to wait after `attempt`, from 1, has failed.

    wished_seconds: what the endpoint asked for with `Retry-After`, None when it did not. It is obeyed as far as it
    lies between the step and twice the step. share: where in the range of the jitter, 0 to 1; at random when left out.
    """
    step = STEPS_SECONDS[min(attempt, len(STEPS_SECONDS)) - 1]
    if share is None:
        share = random.random()  # noqa: S311  # it spreads load and guards nothing
    seconds = step * (1 - JITTER + 2 * JITTER * share)
    if wished_seconds is not None:
        seconds = max(seconds, min(wished_seconds, 2 * step, LONGEST_WISH_SECONDS))
    return timedelta(seconds=seconds)
