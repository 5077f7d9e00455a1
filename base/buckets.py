"""Take a token from a bucket: one statement a request, whatever process asks."""

import math
import time
from functools import cache
from typing import NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections

from base.models import Bucket

BURST_SECONDS = 10
"""A full bucket holds what refills in this time, so that a client may send it at once."""


class BucketKind(NamedTuple):
    """Whose buckets they are.

    window_seconds: if not 0, tokens do not trickle back but return all at once, so long after the first was taken.
    kept_seconds: how long an idle bucket is kept; its refusals are counted together until there was none for so long.
    """

    name: str
    window_seconds: int = 0
    kept_seconds: int = 24 * 60 * 60


class Drawn(NamedTuple):
    """What came of asking for a token.

    tokens: what is left. wait_seconds: until there is one; 0 if it was taken. refused: refusals of the series so far.
    """

    tokens: float
    wait_seconds: int = 0
    refused: int = 0

    @property
    def is_taken(self) -> bool:
        return not self.wait_seconds


def draw(kind: BucketKind, key: int | str, rate: int, burst: int | None = None) -> Drawn:
    """Take a token from the bucket of `key`, or count the refusal. Call it outside transactions.

    rate: tokens that come back in a second, at least 1; ignored by a bucket with a window. burst: tokens of a full
    bucket; by default `BURST_SECONDS` of the rate.
    """
    now = time.time()
    most = float(rate * BURST_SECONDS if burst is None else burst)
    window = kind.window_seconds
    values = {**_values(kind, key, now), "burst": most, "rate": float(rate), "window": now - window}
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        cursor.execute(_take(connection.vendor, has_window=bool(window)), values)
        if row := cursor.fetchone():
            return Drawn(row[0], refused=row[1])
        cursor.execute(_REFUSE, values)
        tokens, filled_at = cursor.fetchone() or (0.0, now)  # deleted, or forgotten in a crash, in the meantime
    if window:
        return Drawn(0.0, max(1, math.ceil(filled_at + window - now)))
    left = min(most, tokens + max(0.0, now - filled_at) * rate)
    # A clock that was set back refills nothing until it is where it was.
    wait = max(1, math.ceil((1 - left) / rate + max(0.0, filled_at - now)))
    return Drawn(max(0.0, left), wait)


def count_refusal(kind: BucketKind, key: int | str) -> None:
    """Count a refusal for another reason than an empty bucket."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_REFUSE, _values(kind, key, time.time()))


def _values(kind: BucketKind, key: int | str, now: float) -> dict[str, str | float]:
    kept = kind.kept_seconds
    return {"kind": kind.name, "key": str(key), "now": now, "series": now - kept, "kept": now + kept}


@cache
def _take(vendor: str, *, has_window: bool) -> str:
    """The statement that returns the tokens left and the refusals, or no row if there was no token to take."""
    least, greatest = ("MIN", "MAX") if vendor == "sqlite" else ("LEAST", "GREATEST")
    filled = f"{least}(%(burst)s, b.tokens + {greatest}(0, %(now)s - b.filled_at) * %(rate)s)"
    filled_at = f"{greatest}(b.filled_at, %(now)s)"
    if has_window:
        filled = "CASE WHEN b.filled_at <= %(window)s THEN %(burst)s ELSE b.tokens END"
        filled_at = "CASE WHEN b.filled_at <= %(window)s THEN %(now)s ELSE b.filled_at END"
    return (
        "INSERT INTO base_bucket AS b (kind, key, tokens, filled_at, refused, refused_since, refused_at, kept_until) "  # noqa: S608  # our own names
        "VALUES (%(kind)s, %(key)s, %(burst)s - 1, %(now)s, 0, 0, 0, %(kept)s) ON CONFLICT (kind, key) DO UPDATE "
        f"SET tokens = {filled} - 1, filled_at = {filled_at}, kept_until = %(kept)s "
        f"WHERE {filled} >= 1 RETURNING tokens, refused"
    )


_REFUSE = (
    "UPDATE base_bucket SET refused = CASE WHEN refused_at < %(series)s THEN 1 ELSE refused + 1 END, "
    "refused_since = CASE WHEN refused_at < %(series)s THEN %(now)s ELSE refused_since END, refused_at = %(now)s, "
    "kept_until = %(kept)s WHERE kind = %(kind)s AND key = %(key)s RETURNING tokens, filled_at"
)


def forget_idle(*, dry_run: bool = False) -> int:
    """Delete the buckets that stood idle for as long as their kind is kept, and return their number."""
    idle = Bucket.objects.filter(kept_until__lt=time.time())
    return idle.count() if dry_run else idle.delete()[0]
