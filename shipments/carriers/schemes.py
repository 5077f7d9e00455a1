"""How carriers prove that a request is theirs. Whatever cannot be read is a bad signature."""

import hashlib
import hmac
import unicodedata
from base64 import b64encode
from collections.abc import Mapping

from standardwebhooks import Webhook, WebhookVerificationError

from shipments.models import Adapter, Carrier, Scheme
from shipments.models.carriers import Encoding

USUAL: Mapping[Adapter, Mapping[str, str]] = {
    Adapter.AFTERSHIP: {"signature_header": "aftership-hmac-sha256", "signature_encoding": Encoding.BASE64},
    Adapter.EASYPOST: {
        "signature_header": "X-Hmac-Signature",
        "signature_encoding": Encoding.HEX,
        "signature_prefix": "hmac-sha256-hex=",
    },
}
"""Adapter -> how its documentation says that bodies are signed. Sources: see the adapters."""
USUAL_HEADER = "X-Signature"
"""The header of a carrier that names none."""


def is_signed(carrier: Carrier, secret: str, body: bytes, headers: Mapping[str, str]) -> bool:
    """Return whether `secret` signed a request. headers: as Django's, whose values are the bytes as Latin-1."""
    if carrier.scheme == Scheme.STANDARD_WEBHOOKS:
        return _is_standard(secret, body, headers)
    sent = headers.get(carrier.signature_header or USUAL_HEADER, "").encode("latin-1", "replace")
    if carrier.scheme == Scheme.HEADER:
        return hmac.compare_digest(sent, secret.encode())
    return hmac.compare_digest(sent, carrier.signature_prefix.encode() + _digest(carrier, secret, body))


def _is_standard(secret: str, body: bytes, headers: Mapping[str, str]) -> bool:
    named = {name: headers.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
    try:
        Webhook(secret).verify(body, named, json_parse=False)
    except (
        WebhookVerificationError,
        ValueError,
    ):  # a `v1` without a comma, base64 that is none, a body that is no text
        return False
    return True


def _digest(carrier: Carrier, secret: str, body: bytes) -> bytes:
    # EasyPost normalises secrets before it signs; NFKD leaves ASCII as it is.
    key = unicodedata.normalize("NFKD", secret).encode()
    digest = hmac.digest(key, body, hashlib.sha256)
    return b64encode(digest) if carrier.signature_encoding == Encoding.BASE64 else digest.hex().encode()
