"""`Authorization: Bearer <API_PASSWORD>`: which company is calling."""

import re
from typing import cast

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from companies.errors import MissingApiKey
from companies.models import Company

_BLANKS = re.compile(r"[ \t]+")


class BearerPasswordAuthentication(BaseAuthentication):
    """Find the company by its password; `request.user` is the company, for there are no other users here.

    The scheme is matched without case (RFC 9110, 11.1). Anything that is not two words, the first of them Bearer,
    is `missing_api_key`; a password of no active company is `invalid_api_key`. Only ASCII blanks separate words: any
    other space belongs to the word beside it, and makes a wrong password of it.
    """

    def authenticate(self, request: Request) -> tuple[Company, None]:
        """Arguments: the request. Raises `MissingApiKey`, `InvalidApiKey`; never leaves a request anonymous."""
        words = _BLANKS.split(request.META.get("HTTP_AUTHORIZATION", "").strip(" \t"))
        if len(words) != 2 or words[0].lower() != "bearer":
            raise MissingApiKey
        company = Company.objects.with_password(words[1])
        company.note_use()
        return company, None

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002  # the signature is DRF's
        return "Bearer"


def caller(request: Request) -> Company:
    """The company behind an authenticated request."""
    return cast("Company", request.user)
