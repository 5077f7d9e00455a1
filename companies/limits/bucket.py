"""The limits of a company's and an operator's requests."""

import math
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from base.buckets import BURST_SECONDS, BucketKind, draw
from base.errors import RateLimited, Translatable
from companies.authentication import caller
from companies.models import Company

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which imports the throttles of the settings


COMPANY, OPERATOR = BucketKind("company"), BucketKind("operator")
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
    drawn = draw(COMPANY, company.pk, rate)
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
    drawn = draw(OPERATOR, user_id, OPERATORS_RATE)
    if not drawn.is_taken:
        raise RateLimited(
            f"Your limit in requests is {OPERATORS_RATE} a second, and {OPERATORS_RATE * BURST_SECONDS} at once after "
            f"a pause. Send this one again in {drawn.wait_seconds:,} s.",
            retry_after_seconds=drawn.wait_seconds,
        )


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
