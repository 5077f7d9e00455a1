"""`POST /api/carriers/v1/<slug>/events`: size, signature, limit; store; apply."""

import hashlib
import hmac
import unicodedata
from base64 import b64encode
from collections.abc import Mapping
from typing import Final

import structlog
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from standardwebhooks import Webhook, WebhookVerificationError

from base import encryption
from base.buckets import BucketKind, draw
from companies.models.company import LAST_USED_RESOLUTION
from shipments.carriers.adapters.shape import Rejected
from shipments.carriers.processing import process, store_receipt
from shipments.carriers.registration import USUAL_HEADER
from shipments.models import Carrier, CarrierSecret, Scheme
from shipments.models.carriers import Encoding

ROOT = "/api/carriers/"
MOST_BYTES: Final = 1024 * 1024
CARRIER = BucketKind("carrier")
REQUESTS_PER_SECOND = 20
"""Of one carrier; ten times as many at once."""
_RETRY_AFTER_SECONDS = 5
_DUMMY = Carrier(slug="", scheme=Scheme.HMAC)
_COMMON_PREFIX = b"sha256="
"""What many programs write before a digest; it is accepted of every carrier."""

log = structlog.get_logger(__name__)


def reject(code: str, message: str, *, status: int = 400, **more: object) -> HttpResponse:
    """The request was refused; sending it again as it is changes nothing."""
    return JsonResponse({"status": "rejected", "code": code, "message": message, **more}, status=status)


def unreadable() -> HttpResponse:
    return reject("unreadable", "The request cannot be read.")


def no_such_route() -> HttpResponse:
    return reject("not_found", "Send events to /api/carriers/v1/<slug>/events.", status=404)


def unavailable() -> HttpResponse:
    message = "The request could not be stored. Send it again."
    return _retry("unavailable", message, status=503, seconds=_RETRY_AFTER_SECONDS)


def _retry(code: str, message: str, *, status: int, seconds: int) -> HttpResponse:
    body = {"status": "retry", "code": code, "message": message}
    return JsonResponse(body, status=status, headers={"Retry-After": str(seconds)})


@method_decorator(csrf_exempt, name="dispatch")  # carriers sign; they have no cookies
class EventsView(View):
    """Carriers' webhooks. Never an answer in the API's envelope, and no 5xx but 503 before the body is stored."""

    http_method_names = ["post"]

    def http_method_not_allowed(self, request: HttpRequest, *_args: object, **_kwargs: object) -> HttpResponse:
        response = reject("method_not_allowed", f"{request.method} is not allowed here.", status=405)
        response["Allow"] = "POST"
        return response

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        try:
            return _receive(request, slug)
        except (UnreadablePostError, SuspiciousOperation):
            return unreadable()
        except Exception:
            log.exception("carrier_request_failed")
            return unavailable()


def _receive(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer in the order of the checks: size, signature, limit, shape."""
    body = _body(request)
    if body is None:
        return reject("too_large", "Send at most 1 MiB in one request.")
    carrier = _sender(request, slug, body)
    if carrier is None:
        return reject("invalid_signature", "The signature is not valid.", status=401)
    drawn = draw(CARRIER, carrier.pk, REQUESTS_PER_SECOND)
    if not drawn.is_taken:
        text = f"At most {REQUESTS_PER_SECOND} requests a second; send this one again in {drawn.wait_seconds} s."
        return _retry("rate_limited", text, status=429, seconds=drawn.wait_seconds)
    receipt = store_receipt(carrier, body)
    try:
        processed = process(receipt)
    except Rejected as rejection:
        errors = [{"path": rejection.path, "message": rejection.message}]
        return reject(rejection.code, rejection.message, errors=errors, receipt_id=receipt.public_id)
    answer = {"status": "accepted", "receipt_id": receipt.public_id, "events": receipt.events, **processed.counts}
    remarks = {"errors": processed.errors, "notices": processed.notices}
    return JsonResponse(answer | {name: each for name, each in remarks.items() if each})


def _body(request: HttpRequest) -> bytes | None:
    """Return the body; None if it is too large, before more than that is read. Raises `UnreadablePostError`."""
    is_chunked = bool(request.META.get("prealerts.chunked"))
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()):
        raise UnreadablePostError("The length of the body is no number.")
    announced = 0 if is_chunked else int(length)
    if announced > MOST_BYTES:
        return None
    body = request.read(MOST_BYTES + 1)
    if len(body) < announced:
        raise UnreadablePostError("The body ended before its announced length.")
    return None if len(body) > MOST_BYTES else body


def _sender(request: HttpRequest, slug: str, body: bytes) -> Carrier | None:
    """Return the carrier that signed the request. An unknown or inactive one takes as long as a bad signature."""
    carrier = Carrier.objects.filter(slug=slug, is_active=True).first() if slug.isascii() else None
    secrets = carrier.live_secrets(timezone.now()) if carrier else []
    if carrier is None or not secrets:
        is_signed(_DUMMY, "x" * 32, body, request.headers)
        return None
    signed = [is_signed(carrier, encryption.unseal(each.sealed_secret), body, request.headers) for each in secrets]
    if not any(signed):
        return None
    note_use(secrets[signed.index(True)])
    return carrier


# --- signatures -------------------------------------------------------------------------------------------------


def is_signed(carrier: Carrier, secret: str, body: bytes, headers: Mapping[str, str]) -> bool:
    """Return whether `secret` signed a request. headers: as Django's, whose values are the bytes as Latin-1."""
    if carrier.scheme == Scheme.STANDARD_WEBHOOKS:
        return _is_standard(secret, body, headers)
    sent = headers.get(carrier.signature_header or USUAL_HEADER, "").encode("latin-1", "replace")
    if carrier.scheme == Scheme.HEADER:
        return hmac.compare_digest(sent, secret.encode())
    digest = _digest(carrier, secret, body)
    if carrier.signature_encoding == Encoding.HEX:
        sent = sent[: -len(digest)] + sent[-len(digest) :].lower()
    prefixes = {carrier.signature_prefix.encode(), _COMMON_PREFIX}
    return any(hmac.compare_digest(sent, prefix + digest) for prefix in prefixes)


def _is_standard(secret: str, body: bytes, headers: Mapping[str, str]) -> bool:
    named = {name: headers.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
    try:
        Webhook(secret).verify(body, named, json_parse=False)
    except (WebhookVerificationError, ValueError):  # such as invalid base64, or a body that is not text
        return False
    return True


def _digest(carrier: Carrier, secret: str, body: bytes) -> bytes:
    # EasyPost normalises secrets before it signs; NFKD leaves ASCII as it is.
    key = unicodedata.normalize("NFKD", secret).encode()
    digest = hmac.digest(key, body, hashlib.sha256)
    return b64encode(digest) if carrier.signature_encoding == Encoding.BASE64 else digest.hex().encode()


def note_use(secret: CarrierSecret) -> None:
    """Record that the carrier signed with it, at most once a minute."""
    now = timezone.now()
    if secret.last_used_at is None or now - secret.last_used_at >= LAST_USED_RESOLUTION:
        CarrierSecret.objects.filter(pk=secret.pk).update(last_used_at=now)
