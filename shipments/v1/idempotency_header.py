"""The `Idempotency-Key` header, and the fingerprint of its request."""

import hashlib
import json
import re

from rest_framework.request import Request

from base.errors import Translatable
from shipments.errors import ValidationFailed
from shipments.intake.idempotency import SentKey
from shipments.v1.bodies import BODY_SHA256

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
"""The response header of a repeated answer."""
MAX_LENGTH = 255

_PRINTABLE = re.compile(rf"[ -~]{{1,{MAX_LENGTH}}}")
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
"""A string of RFC 9651, 3.3.3, which the draft asks for. Stripe's clients, and most others, send none."""


def key_of(request: Request) -> str | None:
    """Return the key of `request`, None without the header. Raises `ValidationFailed`.

    The same key with and without quotes is one key.
    """
    sent = request.headers.get(HEADER)
    if sent is None:
        return None
    key: str | None = sent.strip(" \t")
    if key and key.startswith('"'):
        quoted = _QUOTED.fullmatch(key)
        key = re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else None
    if not key or not _PRINTABLE.fullmatch(key):
        problem = Translatable(
            "Send 1 to %(most)s printable ASCII characters, such as a UUID, with or without quotes around them.",
            most=MAX_LENGTH,
        )
        raise ValidationFailed(details={HEADER: [problem]})
    return key


def with_form(request: Request, key: str | None) -> SentKey | None:
    """Return the key with the fingerprint of an upload's form, which has been read.

    The body's own bytes do not serve: its boundary differs in every retry.
    """
    if key is None:
        return None
    files = [[name, file.sha256] for name, sent in request.FILES.lists() for file in sent]
    texts = [[name, *request.POST.getlist(name)] for name in request.POST]
    return SentKey(key, _fingerprint(request, [sorted(files), sorted(texts)]))


def with_json(request: Request, key: str | None) -> SentKey | None:
    """Return the key with the fingerprint of a JSON body, which has been read."""
    return SentKey(key, _fingerprint(request, request.META.get(BODY_SHA256))) if key is not None else None


def _fingerprint(request: Request, content: object) -> str:
    route = request.resolver_match.url_name if request.resolver_match else None
    return hashlib.sha256(json.dumps([request.method, route, content]).encode()).hexdigest()
