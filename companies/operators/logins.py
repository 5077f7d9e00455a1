"""Operators' logins, failed ones included, what django-axes needs to stop guessing, and how long a session lasts."""

from datetime import timedelta
from typing import Any

import structlog
from auditlog.models import LogEntry
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from companies.requests import client_address, is_admin_request

log = structlog.get_logger(__name__)


def keep_logins() -> None:
    user_logged_in.connect(_came_in, dispatch_uid="companies.operators.logins")
    user_login_failed.connect(_turned_away, dispatch_uid="companies.operators.logins")


def _came_in(request: HttpRequest, user: User, **_more: Any) -> None:  # noqa: ANN401  # Django's signal
    """Log it, and store when the session begins, which is saved now anyway. A token of the API has none."""
    if hasattr(request, "session"):
        request.session[BEGAN] = request.session[SEEN] = int(timezone.now().timestamp())
    LogEntry.objects.log_create(
        instance=user,
        force_log=True,
        action=LogEntry.Action.ACCESS,
        changes={},
        actor=user,
        remote_addr=client_address(request),
        additional_data={"event": "login"},
    )
    log.info("operator_logged_in", user_id=user.pk)


def _turned_away(request: HttpRequest | None = None, **_more: Any) -> None:  # noqa: ANN401  # as above
    """Logged without the user name: people type passwords into that field."""
    log.warning("operator_turned_away", address=client_address(request) if request is not None else None)


def locked_out(
    request: HttpRequest, _response: HttpResponse | None = None, _credentials: dict[str, Any] | None = None
) -> HttpResponse:
    """The lockout page; the same whether the user exists or not."""
    lock: timedelta = settings.AXES_COOLOFF_TIME
    context = {
        **admin.site.each_context(request),
        "title": _("Too many wrong passwords"),
        "minutes": round(lock.total_seconds() / 60),
    }
    response = TemplateResponse(request, "companies/locked_out.html", context, status=429)
    response["Retry-After"] = str(round(lock.total_seconds()))
    response["Cache-Control"] = "no-store"
    return response.render()


def as_logged(_username: str, ip_address: str, *_more: Any) -> str:  # noqa: ANN401  # axes' signature
    """What is logged about a failed login: only the address, because people type passwords into the user name field."""
    return f"address {ip_address}"


BEGAN, SEEN = "session_began", "session_seen"
_NOTED_EVERY = 60
"""Seconds between updates, so that a busy operator does not turn every page into a write."""


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
