"""Where requests meet their company's bucket: a DRF throttle, and a question for answers that DRF does not give."""

from typing import TYPE_CHECKING, cast

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from companies.authentication import caller
from companies.errors import RateLimited
from companies.limits.bucket import take
from companies.models import Company

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which imports the throttles of the settings

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
    """Take a token once a request, and keep what came of it. An ending password is told of with each answer."""
    if not hasattr(request, _TAKEN):
        ends_at = company.password_expires_at
        own = {"X-Password-Expires": ends_at.strftime("%Y-%m-%dT%H:%M:%SZ")} if ends_at else {}
        try:
            allowance = take(company)
            setattr(request, _TAKEN, own | (allowance.headers if allowance else {}))
        except RateLimited as exc:
            exc.headers |= own
            setattr(request, _TAKEN, exc)
    return cast("dict[str, str] | RateLimited", getattr(request, _TAKEN))
