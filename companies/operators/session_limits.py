"""How long a session of the admin lasts: an idle timeout and a maximum age."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext

from companies.requests import is_admin_request

BEGAN, SEEN = "session_began", "session_seen"
_NOTED_EVERY = 60
"""Seconds between updates, so that a busy operator does not turn every page into a write."""


def begin(request: HttpRequest, **_more: Any) -> None:  # noqa: ANN401  # Django's signal
    """Store when a session begins: at login, where the session is saved anyway. A token of the API has none."""
    if not hasattr(request, "session"):
        return
    request.session[BEGAN] = request.session[SEEN] = int(timezone.now().timestamp())


class SessionLimitsMiddleware(MiddlewareMixin):
    """End sessions that were idle for too long or have reached their maximum age; the login page says why.

    Django's sessions expire some time after they were last saved, which a session that is saved often never reaches.
    """

    def process_request(self, request: HttpRequest) -> None:
        if not is_admin_request(request) or not request.user.is_authenticated:
            return
        now = int(timezone.now().timestamp())
        began = request.session.setdefault(BEGAN, now)
        seen = request.session.setdefault(SEEN, now)
        is_over = now - began >= settings.SESSION_COOKIE_AGE
        if is_over or now - seen >= settings.SESSION_IDLE_MINUTES * 60:
            logout(request)
            why = (
                gettext("Your session reached its maximum length.")
                if is_over
                else gettext("You were inactive for a while.")
            )
            messages.info(request, why + " " + gettext("Please log in again."))
        elif now - seen >= _NOTED_EVERY:
            request.session[SEEN] = now
