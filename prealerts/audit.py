"""The audit log: changes of companies, endpoints, operators and their rights: before and after, by whom and from where.

Guides and manifests are not included: their events and the admin's own log record what happens to them, written in
batches. A hook per row would make uploads and bulk moves expensive.
"""

from collections.abc import Callable

import structlog
from auditlog.middleware import AuditlogMiddleware
from auditlog.registry import auditlog
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse

from base.http.requests import client_address, is_admin_request
from companies.models import Company, OperatorAccess, OperatorProfile
from webhooks.models import Subscription

HIDDEN = "…"


def keep_changes() -> None:
    """Register the audited fields one by one, so that new fields are added deliberately: no secrets, digests, seals
    or hints of secrets. A changed secret shows in the time it was set; of a user's password only the fact is recorded.
    """
    auditlog.register(
        Company,
        include_fields=[
            "name", "client_code", "kind", "is_active", "allowed_countries", "read_by_headings", "tracking_prefix",
            "is_marketplace", "api_password_set_at", "contact_name", "contact_email", "contact_phone",
        ],
        m2m_fields={"posts_for"},
    )  # fmt: skip
    auditlog.register(
        Subscription,
        include_fields=[
            "company", "url", "version", "event_types", "countries", "description", "is_active", "disabled_reason",
            "secret_set_at", "deleted_at",
        ],
        mask_fields=["url"],
        mask_callable="webhooks.destinations.without_tokens",
    )  # fmt: skip
    auditlog.register(OperatorProfile, include_fields=["user", "countries", "issuer", "subject"])
    auditlog.register(OperatorAccess, include_fields=["name", "user", "secret_set_at", "created_by", "expires_at"])
    auditlog.register(Group, include_fields=["name"], m2m_fields={"permissions"})
    auditlog.register(
        User,
        include_fields=[
            "username", "first_name", "last_name", "email", "is_staff", "is_active", "is_superuser", "password",
        ],
        mask_fields=["password"],
        mask_callable="prealerts.audit.hide_secret",
        m2m_fields={"groups", "user_permissions"},
    )  # fmt: skip


def hide_secret(_value: str) -> str:
    """The placeholder for a secret; auditlog's own mask would show half of it."""
    return HIDDEN


def request_id() -> str | None:
    """The request id of the request that made a change, as in logs and responses."""
    return structlog.contextvars.get_contextvars().get("request_id")


class AuditMiddleware(AuditlogMiddleware):
    """Give auditlog the current operator and the client's address, as far as it can be trusted.

    Only for the admin: reading `request.user` on API requests would open a session for each.
    """

    get_response: Callable[[HttpRequest], HttpResponse]

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_admin_request(request):
            return self.get_response(request)
        response: HttpResponse = super().__call__(request)  # type: ignore[no-untyped-call]  # auditlog ships no types
        return response

    @staticmethod
    def _get_remote_addr(request: HttpRequest) -> str | None:
        """Replaces auditlog's own, which trusts whatever address the request claims."""
        return client_address(request)

    @staticmethod
    def _get_remote_port(request: HttpRequest) -> None:  # noqa: ARG004  # auditlog's signature
        return None
