"""Logins of operators, kept and told: who came in, from where; and that somebody was turned away."""

from typing import Any

import structlog
from auditlog.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.http import HttpRequest

from companies.client_address import client_address

log = structlog.get_logger(__name__)


def keep_logins() -> None:
    """Listen from now on."""
    user_logged_in.connect(_came_in, dispatch_uid="companies.operators.logins")
    user_login_failed.connect(_turned_away, dispatch_uid="companies.operators.logins")


def _came_in(request: HttpRequest, user: User, **_more: Any) -> None:  # noqa: ANN401  # Django's signal
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
    """Without the name that was given: people write passwords where names belong."""
    log.warning("operator_turned_away", address=client_address(request) if request is not None else None)
