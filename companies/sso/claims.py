"""What the provider says about a person, and what it means here."""

import hashlib
import json
import string
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from companies.countries import SERVED
from companies.scope import ALL_COUNTRIES

Claims = Mapping[str, Any]

USERNAME_PREFIX = "sso_"
_LETTERS = 12
_FACTORS = (
    {"pwd", "pin", "kba"},
    {"otp", "hwk", "swk", "sc", "sms", "tel"},
    {"face", "fpt", "iris", "retina", "vbm"},
)
"""Methods of RFC 8176, by what they prove: something the person knows, has, or is."""


def username_of(issuer: str, subject: str) -> str:
    """Return `sso_` and twelve letters, always the same ones for this person."""
    digest = hashlib.sha256(json.dumps([issuer, subject]).encode()).digest()
    return USERNAME_PREFIX + "".join(string.ascii_lowercase[byte % 26] for byte in digest[:_LETTERS])


def roles_and_countries(claims: Claims) -> tuple[set[str], list[str]]:
    """Return the names of the roles, and the countries as a profile stores them; either may be empty."""
    given = claims.get(settings.OIDC_ROLES_CLAIM)
    values = [value for value in (given if isinstance(given, list) else [given]) if isinstance(value, str)]
    roles = {settings.OIDC_ROLES[value] for value in values if value in settings.OIDC_ROLES}
    lists = [settings.OIDC_COUNTRIES[value] for value in values if value in settings.OIDC_COUNTRIES]
    if ALL_COUNTRIES in lists:
        return roles, [ALL_COUNTRIES]
    return roles, [code for code in SERVED if any(code in each for each in lists)]


def has_second_factor(claims: Claims) -> bool:
    """Whether the provider says that it asked for two factors: `mfa`, or methods of two kinds."""
    given = claims.get("amr")
    methods = {method for method in given if isinstance(method, str)} if isinstance(given, list) else set()
    return "mfa" in methods or sum(not methods.isdisjoint(kind) for kind in _FACTORS) > 1


def name_and_email(claims: Claims) -> dict[str, str]:
    """Return the fields of a new user: the name, and the e-mail only if the provider has verified it."""
    first, last = _text(claims, "given_name"), _text(claims, "family_name")
    if not first and not last:
        first = _text(claims, "name") or _text(claims, "preferred_username")
    email = _text(claims, "email") if claims.get("email_verified") is True else ""
    try:
        validate_email(email)
    except ValidationError:
        email = ""
    return {"first_name": first, "last_name": last, "email": email}


def _text(claims: Claims, name: str) -> str:
    """Return a claim as a user's field can store it: printable, and not too long."""
    value = claims.get(name)
    return "".join(filter(str.isprintable, value))[:150].strip() if isinstance(value, str) else ""
