"""Passwords of our own beside single sign-on: switched off, they open nothing but the account for emergencies."""

from datetime import datetime

import structlog
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from base.admin.activity import ActKind, act, log_act
from base.http.requests import client_address

PASSWORD_BACKEND = "companies.operators.local_passwords.PasswordBackend"  # noqa: S105  # where it is
BREAK_GLASS_USED = act(
    "break_glass_used", ActKind.CONFIGURED, _("Logged in with the account for emergencies, from %(address)s.")
)

log = structlog.get_logger(__name__)


class PasswordBackend(ModelBackend):
    """Django's own. With `LOCAL_PASSWORDS` off it lets in `BREAK_GLASS_USER` alone, and ends the others' sessions."""

    def user_can_authenticate(self, user: User | None) -> bool:  # type: ignore[override]  # of the base, any user
        is_allowed = settings.LOCAL_PASSWORDS or (user is not None and is_break_glass(user))
        return is_allowed and super().user_can_authenticate(user)


def is_break_glass(user: User) -> bool:
    return bool(settings.BREAK_GLASS_USER) and user.get_username() == settings.BREAK_GLASS_USER


def alarm_at_break_glass(request: HttpRequest, user: User) -> None:
    """Alarm if `user`, who has just logged in, is the account for emergencies, with its password."""
    if not is_break_glass(user) or getattr(user, "backend", "") != PASSWORD_BACKEND:
        return
    address = client_address(request) or ""
    request.user = user  # which a request for a token has not
    log_act(request, user, BREAK_GLASS_USED, address=address)
    log.error("break_glass_used", user_id=user.pk, address=address)


def break_glass_uses(since: datetime) -> QuerySet[LogEntry]:
    """The entries of the activity log about it, the latest first."""
    entries = LogEntry.objects.filter(user__username=settings.BREAK_GLASS_USER, action_time__gte=since)
    return entries.filter(change_message__contains=f'"{BREAK_GLASS_USED.code}"').order_by("-action_time")
