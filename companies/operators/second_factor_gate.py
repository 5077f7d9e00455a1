"""Require the second factor for every page of the admin, if the settings enable it."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from companies.admin_base.admin_area import is_admin_request
from companies.operators.second_factor import authenticator_of, is_verified

_OPEN = ("admin:login", "admin:logout", "second-factor-verify", "second-factor-enrol", "second-factor-qr")


class SecondFactorMiddleware:
    """Redirect sessions that have only verified a password to the page that asks for the code.

    Decides by path, not by view, so that new pages of the admin are protected automatically. Comes after django-otp's
    middleware, which determines whether this session has verified its second factor.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.ADMIN_SECOND_FACTOR and is_admin_request(request) and self._is_half(request):
            return HttpResponseRedirect(self._where_to(request))
        return self.get_response(request)

    @staticmethod
    def _is_half(request: HttpRequest) -> bool:
        """Whether this session has a user without a verified second factor, and requests a page that needs it."""
        if request.path in {reverse(name) for name in _OPEN}:
            return False
        return request.user.is_authenticated and not is_verified(request.user)

    @staticmethod
    def _where_to(request: HttpRequest) -> str:
        assert not isinstance(request.user, AnonymousUser)  # noqa: S101  # see `_is_half`
        page = "second-factor-verify" if authenticator_of(request.user) else "second-factor-enrol"
        query = urlencode({"next": request.get_full_path()}) if request.method == "GET" else ""
        return f"{reverse(page)}?{query}" if query else reverse(page)
