"""The code flow of mozilla-django-oidc, with a stricter check of tokens and our own rule of who is who.

The library finds accounts by e-mail, makes one for whoever comes, believes tokens of any issuer and for anybody, and
goes on with sessions of deactivated accounts: all four are replaced here.
"""

import time
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import aiohttp
import jwt
import msgspec
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from mozilla_django_oidc.auth import OIDCAuthenticationBackend

from companies.models.operators import is_subject
from companies.sso import operators, provider
from companies.sso.claims import Claims, has_second_factor
from companies.sso.refusals import ProviderBroken, TokenRefused

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""None that a client's secret or a public key could forge."""
_REQUIRED = ["iss", "sub", "aud", "exp", "iat"]
_LEEWAY_SECONDS = 10
"""The most that the provider's clock and ours may differ."""
_OLDEST_SECONDS = 10 * 60
"""The age of a token that was made for this login. Entra ID dates its tokens five minutes back."""
_MALFORMED = (jwt.PyJWTError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
"""What PyJWT and cryptography raise on tokens and keys that are none."""


class Tokens(msgspec.Struct, frozen=True):
    id_token: str
    access_token: str | None = None


class Refusal(msgspec.Struct, frozen=True):
    error: str = ""


class SingleSignOn(OIDCAuthenticationBackend):
    """Let in whom the provider vouches for. Raises a `LoginRefused` instead of returning nobody."""

    get_user = ModelBackend.get_user

    def __init__(self) -> None:
        self.OIDC_RP_CLIENT_ID = settings.OIDC_CLIENT_ID
        self.OIDC_RP_CLIENT_SECRET = settings.OIDC_CLIENT_SECRET
        self.UserModel = User

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:  # type: ignore[override]  # noqa: ANN401  # as the library's
        """Take what our callback passes, and no form: `code` and `state` can stand in any page's address."""
        if "nonce" not in credentials:
            return None
        user: User | None = super().authenticate(request, **credentials)  # type: ignore[no-untyped-call]  # no types
        return user

    def get_token(self, payload: dict[str, str]) -> dict[str, str | None]:
        """Exchange the code. Raises `TokenRefused` if it is not worth anything, `ProviderAway`, `ProviderBroken`."""
        about = provider.metadata()
        headers = {}
        if "client_secret_post" not in about.token_endpoint_auth_methods_supported:  # then RFC 6749, 2.3.1
            name, secret = quote(payload["client_id"], safe=""), quote(payload.pop("client_secret"), safe="")
            headers["Authorization"] = aiohttp.encode_basic_auth(name, secret)
        status, body = provider.ask("POST", about.token_endpoint, data=payload, headers=headers)
        if status != 200:
            error = provider.read(Refusal, body).error
            raise TokenRefused(error) if error == "invalid_grant" else ProviderBroken(f"token_status_{status}")
        return msgspec.structs.asdict(provider.read(Tokens, body))

    def verify_token(self, token: str, nonce: str | None = None, **_more: Any) -> Claims:  # noqa: ANN401  # the library's signature
        """Return the claims of an ID token (OpenID Connect Core 1.0, 3.1.3.7). Raises `TokenRefused`."""
        try:
            try:
                claims = _verify(token, provider.keys())
            except jwt.InvalidSignatureError:  # perhaps by a key that is newer than ours
                claims = _verify(token, provider.keys(again=True))
        except _MALFORMED as fault:
            raise TokenRefused(type(fault).__name__) from None
        if not nonce or not constant_time_compare(str(claims.get("nonce")), nonce):
            raise TokenRefused("nonce")
        if int(claims["iat"]) < time.time() - _OLDEST_SECONDS:
            raise TokenRefused("iat")
        if not is_subject(claims["sub"]):
            raise TokenRefused("sub")
        is_for_several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if is_for_several else settings.OIDC_CLIENT_ID) != settings.OIDC_CLIENT_ID:
            raise TokenRefused("azp")
        return claims

    def get_userinfo(self, access_token: str | None, id_token: str, payload: Claims) -> Claims:  # noqa: ARG002  # the library's signature
        """Return what else the provider says of the same person. Raises `TokenRefused` if it is about another one."""
        address = provider.metadata().userinfo_endpoint
        if not address or not access_token:
            return {}
        headers = {"Authorization": f"Bearer {access_token}"}
        claims = provider.ask_for(dict[str, Any], address, headers=headers)
        if claims.get("sub") != payload["sub"]:
            raise TokenRefused("userinfo_of_another")
        return claims

    def get_or_create_user(self, access_token: str | None, id_token: str, payload: Claims) -> User:
        """Return the operator; of a claim in both places, the signed one counts."""
        user = operators.admit(self.request, {**self.get_userinfo(access_token, id_token, payload), **payload})
        self.request.has_providers_second_factor = has_second_factor(payload)  # for the session, which begins later
        return user


def _verify(token: str, keys: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the claims. Raises one of `_MALFORMED`, of which `InvalidSignatureError` if none of `keys` signed it."""
    header = jwt.get_unverified_header(token)
    algorithm = header["alg"]
    if algorithm not in ALGORITHMS:
        raise jwt.InvalidAlgorithmError
    for key in keys:
        if header.get("kid") not in (None, key.get("kid")) or key.get("alg", algorithm) != algorithm:
            continue
        with suppress(jwt.InvalidSignatureError, jwt.InvalidKeyError):
            return jwt.decode(
                token,
                jwt.PyJWK(key, algorithm),
                algorithms=[algorithm],
                issuer=provider.metadata().issuer,
                audience=settings.OIDC_CLIENT_ID,
                leeway=_LEEWAY_SECONDS,
                options={"require": _REQUIRED, "enforce_minimum_key_length": True},
            )
    raise jwt.InvalidSignatureError
