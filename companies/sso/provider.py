"""The provider of single sign-on: where its endpoints are, which keys sign its tokens, and questions to it.

It may be away, slow, or lie: each question has a deadline over everything and a largest answer, follows no redirect,
and no more than three are asked at once, so that a provider that hangs takes no thread that others need.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import aiohttp
import msgspec
from django.conf import settings
from django.core.cache import cache

from companies.sso.checks import is_safe
from companies.sso.refusals import ProviderAway, ProviderBroken

TOTAL_SECONDS, WAIT_SECONDS = 5, 7
"""Of a question; of a question and the wait for others before it."""
MOST_BYTES = 256 * 1024
KEPT_SECONDS = 10 * 60
"""How long what the provider publishes is used before it is asked for again."""

_METADATA, _KEYS = "sso-metadata", "sso-keys"
_ASKING = ThreadPoolExecutor(max_workers=3, thread_name_prefix="sso")

_Shape = TypeVar("_Shape")


class Metadata(msgspec.Struct, frozen=True):
    """What we use of the provider's metadata (OpenID Connect Discovery 1.0, 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    scopes_supported: list[str] = []
    token_endpoint_auth_methods_supported: list[str] = []


class KeySet(msgspec.Struct, frozen=True):
    keys: list[dict[str, Any]]


def metadata() -> Metadata:
    """Return the provider's metadata, at most ten minutes old. Raises `ProviderAway` or `ProviderBroken`."""
    kept: Metadata | None = cache.get(_METADATA)
    if kept is None:
        if not is_safe(settings.OIDC_ISSUER):
            raise ProviderBroken("issuer_without_https")
        kept = ask_for(Metadata, settings.OIDC_ISSUER + "/.well-known/openid-configuration")
        if kept.issuer.removesuffix("/") != settings.OIDC_ISSUER:
            raise ProviderBroken("metadata_of_another_issuer")
        endpoints = (kept.authorization_endpoint, kept.token_endpoint, kept.jwks_uri)
        optional = filter(None, (kept.userinfo_endpoint, kept.end_session_endpoint))
        if not all(map(is_safe, (*endpoints, *optional))):
            raise ProviderBroken("endpoint_without_https")
        cache.set(_METADATA, kept, KEPT_SECONDS)
    return kept


def keys(*, again: bool = False) -> list[dict[str, Any]]:
    """Return the provider's keys (RFC 7517), at most ten minutes old, or new ones. Raises as `metadata` does."""
    kept: list[dict[str, Any]] | None = None if again else cache.get(_KEYS)
    if kept is None:
        kept = ask_for(KeySet, metadata().jwks_uri).keys
        cache.set(_KEYS, kept, KEPT_SECONDS)
    return kept


def ask_for(shape: type[_Shape], address: str, **sent: Any) -> _Shape:  # noqa: ANN401  # aiohttp's arguments
    """GET `address`, and return its JSON in this shape. Raises `ProviderAway` or `ProviderBroken`."""
    status, body = ask("GET", address, **sent)
    if status != 200:
        raise ProviderBroken(f"status_{status}")
    return read(shape, body)


def read(shape: type[_Shape], body: bytes) -> _Shape:
    """Return JSON in this shape. Raises `ProviderBroken`."""
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, RecursionError, ValueError):  # ValueError: not UTF-8
        raise ProviderBroken("unreadable") from None


def ask(method: str, address: str, **sent: Any) -> tuple[int, bytes]:  # noqa: ANN401  # as above
    """Return status and body of the answer. Raises `ProviderAway` if there is none in time, `ProviderBroken`."""
    answer = _ASKING.submit(lambda: asyncio.run(_ask(method, address, sent)))
    try:
        status, body = answer.result(WAIT_SECONDS)
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as fault:
        answer.cancel()
        raise ProviderAway(type(fault).__name__) from None
    if status >= 500 or status == 429:
        raise ProviderAway(f"status_{status}")
    if len(body) > MOST_BYTES:
        raise ProviderBroken("too_large")
    return status, body


async def _ask(method: str, address: str, sent: dict[str, Any]) -> tuple[int, bytes]:
    deadline = aiohttp.ClientTimeout(total=TOTAL_SECONDS)
    async with (
        aiohttp.ClientSession(timeout=deadline, headers={"Accept": "application/json"}) as session,
        session.request(method, address, allow_redirects=False, **sent) as answer,
    ):
        body = b""
        async for piece in answer.content.iter_any():
            body += piece
            if len(body) > MOST_BYTES:
                break
        return answer.status, body
