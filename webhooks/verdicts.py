"""The outcome of one POST, and when the next one is due. Pure: no database, no clock."""

import random
from dataclasses import dataclass
from datetime import timedelta
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


STEPS_SECONDS = (5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600)
"""The steps between attempts of version 2: the example schedule of Standard Webhooks 1.0, 75.6 hours."""
MAX_ATTEMPTS = len(STEPS_SECONDS) + 1
JITTER = 0.2
"""Each step varies at random, so that deliveries that failed together are not attempted together again."""
LONGEST_WISH_SECONDS = 24 * 3600
"""Limit of a `Retry-After`, which is also limited to twice the step."""


def pause_after(attempt: int, wished_seconds: int | None = None, *, share: float | None = None) -> timedelta:
    """How long to wait after `attempt`, from 1, has failed.

    wished_seconds: the endpoint's `Retry-After`, or None; respected between the step and twice the step.
    share: the position in the range of the jitter, 0 to 1; random by default.
    """
    step = STEPS_SECONDS[min(attempt, len(STEPS_SECONDS)) - 1]
    if share is None:
        share = random.random()  # noqa: S311  # only spreads load
    seconds = step * (1 - JITTER + 2 * JITTER * share)
    if wished_seconds is not None:
        seconds = max(seconds, min(wished_seconds, 2 * step, LONGEST_WISH_SECONDS))
    return timedelta(seconds=seconds)
