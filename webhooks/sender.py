"""The HTTP client for deliveries: one POST, one overall deadline, one verdict.

It uses aiohttp because its deadline covers the whole request. A client whose timeout restarts with each socket
operation can be held forever by a server that sends a byte now and then.
"""

import asyncio
import hmac
import ssl
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

import aiohttp
import structlog
from yarl import URL

from webhooks import destinations
from webhooks.addresses import Network
from webhooks.connector import Attempt, CAres, Lookup, VettedConnector, current_attempt
from webhooks.errors import AddressRefused, DestinationRefused
from webhooks.verdicts import LONGEST_WISH_SECONDS, Failure, Phase, Verdict

DEADLINE_SECONDS = 10.0
"""The contract's "10 seconds end to end": DNS, connection, TLS, headers, body."""
USER_AGENT = "Service-Webhook/1.0"
SIGNED_USER_AGENT = "Service-Webhook/2.0"

_READ_BYTES = 16 * 1024
_EXCERPT_BYTES = 1024
_REFUSAL_BODY_SECONDS = 1.0
_REASON_LENGTH = 255
_BUSY = (429, 503)

log = structlog.get_logger(__name__)


SECRET_PREFIX = "whsec_"  # noqa: S105  # the prefix of every secret


def headers(message_id: str, timestamp: int, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """The three headers that a receiver verifies.

    message_id: the body's `id`, the same for all attempts. timestamp: of this attempt, seconds since 1970. secrets:
    from `new_signing_secret`; each signs, so that a receiver may have either.
    """
    signed = b"%s.%d.%s" % (message_id.encode("ascii"), timestamp, body)
    digests = (b64encode(hmac.digest(_key(secret), signed, "sha256")).decode("ascii") for secret in secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{digest}" for digest in digests),
    }


@lru_cache(maxsize=4096)
def _key(secret: str) -> bytes:
    return b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)


@dataclass(frozen=True, slots=True)
class Posting:
    """What is sent and where to. Secrets are in clear and are dropped after the POST.

    secret: the bearer secret of version 1. signing_secrets: those of version 2, never sent; the newest first.
    timestamp: when this attempt began, in seconds since 1970; part of the signature.
    """

    delivery_id: str
    event_type: str
    body: bytes
    url: str
    secret: str = ""
    signing_secrets: tuple[str, ...] = ()
    timestamp: int = 0

    def headers(self) -> dict[str, str]:
        """Our headers; the HTTP client adds Host and Content-Length."""
        is_signed = bool(self.signing_secrets)
        common = {
            "Content-Type": "application/json",
            "User-Agent": SIGNED_USER_AGENT if is_signed else USER_AGENT,
            "X-Service-Delivery-Id": self.delivery_id,
            "X-Service-Event": self.event_type,
        }
        if not is_signed:
            return {"Authorization": f"Bearer {self.secret}", **common}
        return common | headers(self.delivery_id, self.timestamp, self.body, self.signing_secrets)


class Sender:
    """An async context manager for the connections that deliveries share."""

    def __init__(
        self,
        *,
        context: ssl.SSLContext,
        allowed: Sequence[Network] = (),
        deadline: float = DEADLINE_SECONDS,
        lookup: Lookup | None = None,
    ) -> None:
        """context: see `tls_context`. allowed: networks in addition to the public internet. deadline: seconds.

        lookup: resolves names; c-ares by default.
        """
        self._allowed = allowed
        self._context = context
        self._deadline = deadline
        self._lookup = lookup
        self._url = lru_cache(maxsize=4096)(self._inspect)

    async def __aenter__(self) -> Self:
        self._cares = None if self._lookup else CAres()
        connector = VettedConnector(self._context, self._allowed, self._lookup or self._cares)  # type: ignore[arg-type]  # one of them is set
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
            read_bufsize=_READ_BYTES,
            trust_env=False,
            skip_auto_headers=["Accept", "Accept-Encoding"],
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._session.close()
        if self._cares:
            await self._cares.close()

    async def post(self, posting: Posting) -> Verdict:
        """Send one POST. Never raises except when cancelled: any error is the verdict."""
        started = time.monotonic()
        attempt = Attempt()
        current_attempt.set(attempt)
        failure: tuple[Failure, str] | None
        try:
            async with asyncio.timeout(self._deadline):
                failure = await self._exchange(posting, attempt)
        except Exception as error:  # noqa: BLE001  # an unexpected error must not affect other deliveries
            attempt.abort()
            failure = _judge(error, attempt)
        return Verdict(
            duration_ms=round((time.monotonic() - started) * 1000),
            error=failure[0] if failure else None,
            reason=_line(failure[1]) if failure else "",
            http_status=attempt.status,
            retry_after=attempt.retry_after,
            remote_address=attempt.remote_address,
            excerpt=bytes(attempt.body[:_EXCERPT_BYTES]).decode(errors="replace").replace("\0", "\ufffd"),
        )

    def _inspect(self, url: str) -> URL:
        destinations.inspect(url, self._allowed)
        return URL(url)

    async def _exchange(self, posting: Posting, attempt: Attempt) -> tuple[Failure, str] | None:
        response = await self._session.post(
            self._url(posting.url), data=posting.body, headers=posting.headers(), allow_redirects=False
        )
        attempt.phase = Phase.BODY
        attempt.status = response.status
        attempt.retry_after = _retry_after(response)
        try:
            if 200 <= response.status < 300:
                await _read(response, attempt.body)
                return None
            with suppress(TimeoutError, aiohttp.ClientError):
                # It failed whatever the body says; wait one second at most for text that helps the operator.
                async with asyncio.timeout(min(_REFUSAL_BODY_SECONDS, self._deadline / 2)):
                    await _read(response, attempt.body)
            return _describe_refusal(response)
        finally:
            if not response.content.at_eof():
                attempt.abort()
            response.release()


async def _read(response: aiohttp.ClientResponse, body: bytearray) -> None:
    """Read to the body's end or `_READ_BYTES`, whichever comes first."""
    while len(body) < _READ_BYTES and (chunk := await response.content.read(_READ_BYTES - len(body))):
        body += chunk


def _retry_after(response: aiohttp.ClientResponse) -> int | None:
    """Return the seconds that a busy endpoint asks us to wait, or None."""
    asked = response.headers.get("Retry-After", "").strip()
    if response.status not in _BUSY or not asked:
        return None
    if asked.isascii() and asked.isdigit():
        return min(int(asked[:9]), LONGEST_WISH_SECONDS)
    try:
        moment = parsedate_to_datetime(asked)
    except ValueError:
        return None
    seconds = (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    return max(0, min(round(seconds), LONGEST_WISH_SECONDS))


def _describe_refusal(response: aiohttp.ClientResponse) -> tuple[Failure, str]:
    if 300 <= response.status < 400:
        target = response.headers.get("Location", "")
        return Failure.REDIRECT, f"Redirected to {target}; redirects are not followed." if target else "A redirect."
    return Failure.HTTP_STATUS, f"{response.status} {response.reason or ''}"


# The first match counts; subclasses come before their base classes.
_JUDGEMENTS: Sequence[tuple[type[Exception], Failure, Callable[[Any, Attempt], str]]] = (
    (AddressRefused, Failure.ADDRESS_REFUSED, lambda error, _: error.message),
    (DestinationRefused, Failure.URL_REFUSED, lambda error, _: error.message),
    (aiohttp.InvalidURL, Failure.URL_REFUSED, lambda _error, _: "The HTTP client cannot use this URL."),
    (aiohttp.ClientConnectorCertificateError, Failure.TLS,
     lambda error, _: str(getattr(error.certificate_error, "verify_message", "") or error.certificate_error)),
    (aiohttp.ClientSSLError, Failure.TLS, lambda error, _: getattr(error.os_error, "reason", "") or str(error)),
    (aiohttp.ClientConnectorDNSError, Failure.DNS, lambda error, _: error.os_error.strerror or "No address."),
    (aiohttp.ClientConnectorError, Failure.CONNECT, lambda error, _: error.os_error.strerror or str(error)),
    (TimeoutError, Failure.TIMEOUT, lambda _error, attempt: f"Timed out: {attempt.phase}."),
    (aiohttp.ClientResponseError, Failure.PROTOCOL, lambda error, _: error.message),
    (ssl.SSLError, Failure.TLS, lambda error, _: error.reason or "TLS broke."),
    (aiohttp.ClientError, Failure.DISCONNECTED, lambda _error, attempt: f"The connection was lost: {attempt.phase}."),
    (OSError, Failure.DISCONNECTED, lambda _error, attempt: f"The connection was lost: {attempt.phase}."),
)  # fmt: skip


def _judge(error: Exception, attempt: Attempt) -> tuple[Failure, str]:
    for kind, failure, words in _JUDGEMENTS:
        if isinstance(error, kind):
            return failure, words(error, attempt)
    log.error("unexpected error in a delivery", exc_info=error)
    return Failure.INTERNAL, f"{type(error).__name__}; see the log."


def _line(text: str) -> str:
    """Return one printable line that fits the column."""
    return "".join(character if character.isprintable() else " " for character in text).strip()[:_REASON_LENGTH]
