"""How long a session of the desk lasts: so long without a sign of life, and so long in all."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext

from companies.operators.admin_area import is_at_the_desk

BEGAN, SEEN = "session_began", "session_seen"
_NOTED_EVERY = 60
"""Seconds: a busy operator must not turn every page into a write."""


def begin(request: HttpRequest, **_more: Any) -> None:  # noqa: ANN401  # Django's signal
    """Note when a session begins: at the login, whose session is written anyway."""
    request.session[BEGAN] = request.session[SEEN] = int(timezone.now().timestamp())


class SessionLimitsMiddleware:
    """End a session that was idle for too long, or that began too long ago; the login that follows says why.

    Django ends a session some time after it was last written, which a session that is written often never reaches.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_at_the_desk(request) and request.user.is_authenticated:
            self._look_at(request)
        return self.get_response(request)

    @staticmethod
    def _look_at(request: HttpRequest) -> None:
        now = int(timezone.now().timestamp())
        began = request.session.setdefault(BEGAN, now)
        seen = request.session.setdefault(SEEN, now)
        is_over = now - began >= settings.SESSION_COOKIE_AGE
        if is_over or now - seen >= settings.SESSION_IDLE_MINUTES * 60:
            logout(request)
            why = gettext("Your session lasted its longest.") if is_over else gettext("You were away for a while.")
            messages.info(request, why + " " + gettext("Please log in again."))
        elif now - seen >= _NOTED_EVERY:
            request.session[SEEN] = now
