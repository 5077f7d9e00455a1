"""What is kept of changes: companies, endpoints, operators and their rights, before and after, by whom and from where.

Guides and manifests are not among them: their events and the desk's own log tell their story, written in batches, and a
hook for each row would cost every upload and every bulk move dear.
"""

from collections.abc import Callable

import structlog
from auditlog.middleware import AuditlogMiddleware
from auditlog.registry import auditlog
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from companies.client_address import client_address
from companies.models import Company, OperatorProfile
from webhooks.models import Subscription

HIDDEN = "…"


def keep_changes() -> None:
    """Register what is kept. Secrets stay out, their digests, seals and hints too; that one changed is told."""
    auditlog.register(
        Company,
        exclude_fields=["api_password_digest", "api_password_hint", "last_used_at"],
        m2m_fields={"posts_for"},
    )
    auditlog.register(Subscription, exclude_fields=["sealed_secret"])
    auditlog.register(OperatorProfile)
    auditlog.register(Group, m2m_fields={"permissions"})
    auditlog.register(
        User,
        exclude_fields=["last_login"],
        mask_fields=["password"],
        mask_callable="prealerts.audit.hidden",
        m2m_fields={"groups", "user_permissions"},
    )


def hidden(_value: str) -> str:
    """What stands in place of a secret; auditlog's own mask would show half of it."""
    return HIDDEN


def request_id() -> str | None:
    """The id under which logs and answers know the request that a change came with."""
    return structlog.contextvars.get_contextvars().get("request_id")


class AuditMiddleware(AuditlogMiddleware):
    """Tell auditlog who is at the desk, and from which address, as far as that can be believed.

    Only at the desk: to ask the API's requests for a user would open a session for each.
    """

    get_response: Callable[[HttpRequest], HttpResponse]

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(reverse("admin:index")):
            return self.get_response(request)
        response: HttpResponse = super().__call__(request)  # type: ignore[no-untyped-call]  # auditlog ships no types
        return response

    @staticmethod
    def _get_remote_addr(request: HttpRequest) -> str | None:
        """Not auditlog's own, which believes whatever the request says of itself."""
        return client_address(request)

    @staticmethod
    def _get_remote_port(request: HttpRequest) -> None:  # noqa: ARG004  # auditlog's signature
        return None
