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

from companies.client_address import client_address
from companies.models import Company, OperatorProfile
from companies.operators.admin_area import is_at_the_desk
from webhooks.models import Subscription

HIDDEN = "…"


def keep_changes() -> None:
    """Register what is kept, field by field, so that a new one is kept by decision: no secret, no digest, seal or hint
    of one. That a secret was changed is told by when it was set; of a user's password nothing but that.
    """
    auditlog.register(
        Company,
        include_fields=[
            "name", "client_code", "kind", "is_active", "allowed_countries", "tracking_prefix", "is_marketplace",
            "api_password_set_at",
        ],
        m2m_fields={"posts_for"},
    )  # fmt: skip
    auditlog.register(
        Subscription,
        include_fields=[
            "company", "url", "version", "event_types", "countries", "description", "is_active", "disabled_reason",
            "secret_set_at", "deleted_at",
        ],
    )  # fmt: skip
    auditlog.register(OperatorProfile, include_fields=["user", "countries"])
    auditlog.register(Group, include_fields=["name"], m2m_fields={"permissions"})
    auditlog.register(
        User,
        include_fields=[
            "username", "first_name", "last_name", "email", "is_staff", "is_active", "is_superuser", "password",
        ],
        mask_fields=["password"],
        mask_callable="prealerts.audit.hidden",
        m2m_fields={"groups", "user_permissions"},
    )  # fmt: skip


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
        if not is_at_the_desk(request):
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
