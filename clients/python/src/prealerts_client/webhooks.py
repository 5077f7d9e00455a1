"""Verify webhooks that the service sends. Needs nothing but Python."""

import hmac
import json
import logging
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from prealerts_client.errors import PreAlertsError

TOLERANCE_SECONDS = 300

log = logging.getLogger("prealerts_client")

_SHORT = 16


class SignatureInvalid(PreAlertsError):
    """The request does not come from the service, was altered, or is old. Answer 401 and store nothing."""


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Iterable[str],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> dict[str, Any]:
    """The event of a webhook of version 2, whose signature is Standard Webhooks 1.0.

    body: the bytes as they came, before any parsing. headers: of the request, in any case. secrets: `whsec_...`, or
    several during a rotation. All of them have to be valid: anybody can sign with an empty one. tolerance_seconds: how
    far the attempt's time may be from `now`, in either direction; now: seconds since 1970, the clock's by default.

    Raises `SignatureInvalid`; ValueError for a secret that is not one of version 2.
    """
    keys = [_signing_key(secret) for secret in _several(secrets)]
    given = {name.lower(): value for name, value in headers.items()}
    identifier, sent_at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdecimal() and len(sent_at) < 16):
        raise SignatureInvalid("The header webhook-timestamp is missing or invalid.")
    if abs((time.time() if now is None else now) - int(sent_at)) > tolerance_seconds:
        raise SignatureInvalid("The request is too old, or its time lies in the future.")
    signed = f"{identifier}.{sent_at}.".encode() + body
    expected = [b"v1," + b64encode(hmac.digest(key, signed, "sha256")) for key in keys]
    signatures = [each.encode() for each in given.get("webhook-signature", "").split()]
    # Every pair is compared, so that the time does not reveal which one matched.
    if not sum([hmac.compare_digest(one, other) for one in signatures for other in expected]):
        raise SignatureInvalid("No signature matches.")
    return _event(body)


def verify_v1(body: bytes, headers: Mapping[str, str], secrets: str | Iterable[str]) -> dict[str, Any]:
    """The event of a webhook of version 1, which sends the secret itself.

    Raises `SignatureInvalid`; ValueError for an empty or blank secret, also as one of several.
    """
    known = _several(secrets)
    if any(len(secret) < _SHORT for secret in known):
        log.warning("A webhook secret has fewer than %d characters, and may be guessed.", _SHORT)
    given = {name.lower(): value for name, value in headers.items()}.get("authorization", "").encode()
    expected = [f"Bearer {secret}".encode() for secret in known]
    if not sum([hmac.compare_digest(given, each) for each in expected]):
        raise SignatureInvalid("The secret does not match.")
    return _event(body)


def _several(secrets: str | Iterable[str]) -> list[str]:
    known = [secrets] if isinstance(secrets, str) else list(secrets or ())
    if not (known and all(known) and all(secret.strip() for secret in known)):
        raise ValueError("A webhook secret is empty: it would verify nothing.")
    return known


def _signing_key(secret: str) -> bytes:
    encoded = secret.removeprefix("whsec_")
    try:
        key = b64decode(encoded, validate=True)
    except ValueError:
        key = b""
    if encoded == secret or not 24 <= len(key) <= 64:
        raise ValueError("A secret of version 2 is whsec_ and standard base64 of 24 to 64 bytes.")
    return key


def _event(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise SignatureInvalid("The body is not a JSON object.")
    return event
