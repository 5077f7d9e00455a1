"""The middleware that only pages need: static files, sessions, users, forms. Requests of the APIs skip it.

The API has no cookies, sessions or pages. What follows `ApiShortcutMiddleware` in the settings is only for pages. Two
come earlier, because they also concern answers that others give, and skip the API by themselves. The order stays in one
list, and Django's checks find its classes there.
"""

from collections.abc import Callable
from typing import Any

from csp import middleware as csp
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise import middleware as whitenoise

API = "/api/"

_GetResponse = Callable[[HttpRequest], HttpResponseBase]


class ApiShortcutMiddleware:
    """Passes requests of the APIs to their view, without the middleware that follows in the settings."""

    def __init__(self, get_response: _GetResponse) -> None:
        self._pages, self._api = get_response, _behind_middleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._api(request) if request.path_info.startswith(API) else self._pages(request)

    @property
    def get_response(self) -> _GetResponse:
        """What follows for pages, by the name that it has in every middleware."""
        return self._pages


def _behind_middleware(handler: Any) -> _GetResponse:  # noqa: ANN401  # as Django wraps it
    """Return what is left of `handler` without its middleware: Django's own handler, which calls the view.

    Django keeps what it wraps to convert exceptions as `__wrapped__`, and a middleware has the next one as
    `get_response`. At one that has not, the API's requests pass it and all that follow.
    """
    while hasattr(handler.__wrapped__, "get_response"):
        handler = handler.__wrapped__.get_response
    wrapped: _GetResponse = handler
    return wrapped


class _SkippedByApi:
    """Passes requests of the APIs on. Its place in the bases is before the middleware."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return self.get_response(request)  # type: ignore[attr-defined,no-any-return]  # the middleware's own
        return super().__call__(request)  # type: ignore[misc,no-any-return]  # as above


class WhiteNoiseMiddleware(_SkippedByApi, whitenoise.WhiteNoiseMiddleware):  # type: ignore[misc]  # has no types
    """Static files. Before the language: they have none."""


class CSPMiddleware(_SkippedByApi, csp.CSPMiddleware):
    """The content security policy, also of pages that refuse a request before it reaches the others."""
