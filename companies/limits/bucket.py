"""Take a token from a company's or an operator's bucket: one statement a request, whatever process asks."""

import math
import time
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from companies.errors import RateLimited
from companies.models import Company, OperatorBucket, RateBucket
from companies.models.rate_bucket import Bucket

BURST_SECONDS = 10
"""A full bucket holds what refills in this time, so that a client may send it at once."""
SERIES_SECONDS = 24 * 60 * 60
"""Refusals are counted together until there has been none for this long. Idle buckets are deleted after it."""
OPERATORS_RATE = 10
"""Requests a second of one operator or machine."""


class Allowance(NamedTuple):
    """What is left after a request. rate: requests a second. tokens: may have a fraction."""

    rate: int
    tokens: float

    @property
    def headers(self) -> dict[str, str]:
        """RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10); `t` until the bucket is full."""
        burst = self.rate * BURST_SECONDS
        full_in = math.ceil((burst - self.tokens) / self.rate)
        return {
            "RateLimit-Policy": f'"company";q={burst};w={BURST_SECONDS}',
            "RateLimit": f'"company";r={int(self.tokens)};t={full_in}',
        }


def rate_of(company: Company) -> int:
    """Return how many requests a second the company may send; 0 if there is no limit."""
    own = company.requests_per_second
    return settings.RATE_LIMIT if own is None else own


def take(company: Company) -> Allowance | None:
    """Take a token; return None without a statement if the company has no limit. Call it outside transactions.

    Raises `RateLimited` if there is none, after counting the refusal.
    """
    rate = rate_of(company)
    if not rate:
        return None
    allowance, wait = _draw(RateBucket, company.pk, rate)
    if not wait:
        return allowance
    raise RateLimited(
        f"Your company's limit in requests is {rate:,} a second, and {rate * BURST_SECONDS:,} at once after a pause. "
        f"Send this one again in {wait:,} s.",
        retry_after_seconds=wait,
        headers=allowance.headers,
    )


def take_of_operator(user_id: int) -> None:
    """Take a token of an operator or a machine. Call it outside transactions. Raises `RateLimited`."""
    _allowance, wait = _draw(OperatorBucket, user_id, OPERATORS_RATE)
    if wait:
        raise RateLimited(
            f"Your limit in requests is {OPERATORS_RATE} a second, and {OPERATORS_RATE * BURST_SECONDS} at once after "
            f"a pause. Send this one again in {wait:,} s.",
            retry_after_seconds=wait,
        )


def _draw(bucket: type[Bucket], key: int, rate: int) -> tuple[Allowance, int]:
    """Take a token; return what is left, and the seconds to wait if there was none, else 0."""
    now = time.time()
    burst = float(rate * BURST_SECONDS)
    values = {"key": key, "burst": burst, "rate": float(rate), "now": now}
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        cursor.execute(_take(bucket, connection.vendor), values)
        if row := cursor.fetchone():
            return Allowance(rate, row[0]), 0
        cursor.execute(_refuse(bucket), {"key": key, "now": now, "series": now - SERIES_SECONDS})
        tokens, filled_at = cursor.fetchone() or (0.0, now)  # deleted, or forgotten in a crash, in the meantime
    left = min(burst, tokens + max(0.0, now - filled_at) * rate)
    # A clock that was set back refills nothing until it is where it was.
    wait = max(1, math.ceil((1 - left) / rate + max(0.0, filled_at - now)))
    return Allowance(rate, max(0.0, left)), wait


def _names(bucket: type[Bucket]) -> tuple[str, str]:
    """The bucket's table, and the column of its key."""
    return bucket._meta.db_table, str(bucket._meta.pk.column)


@cache
def _take(bucket: type[Bucket], vendor: str) -> str:
    """The statement that returns the tokens left, or no row if there was none to take."""
    table, key = _names(bucket)
    least, greatest = ("MIN", "MAX") if vendor == "sqlite" else ("LEAST", "GREATEST")
    filled = f"{least}(%(burst)s, b.tokens + {greatest}(0, %(now)s - b.filled_at) * %(rate)s)"
    return (
        f"INSERT INTO {table} AS b ({key}, tokens, filled_at, refused, refused_since, refused_at) "  # noqa: S608  # our own names
        f"VALUES (%(key)s, %(burst)s - 1, %(now)s, 0, 0, 0) ON CONFLICT ({key}) DO UPDATE "
        f"SET tokens = {filled} - 1, filled_at = {greatest}(b.filled_at, %(now)s) WHERE {filled} >= 1 RETURNING tokens"
    )


@cache
def _refuse(bucket: type[Bucket]) -> str:
    table, key = _names(bucket)
    return (
        f"UPDATE {table} SET refused = CASE WHEN refused_at < %(series)s THEN 1 ELSE refused + 1 END, "  # noqa: S608  # as above
        "refused_since = CASE WHEN refused_at < %(series)s THEN %(now)s ELSE refused_since END, refused_at = %(now)s "
        f"WHERE {key} = %(key)s RETURNING tokens, filled_at"
    )


def forget_idle(*, dry_run: bool = False) -> int:
    """Delete the buckets that nobody has drawn on, or was refused by, for a day; return their number."""
    before = time.time() - SERIES_SECONDS
    kinds = (RateBucket.objects, OperatorBucket.objects)
    idle = [buckets.filter(filled_at__lt=before, refused_at__lt=before) for buckets in kinds]
    return sum(each.count() if dry_run else each.delete()[0] for each in idle)
