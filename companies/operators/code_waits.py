"""The delay after wrong codes in a session: 1, 2, 4 ... seconds, up to two minutes.

Each session is delayed only by its own wrong codes: somebody who guesses codes with an operator's password delays
nobody else. The total over all sessions of an operator is limited by `companies.models.authenticator.Authenticator`.
"""

import time
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.contrib.sessions.backends.base import SessionBase

LONGEST_SECONDS = 120

_COUNT, _LAST = "wrong_codes", "last_wrong_code"


def seconds_left(session: "SessionBase") -> int:
    """Seconds until this session may try the next code; 0 if it may do so now."""
    count: int = session.get(_COUNT, 0)
    if not count:
        return 0
    # The shift is capped: a count of thousands would produce a number of as many bits.
    wait = min(1 << min(count - 1, LONGEST_SECONDS.bit_length()), LONGEST_SECONDS)
    elapsed: float = time.time() - session[_LAST]
    return min(max(0, ceil(wait - elapsed)), wait)  # a clock set back must not extend the delay


def note_wrong(session: "SessionBase") -> None:
    """Count a wrong code."""
    session[_COUNT] = session.get(_COUNT, 0) + 1
    session[_LAST] = time.time()


def forget(session: "SessionBase") -> None:
    """Reset the count after a correct code."""
    session.pop(_COUNT, None)
    session.pop(_LAST, None)
