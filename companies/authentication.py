"""Authenticate a company by `Authorization: Bearer <API_PASSWORD>`."""

import re
from typing import cast

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from companies.errors import MissingApiKey
from companies.models import Company

_BLANKS = re.compile(r"[ \t]+")


class BearerPasswordAuthentication(BaseAuthentication):
    """Find the company by its password and set it as `request.user`; the API has no other users.

    The scheme is case-insensitive (RFC 9110, 11.1). Anything other than two words, the first of them Bearer, is
    `missing_api_key`; a password of no active company is `invalid_api_key`. Only ASCII whitespace separates words:
    any other space is part of the adjacent word, and makes the password invalid.
    """

    def authenticate(self, request: Request) -> tuple[Company, None]:
        """Return the company; raise `MissingApiKey` or `InvalidApiKey`. A request is never left anonymous."""
        words = _BLANKS.split(request.META.get("HTTP_AUTHORIZATION", "").strip(" \t"))
        if len(words) != 2 or words[0].lower() != "bearer":
            raise MissingApiKey
        company = Company.objects.with_password(words[1])
        company.note_use()
        return company, None

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002  # the signature is DRF's
        return "Bearer"


def caller(request: Request) -> Company:
    """Return the company that made an authenticated request."""
    return cast("Company", request.user)
