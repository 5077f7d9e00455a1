"""ETags: a client that sends back the tag of a response it has gets a 304 without a body if nothing has changed.

A tag is a digest of what decides the answer, read before the answer is built: it may be older than the answer, so that
the next request gets the same again, but never newer. `Cache-Control: no-store` remains: the client's program keeps the
answer, caches must not.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from django.utils.translation import get_language
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from companies.authentication import authenticate_early
from companies.countries import SERVED
from companies.limits.bucket import headers_early
from companies.models import ExtraSelect

_CONDITION = "HTTP_IF_NONE_MATCH"
"""The header's name in WSGI. `request.headers` would translate all names, for one."""


def tag_of(kind: str, *state: object) -> str:
    """Return the strong ETag of an answer.

    kind: which answer. state: what decides its content, such as the ids and versions of rows. Never a version alone: a
    MAWB that was voided and sent again begins anew.
    """
    # With another version of the API the same rows give another answer.
    decisive = [settings.API_VERSION, get_language(), kind, *map(str, state)]
    return f'"{hashlib.sha256(repr(decisive).encode()).hexdigest()[:32]}"'


def is_conditional(request: HttpRequest | Request) -> bool:
    return _CONDITION in request.META


def is_known(request: HttpRequest | Request, tag: str) -> bool:
    """Return whether the client has the answer with this tag.

    Not `get_conditional_response`: it would also evaluate If-Match and If-Unmodified-Since, and respond with 412.
    """
    # Weak comparison (RFC 9110, 13.1.2): a proxy that compresses makes a tag weak.
    known = [each.removeprefix("W/") for each in parse_etags(request.META.get(_CONDITION, ""))]
    return known == ["*"] or tag in known


def not_modified(tag: str, limits: Mapping[str, str] | None = None) -> HttpResponse:
    """Return 304. limits: the headers of the rate limit, where no DRF view adds them."""
    return HttpResponseNotModified(headers={"ETag": tag, **(limits or {})})


def answer(request: Request, tag: str, build: Callable[[], object]) -> HttpResponse:
    """Return 200 with what `build` returns, or 304 without a body if the client has the answer with this tag."""
    return not_modified(tag) if is_known(request, tag) else Response(build(), headers={"ETag": tag})


class ConditionalView(APIView):
    """A view that answers 304 by one statement (two under a rate limit), before DRF prepares the request.

    What the client does not have, and every error, is answered as in other views.
    """

    parser_classes: Sequence[type[BaseParser]] = ()  # of a GET no body is read

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's
        if request.method in {"GET", "HEAD"} and is_conditional(request):
            company = authenticate_early(request, self.state(**kwargs))
            if company is not None and not SERVED.keys().isdisjoint(company.allowed_countries):
                tag = self.tag(company.extra)
                if tag is not None and is_known(request, tag):
                    limits = headers_early(request, company)
                    if limits is not None:
                        request.user = company  # type: ignore[assignment]  # the API has no other users
                        return not_modified(tag, limits)
        return super().dispatch(request, *args, **kwargs)

    @staticmethod
    def state(**kwargs: str) -> ExtraSelect:
        """Return what reads the state that decides the answer. kwargs: as the route has them."""
        raise NotImplementedError

    @staticmethod
    def tag(state: Sequence[Any]) -> str | None:
        """Return the tag of the answer in a state that was read, or None if there is nothing to answer with."""
        raise NotImplementedError
