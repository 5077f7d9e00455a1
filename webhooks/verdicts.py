"""The outcome of one POST."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Failure(TextChoices):
    """Why a delivery failed: stable codes, for filters and statistics."""

    DNS = "dns", _("Name not resolved")
    ADDRESS_REFUSED = "address_refused", _("Address refused")
    URL_REFUSED = "url_refused", _("URL refused")
    CONNECT = "connect", _("No connection")
    TLS = "tls", _("TLS failed")
    TIMEOUT = "timeout", _("Timed out")
    DISCONNECTED = "disconnected", _("Connection broken")
    PROTOCOL = "protocol", _("Not HTTP")
    REDIRECT = "redirect", _("Redirect")
    HTTP_STATUS = "http_status", _("Non-2xx response")
    SECRET_UNREADABLE = "secret_unreadable", _("Secret unreadable")
    INTERNAL = "internal", _("Error on our side")
    OUTCOME_UNKNOWN = "outcome_unknown", _("Outcome unknown")


class Phase(StrEnum):
    """How far an attempt got; reported when it times out."""

    RESOLVE = "the name was not resolved"
    CONNECT = "no TLS connection was made"
    ANSWER = "connected, but no response arrived"
    BODY = "the response did not end"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one attempt. Without `error` it was delivered.

    reason: one sentence for operators. http_status: None without a response. remote_address: the address that was
    connected to, or empty. excerpt: the start of the response's body. retry_after: seconds that a busy endpoint (429,
    503) asked us to wait, or None.
    """

    duration_ms: int
    error: Failure | None = None
    reason: str = ""
    http_status: int | None = None
    remote_address: str = ""
    excerpt: str = ""
    retry_after: int | None = None

    @property
    def is_delivered(self) -> bool:
        return self.error is None
