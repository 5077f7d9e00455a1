"""How long a session waits after wrong codes: 1, 2, 4 ... seconds, never more than two minutes.

Each session waits for its own wrong codes alone: whoever has an operator's password and guesses codes makes nobody else
wait. What all sessions of an operator guess together is bounded by `companies.authenticator.Authenticator`.
"""

import time
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.contrib.sessions.backends.base import SessionBase

LONGEST_SECONDS = 120

_COUNT, _LAST = "wrong_codes", "last_wrong_code"


def seconds_left(session: "SessionBase") -> int:
    """Seconds until the next code of this session is looked at; 0 when at once."""
    count: int = session.get(_COUNT, 0)
    if not count:
        return 0
    # The shift is cut: a count of thousands would make a number of as many bits.
    wait = min(1 << min(count - 1, LONGEST_SECONDS.bit_length()), LONGEST_SECONDS)
    elapsed: float = time.time() - session[_LAST]
    return min(max(0, ceil(wait - elapsed)), wait)  # a clock that was put back makes nobody wait longer


def note_wrong(session: "SessionBase") -> None:
    """Count a wrong code."""
    session[_COUNT] = session.get(_COUNT, 0) + 1
    session[_LAST] = time.time()


def forget(session: "SessionBase") -> None:
    """Count from zero again: a right code was given."""
    session.pop(_COUNT, None)
    session.pop(_LAST, None)
