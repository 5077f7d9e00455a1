"""Take a token from a company's or an operator's bucket: one statement a request, whatever process asks."""

import math
import time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from companies.authentication import caller
from companies.errors import RateLimited, Translatable
from companies.models import Bucket, Company, OperatorBucket, RateBucket

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which imports the throttles of the settings


BURST_SECONDS = 10
"""A full bucket holds what refills in this time, so that a client may send it at once."""
SERIES_SECONDS = 24 * 60 * 60
"""Refusals are counted together until there has been none for this long. Idle buckets are deleted after it."""
OPERATORS_RATE = 10
"""Requests a second of one operator or machine."""


def _headers(rate: int, tokens: float) -> dict[str, str]:
    """RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10); `t` until the bucket is full."""
    burst = rate * BURST_SECONDS
    return {
        "RateLimit-Policy": f'"company";q={burst};w={BURST_SECONDS}',
        "RateLimit": f'"company";r={int(tokens)};t={math.ceil((burst - tokens) / rate)}',
    }


def rate_of(company: Company) -> int:
    """Return how many requests a second the company may send; 0 if there is no limit."""
    own = company.requests_per_second
    return settings.RATE_LIMIT if own is None else own


def take(company: Company) -> dict[str, str]:
    """Take a token; return the limit's headers. Call it outside transactions.

    Without a limit, return no headers and run no query. Raises `RateLimited` if there is no token left, after
    counting the refusal.
    """
    rate = rate_of(company)
    if not rate:
        return {}
    drawn = draw(RateBucket, company.pk, rate)
    if drawn.is_taken:
        return _headers(rate, drawn.tokens)
    raise RateLimited(
        Translatable(
            "Your company's limit in requests is %(rate)s a second, and %(most)s at once after a pause. Send this one "
            "again in %(wait)s s.",
            rate=f"{rate:,}",
            most=f"{rate * BURST_SECONDS:,}",
            wait=f"{drawn.wait_seconds:,}",
        ),
        retry_after_seconds=drawn.wait_seconds,
        headers=_headers(rate, drawn.tokens),
    )


def take_of_operator(user_id: int) -> None:
    """Take a token of an operator or a machine. Call it outside transactions. Raises `RateLimited`."""
    drawn = draw(OperatorBucket, user_id, OPERATORS_RATE)
    if not drawn.is_taken:
        raise RateLimited(
            f"Your limit in requests is {OPERATORS_RATE} a second, and {OPERATORS_RATE * BURST_SECONDS} at once after "
            f"a pause. Send this one again in {drawn.wait_seconds:,} s.",
            retry_after_seconds=drawn.wait_seconds,
        )


class Drawn(NamedTuple):
    """What came of asking for a token. tokens: what is left. wait_seconds: until there is one; 0 if it was taken."""

    tokens: float
    wait_seconds: int = 0

    @property
    def is_taken(self) -> bool:
        return not self.wait_seconds


def draw(bucket: type[Bucket], key: int, rate: int) -> Drawn:
    """Take a token from the bucket whose primary key is `key`, or count the refusal. Call it outside transactions.

    rate: requests a second, at least 1; `BURST_SECONDS` of it at once.
    """
    now = time.time()
    burst = float(rate * BURST_SECONDS)
    values = {"key": key, "burst": burst, "rate": float(rate), "now": now, "series": now - SERIES_SECONDS}
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        cursor.execute(_take(connection.vendor, bucket), values)
        if row := cursor.fetchone():
            return Drawn(row[0])
        cursor.execute(_refuse(bucket), values)
        tokens, filled_at = cursor.fetchone() or (0.0, now)  # deleted, or forgotten in a crash, in the meantime
    left = min(burst, tokens + max(0.0, now - filled_at) * rate)
    # A clock that was set back refills nothing until it is where it was.
    wait = max(1, math.ceil((1 - left) / rate + max(0.0, filled_at - now)))
    return Drawn(max(0.0, left), wait)


@cache
def _take(vendor: str, bucket: type[Bucket]) -> str:
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


def _names(bucket: type[Bucket]) -> tuple[str, str]:
    return bucket._meta.db_table, str(bucket._meta.pk.column)


def forget_idle(*, dry_run: bool = False) -> int:
    """Delete the buckets, of every kind, that nobody drew on or was refused by for a day; return their number."""
    before = time.time() - SERIES_SECONDS
    idle = [each.objects.filter(filled_at__lt=before, refused_at__lt=before) for each in Bucket.__subclasses__()]
    return sum(each.count() if dry_run else each.delete()[0] for each in idle)


_TAKEN = "rate_limit"


class CompanyThrottle(BaseThrottle):
    """One token a request. DRF asks after authentication and before the body is read."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Return True with the limit's headers on the view, or raise `RateLimited`."""
        outcome = _ask(request._request, caller(request))  # noqa: SLF001  # DRF's own name for Django's request
        view.headers |= outcome.headers if isinstance(outcome, RateLimited) else outcome
        if isinstance(outcome, RateLimited):
            raise outcome
        return True


def headers_early(request: HttpRequest, company: Company) -> dict[str, str] | None:
    """Take the request's token before DRF has it; return the limit's headers, or None if the request is refused.

    The throttle then refuses it, without another question.
    """
    outcome = _ask(request, company)
    return None if isinstance(outcome, RateLimited) else outcome


def _ask(request: HttpRequest, company: Company) -> dict[str, str] | RateLimited:
    """Take a token once for each request and keep the headers, with the end of an old password."""
    if not hasattr(request, _TAKEN):
        ends_at = company.password_expires_at
        own = {"X-Password-Expires": ends_at.strftime("%Y-%m-%dT%H:%M:%SZ")} if ends_at else {}
        try:
            setattr(request, _TAKEN, own | take(company))
        except RateLimited as exc:
            exc.headers |= own
            setattr(request, _TAKEN, exc)
    return cast("dict[str, str] | RateLimited", getattr(request, _TAKEN))
