"""`/docs/openapi.json` and the page that shows it. Both can be switched off (`API_DOCS`)."""

from django.contrib.admin import site
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe
from rest_framework.request import Request

from base.errors import DomainError
from companies.operators.tokens.api_views import TokenAuthentication
from prealerts.documentation.views import navigation, require_docs
from prealerts.middleware import api_headers


@csrf_exempt  # there is no form: another method is a 405
@require_safe
@gzip_page
@conditional_page
def openapi(request: HttpRequest) -> HttpResponse:
    """The document, with this very service as its server. `?webhooks=off`: without what the service sends by itself,
    for generators that make broken names of it."""
    from prealerts.reference.document import encode_document  # noqa: PLC0415  # workers that are never asked do not load it

    require_docs()
    body = encode_document(request.build_absolute_uri("/").rstrip("/"), request.GET.get("webhooks") != "off")
    headers = {**api_headers(), "Cache-Control": "public, max-age=300"}
    return HttpResponse(body, content_type="application/json", headers=headers)


@require_safe
def operators(request: HttpRequest) -> HttpResponse:
    """The operators' document, for operators and their programs; nobody else learns that there is one."""
    from prealerts.reference.document import encode_operators_document  # noqa: PLC0415  # as above

    require_docs()
    if not (site.has_permission(request) or _has_token(request)):
        raise Http404
    body = encode_operators_document(request.build_absolute_uri("/").rstrip("/"))
    return HttpResponse(body, content_type="application/json", headers={"Cache-Control": "private, no-store"})


def _has_token(request: HttpRequest) -> bool:
    """Whether the request has a token of the operators' API."""
    try:
        TokenAuthentication().authenticate(Request(request))
    except DomainError:
        return False
    return True


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """The page: scripts and styles of our own origin only, nothing inline."""
    require_docs()
    return render(request, "prealerts/reference.html", {"here": "api", **navigation("en")})
