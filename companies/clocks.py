"""The clock by which an operator reads times: their own choice, else that of their only country, else UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import Promise, lazy
from django.utils.text import format_lazy

from base.http.requests import is_admin_request
from companies.countries import SERVED
from companies.scope import Viewer, scope_of

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

_CITIES = {country.clock.key: country.capital for country in SERVED.values()}


def clock_of(user: Viewer) -> tzinfo:
    chosen = getattr(getattr(user, "operator_profile", None), "time_zone", "")
    if chosen:
        return ZoneInfo(chosen)
    countries = scope_of(user).countries or frozenset()
    return SERVED[next(iter(countries))].clock if len(countries) == 1 else UTC


class ClockMiddleware:
    """Show the times of the admin's pages by the operator's clock."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_admin_request(request) or not request.user.is_authenticated:
            return self.get_response(request)
        with timezone.override(clock_of(request.user)):
            return self.get_response(request)


def zone_name() -> str:
    """Return the current clock's name as a heading shows it: a city, or UTC."""
    key = getattr(timezone.get_current_timezone(), "key", "UTC")
    return _CITIES.get(key, key)


ZONE = lazy(zone_name, str)()
"""The current clock's name, for labels that are made before a request."""


def add_zone(title: str | Promise) -> _StrPromise:
    """Return the heading of a column of times, which names the clock once for all of them."""
    return format_lazy("{title}, {zone}", title=title, zone=ZONE)
