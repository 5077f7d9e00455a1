"""No page of the admin without the second factor, where the settings ask for it."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from companies.operators.admin_area import is_at_the_desk
from companies.operators.second_factor import authenticator_of, is_verified

_OPEN = ("admin:login", "admin:logout", "second-factor-verify", "second-factor-enrol", "second-factor-qr")


class SecondFactorMiddleware:
    """Lead whoever has proved only a password to the page that asks for the code.

    By the address and not by the view: a page that is added to the admin is behind the gate without saying so. Comes
    after django-otp's middleware, which tells whether this session has proved more.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.ADMIN_SECOND_FACTOR and is_at_the_desk(request) and self._is_half(request):
            return HttpResponseRedirect(self._where_to(request))
        return self.get_response(request)

    @staticmethod
    def _is_half(request: HttpRequest) -> bool:
        """Whether this session knows a user, has not proved the second factor, and asks for more than to do so."""
        if request.path in {reverse(name) for name in _OPEN}:
            return False
        return request.user.is_authenticated and not is_verified(request.user)

    @staticmethod
    def _where_to(request: HttpRequest) -> str:
        assert not isinstance(request.user, AnonymousUser)  # noqa: S101  # told by `_is_half`
        page = "second-factor-verify" if authenticator_of(request.user) else "second-factor-enrol"
        query = urlencode({"next": request.get_full_path()}) if request.method == "GET" else ""
        return f"{reverse(page)}?{query}" if query else reverse(page)
