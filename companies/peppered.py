"""Digests under the pepper: what a stolen database holds of a secret is of no use without the environment."""

import hashlib
import hmac

from django.conf import settings


def peppered(purpose: str, value: str) -> bytes:
    """32 bytes that follow from `value` and the pepper. purpose: keeps digests of different kinds apart."""
    return hmac.new(settings.API_PASSWORD_PEPPER.encode(), f"{purpose}:{value}".encode(), hashlib.sha256).digest()
