"""Verify webhooks that the service sends. Needs nothing but Python."""

import hmac
import json
import time
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable, Mapping
from typing import Any

TOLERANCE_SECONDS = 300


class SignatureInvalid(Exception):
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
    several during a rotation. tolerance_seconds: how far the attempt's time may be from `now`, in either direction;
    now: seconds since 1970, the clock's by default.

    Raises `SignatureInvalid`; ValueError for a secret that is not one of version 2.
    """
    given = {name.lower(): value for name, value in headers.items()}
    identifier, sent_at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdecimal() and len(sent_at) < 16):
        raise SignatureInvalid("The header webhook-timestamp is missing or invalid.")
    if abs((time.time() if now is None else now) - int(sent_at)) > tolerance_seconds:
        raise SignatureInvalid("The request is too old, or its time lies in the future.")
    signed = f"{identifier}.{sent_at}.".encode() + body
    expected = [_signature(secret, signed) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    signatures = [each.encode() for each in given.get("webhook-signature", "").split()]
    # Every pair is compared, so that the time does not reveal which one matched.
    if not sum([hmac.compare_digest(one, other) for one in signatures for other in expected]):
        raise SignatureInvalid("No signature matches.")
    return _event(body)


def verify_v1(body: bytes, headers: Mapping[str, str], secrets: str | Iterable[str]) -> dict[str, Any]:
    """The event of a webhook of version 1, which sends the secret itself. Raises `SignatureInvalid`."""
    given = {name.lower(): value for name, value in headers.items()}.get("authorization", "").encode()
    expected = [f"Bearer {secret}".encode() for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not sum([hmac.compare_digest(given, each) for each in expected]):
        raise SignatureInvalid("The secret does not match.")
    return _event(body)


def _signature(secret: str, signed: bytes) -> bytes:
    try:
        key = b64decode(secret.removeprefix("whsec_"), validate=True)
    except NotBase64:
        raise ValueError("A secret of version 2 is whsec_ and standard base64.") from None
    return b"v1," + b64encode(hmac.digest(key, signed, "sha256"))


def _event(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise SignatureInvalid("The body is not a JSON object.")
    return event
