"""Guessing of operators' passwords: what django-axes counts by, what it writes, and the page of who is locked out."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _


def locked_out(
    request: HttpRequest,
    _response: HttpResponse | None = None,
    _credentials: dict[str, Any] | None = None,
) -> HttpResponse:
    """The page for whoever guessed too often; the same whether there is such a user or not."""
    lock: timedelta = settings.AXES_COOLOFF_TIME
    context = {
        **admin.site.each_context(request),
        "title": _("Too many wrong passwords"),
        "minutes": round(lock.total_seconds() / 60),
    }
    response = TemplateResponse(request, "companies/locked_out.html", context, status=429)
    response["Retry-After"] = str(round(lock.total_seconds()))
    response["Cache-Control"] = "no-store"
    return response.render()


def as_logged(_username: str, ip_address: str, *_more: Any) -> str:  # noqa: ANN401  # axes' signature
    """What the log says of who guessed: the address alone, for people write passwords where names belong."""
    return f"address {ip_address}"
