"""Take a token from a bucket: one statement a request, whatever process asks."""

import math
import time
from functools import cache
from typing import NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections

from base.models import Bucket

BURST_SECONDS = 10
"""A full bucket holds what refills in this time, so that a client may send it at once."""


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


def draw(bucket: type[Bucket], key: int | str, rate: int, burst: int | None = None) -> Drawn:
    """Take a token from the bucket whose primary key is `key`, or count the refusal. Call it outside transactions.

    rate: tokens that come back in a second, at least 1; ignored by a bucket with a window. burst: tokens of a full
    bucket; by default `BURST_SECONDS` of the rate.
    """
    now = time.time()
    most = float(rate * BURST_SECONDS if burst is None else burst)
    window = bucket.WINDOW_SECONDS
    values = {"key": key, "burst": most, "rate": float(rate), "now": now, "series": now - bucket.KEPT_SECONDS}
    values["window"] = now - window
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        cursor.execute(_take(connection.vendor, bucket), values)
        if row := cursor.fetchone():
            return Drawn(row[0], refused=row[1])
        cursor.execute(_refuse(bucket), values)
        tokens, filled_at = cursor.fetchone() or (0.0, now)  # deleted, or forgotten in a crash, in the meantime
    if window:
        return Drawn(0.0, max(1, math.ceil(filled_at + window - now)))
    left = min(most, tokens + max(0.0, now - filled_at) * rate)
    # A clock that was set back refills nothing until it is where it was.
    wait = max(1, math.ceil((1 - left) / rate + max(0.0, filled_at - now)))
    return Drawn(max(0.0, left), wait)


def count_refusal(bucket: type[Bucket], key: int | str) -> None:
    """Count a refusal for another reason than an empty bucket."""
    now = time.time()
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_refuse(bucket), {"key": key, "now": now, "series": now - bucket.KEPT_SECONDS})


@cache
def _take(vendor: str, bucket: type[Bucket]) -> str:
    """The statement that returns the tokens left and the refusals, or no row if there was no token to take."""
    table, key = _names(bucket)
    least, greatest = ("MIN", "MAX") if vendor == "sqlite" else ("LEAST", "GREATEST")
    filled = f"{least}(%(burst)s, b.tokens + {greatest}(0, %(now)s - b.filled_at) * %(rate)s)"
    filled_at = f"{greatest}(b.filled_at, %(now)s)"
    if bucket.WINDOW_SECONDS:
        filled = "CASE WHEN b.filled_at <= %(window)s THEN %(burst)s ELSE b.tokens END"
        filled_at = "CASE WHEN b.filled_at <= %(window)s THEN %(now)s ELSE b.filled_at END"
    return (
        f"INSERT INTO {table} AS b ({key}, tokens, filled_at, refused, refused_since, refused_at) "  # noqa: S608  # our own names
        f"VALUES (%(key)s, %(burst)s - 1, %(now)s, 0, 0, 0) ON CONFLICT ({key}) DO UPDATE "
        f"SET tokens = {filled} - 1, filled_at = {filled_at} WHERE {filled} >= 1 RETURNING tokens, refused"
    )


@cache
def _refuse(bucket: type[Bucket]) -> str:
    table, key = _names(bucket)
    return (
        f"UPDATE {table} SET refused = CASE WHEN refused_at < %(series)s THEN 1 ELSE refused + 1 END, "  # noqa: S608  # as above
        "refused_since = CASE WHEN refused_at < %(series)s THEN %(now)s ELSE refused_since END, refused_at = %(now)s "
        f"WHERE {key} = %(key)s RETURNING tokens, filled_at"
    )


def _names(bucket: type[Bucket]) -> tuple[str, str]:
    return bucket._meta.db_table, str(bucket._meta.pk.column)


def forget_idle(*, dry_run: bool = False) -> int:
    """Delete the buckets that stood idle for as long as their kind is kept, and return their number."""
    deleted = 0
    for kind in Bucket.__subclasses__():
        before = time.time() - kind.KEPT_SECONDS
        idle = kind.objects.filter(filled_at__lt=before, refused_at__lt=before)
        deleted += idle.count() if dry_run else idle.delete()[0]
    return deleted
