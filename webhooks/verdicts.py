"""What became of one POST."""

from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Failure(TextChoices):
    """Why a delivery did not succeed: stable codes, for filters and statistics."""

    DNS = "dns", _("Name not resolved")
    ADDRESS_REFUSED = "address_refused", _("Address refused")
    URL_REFUSED = "url_refused", _("URL refused")
    CONNECT = "connect", _("No connection")
    TLS = "tls", _("TLS failed")
    TIMEOUT = "timeout", _("Not done in time")
    DISCONNECTED = "disconnected", _("Connection broken")
    PROTOCOL = "protocol", _("Not HTTP")
    REDIRECT = "redirect", _("Redirect")
    HTTP_STATUS = "http_status", _("Answer was no 2xx")
    SECRET_UNREADABLE = "secret_unreadable", _("Secret unreadable")
    INTERNAL = "internal", _("Fault on our side")
    OUTCOME_UNKNOWN = "outcome_unknown", _("Outcome unknown")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One attempt, judged. No `error` means delivered.

    reason: one sentence for operators. http_status: None when no answer came. remote_address: the address that was
    connected to, empty when none was. excerpt: the beginning of the answer's body. retry_after: seconds that a busy
    endpoint (429, 503) asked us to wait, None when it did not.
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
