"""The middleware that only pages need: static files, sessions, users, messages. Requests of the public API skip it.

The API has no cookies, sessions or pages, and this middleware was a seventh of the instructions of a read. The classes
have their own names in MIDDLEWARE, so its order stays in one list and Django's checks find the subclasses. Two others
that the API does not need, for CSRF and lockouts, have no subclass: the checks look for exactly their names.
"""

from csp import middleware as csp
from django.contrib.auth import middleware as auth
from django.contrib.messages import middleware as messages
from django.contrib.sessions import middleware as sessions
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django_otp import middleware as otp
from whitenoise import middleware as whitenoise

API = "/api/public/"


class _SkippedByApi:
    """Passes requests of the public API on. Its place in the bases is before the middleware."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return self.get_response(request)  # type: ignore[attr-defined,no-any-return]  # the middleware's own
        return super().__call__(request)  # type: ignore[misc,no-any-return]  # as above


class WhiteNoiseMiddleware(_SkippedByApi, whitenoise.WhiteNoiseMiddleware):  # type: ignore[misc]  # has no types
    """Static files."""


class CSPMiddleware(_SkippedByApi, csp.CSPMiddleware):
    """The content security policy."""


class SessionMiddleware(_SkippedByApi, sessions.SessionMiddleware):
    """Sessions."""


class AuthenticationMiddleware(_SkippedByApi, auth.AuthenticationMiddleware):
    """`request.user`. The API's own authentication sets it there."""


class MessageMiddleware(_SkippedByApi, messages.MessageMiddleware):
    """One-time messages."""


class OTPMiddleware(_SkippedByApi, otp.OTPMiddleware):
    """Whether the user has confirmed a second factor."""
