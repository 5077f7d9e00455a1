"""Signatures of version 2, as in Standard Webhooks 1.0: HMAC-SHA256 of id, time and body."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Sequence
from functools import lru_cache

SECRET_PREFIX = "whsec_"  # noqa: S105  # the prefix of every secret


def headers(message_id: str, timestamp: int, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """The three headers that a receiver verifies.

    message_id: the body's `id`, the same for all attempts. timestamp: of this attempt, seconds since 1970. secrets:
    from `new_signing_secret`; each signs, so that a receiver may have either.
    """
    signed = b"%s.%d.%s" % (message_id.encode("ascii"), timestamp, body)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{_digest(secret, signed)}" for secret in secrets),
    }


def _digest(secret: str, signed: bytes) -> str:
    return b64encode(hmac.digest(_key(secret), signed, "sha256")).decode("ascii")


@lru_cache(maxsize=4096)
def _key(secret: str) -> bytes:
    return b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
