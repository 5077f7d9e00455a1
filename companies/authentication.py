"""Authenticate a company by `Authorization: Bearer <API_PASSWORD>`."""

import re
from collections.abc import Mapping
from typing import Any, cast

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from base.errors import DomainError
from companies.errors import MissingApiKey
from companies.models import Company, ExtraSelect

_BLANKS = re.compile(r"[ \t]+")


class BearerPasswordAuthentication(BaseAuthentication):
    """Find the company by its password and set it as `request.user`; the API has no other users.

    The scheme is case-insensitive (RFC 9110, 11.1). Anything other than two words, the first of them Bearer, is
    `missing_api_key`; a password of no active company is `invalid_api_key`. Only ASCII whitespace separates words:
    any other space is part of the adjacent word, and makes the password invalid.
    """

    def authenticate(self, request: Request) -> tuple[Company, None]:
        """Return the company; raise `MissingApiKey` or `InvalidApiKey`. A request is never left anonymous."""
        early = getattr(request._request, _EARLY, None)  # noqa: SLF001  # DRF's own name for Django's request
        if isinstance(early, Exception):
            raise early
        return early or company_of(request.META), None

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002  # the signature is DRF's
        return "Bearer"


_EARLY = "early_caller"


def authenticate_early(request: HttpRequest, extra: ExtraSelect) -> Company | None:
    """Return the company before DRF has the request, with `extra` read in the same statement; None if that fails.

    The authentication by DRF then gives the same company, or raises the same exception.
    """
    try:
        early: Company | Exception = company_of(request.META, extra)
    except (DomainError, DatabaseError, InterfaceError) as exc:
        early = exc
    setattr(request, _EARLY, early)
    return early if isinstance(early, Company) else None


def company_of(headers: Mapping[str, Any], extra: ExtraSelect | None = None) -> Company:
    """Return the company whose password a request's headers have, by their names in WSGI, and note its use.

    Raises `MissingApiKey` or `InvalidApiKey`.
    """
    password = bearer(headers)
    if password is None:
        raise MissingApiKey
    company = Company.with_password(password, extra)
    company.note_use()
    return company


def bearer(headers: Mapping[str, Any]) -> str | None:
    """Return what follows Bearer in the `Authorization` of `headers`; None if that is not exactly one word."""
    words = _BLANKS.split(headers.get("HTTP_AUTHORIZATION", "").strip(" \t"))
    return words[1] if len(words) == 2 and words[0].lower() == "bearer" else None


def caller(request: Request) -> Company:
    return cast("Company", request.user)
