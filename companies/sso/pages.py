"""The three addresses of single sign-on: to the provider, back from it, and out of it."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import structlog
from django.conf import settings
from django.contrib import admin, auth
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView

from base.http.requests import client_address
from companies.operators.logins import provider_name
from companies.operators.second_factor import BY_PROVIDER
from companies.sso import provider
from companies.sso.refusals import LoginExpired, LoginRefused, ProviderAway, ProviderBroken, ProviderRefused

log = structlog.get_logger(__name__)

_RETRY_AFTER_SECONDS = 30
_ERRORS = {"access_denied": ProviderRefused, "login_required": ProviderRefused, "interaction_required": ProviderRefused,
           "consent_required": ProviderRefused, "server_error": ProviderAway, "temporarily_unavailable": ProviderAway,
}  # fmt: skip
"""What its errors mean (RFC 6749, 4.1.2.1; OpenID Connect Core 1.0, 3.1.2.6). Any other is a fault of the setup."""


def urls() -> list[URLPattern]:
    return [
        path("login/", LoginView.as_view(), name="sso-login"),
        path("callback/", CallbackView.as_view(), name="sso-callback"),
        path("logout/", LogoutView.as_view(), name="sso-logout"),
    ]


@method_decorator(never_cache, name="dispatch")
class SingleSignOnView(View):
    """A view that answers a `LoginRefused` with a page in words; there is none without a provider."""

    http_method_names = ["get"]

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  # Django's signature
        View.__init__(self, **options)  # without the library's settings: the metadata has them

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401  # as above
        if not settings.OIDC_ISSUER:
            raise Http404
        try:
            return super().dispatch(request, *args, **kwargs)
        except LoginRefused as refusal:
            return _refusal_page(request, refusal)


class LoginView(SingleSignOnView, OIDCAuthenticationRequestView):
    """Send the browser to the provider, with a state, a nonce and PKCE that the session remembers."""

    def get(self, request: HttpRequest) -> HttpResponse:
        self.OIDC_OP_AUTH_ENDPOINT = provider.metadata().authorization_endpoint
        self.OIDC_RP_CLIENT_ID = settings.OIDC_CLIENT_ID
        response: HttpResponse = super().get(request)  # type: ignore[no-untyped-call]  # the library has no types
        return response

    def get_extra_params(self, request: HttpRequest) -> dict[str, str]:  # noqa: ARG002  # the library's signature
        """Ask for the roles as a scope, too, where the provider has one of that name; others would refuse it."""
        claim = settings.OIDC_ROLES_CLAIM
        is_scope = claim in provider.metadata().scopes_supported
        return {"scope": f"{settings.OIDC_RP_SCOPES} {claim}"} if is_scope else {}


class CallbackView(SingleSignOnView, OIDCAuthenticationCallbackView):
    """Take the provider's answer, which belongs to a state of this session that counts once."""

    def get(self, request: HttpRequest) -> HttpResponse:
        if error := request.GET.get("error"):
            if request.session.get("oidc_states", {}).pop(request.GET.get("state"), None):
                request.session.modified = True
            raise _ERRORS.get(error, ProviderBroken)(f"error_{error[:40]}")
        try:
            response: HttpResponse = super().get(request)  # type: ignore[no-untyped-call]  # as above
        except SuspiciousOperation:
            raise LoginExpired("unknown_state") from None
        return response

    def login_failure(self) -> HttpResponse:
        raise LoginExpired("no_state")

    def login_success(self) -> HttpResponse:
        """Log in under a new session id. Django keeps it if the same operator was logged in already."""
        page = self.success_url
        auth.login(self.request, self.user)
        self.request.session.cycle_key()
        self.request.session[BY_PROVIDER] = self.request.has_providers_second_factor  # type: ignore[attr-defined]  # of the backend
        return HttpResponseRedirect(page)


class LogoutView(SingleSignOnView):
    """Lead to the provider's own logout, for a shared machine: ours ends the session here, and not the one there."""

    def get(self, request: HttpRequest) -> HttpResponse:
        endpoint, login = provider.metadata().end_session_endpoint, reverse("admin:login")
        if not endpoint:
            return HttpResponseRedirect(login)
        back = {"client_id": settings.OIDC_CLIENT_ID, "post_logout_redirect_uri": request.build_absolute_uri(login)}
        return HttpResponseRedirect(f"{endpoint}?{urlencode(back)}")


def _refusal_page(request: HttpRequest, refusal: LoginRefused) -> HttpResponse:
    address = client_address(request)
    log.warning("sso_refused", refusal=type(refusal).__name__, reason=refusal.why, address=address)
    context = {
        **admin.site.each_context(request),
        "title": refusal.title,
        "text": str(refusal.text) % {"provider": provider_name(), **refusal.details},
        "has_session": request.user.is_authenticated,
    }
    page = TemplateResponse(request, "companies/login_refused.html", context, status=refusal.status)
    if refusal.status == HTTPStatus.SERVICE_UNAVAILABLE:
        page["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return page.render()
