"""Digests keyed with the pepper: without it, a secret's digest in a stolen database is useless."""

import hashlib
import hmac

from django.conf import settings


def peppered(purpose: str, value: str) -> bytes:
    """Return a 32-byte digest of `value` keyed with the pepper. purpose: keeps digests of different kinds apart."""
    return hmac.new(settings.API_PASSWORD_PEPPER.encode(), f"{purpose}:{value}".encode(), hashlib.sha256).digest()
