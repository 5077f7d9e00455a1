"""Operators' logins, failed ones included, the page where they are limited, and how long a session lasts."""

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

import structlog
from auditlog.models import LogEntry
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext

from base.errors import RateLimited
from base.http.requests import client_address, is_admin_request
from companies.errors import InvalidCredentials, PasswordsBusy
from companies.limits.attempts import attempt, remember_browser
from companies.operators.local_passwords import alarm_at_break_glass

log = structlog.get_logger(__name__)


def keep_logins() -> None:
    user_logged_in.connect(_log_login, dispatch_uid="companies.operators.logins")
    user_login_failed.connect(_log_failed_login, dispatch_uid="companies.operators.logins")


def _log_login(request: HttpRequest, user: User, **_more: Any) -> None:  # noqa: ANN401  # Django's signal
    """Log it, and store when the session begins, which is saved now anyway. A token of the API has none."""
    if hasattr(request, "session"):
        request.session[BEGAN] = request.session[SEEN] = int(timezone.now().timestamp())
    LogEntry.objects.log_create(
        instance=user,
        force_log=True,
        action=LogEntry.Action.ACCESS,
        changes={},
        actor=user,
        remote_addr=client_address(request),
        additional_data={"event": "login"},
    )
    log.info("operator_logged_in", user_id=user.pk)
    alarm_at_break_glass(request, user)


def _log_failed_login(request: HttpRequest | None = None, **_more: Any) -> None:  # noqa: ANN401  # as above
    """Logged without the user name: people type passwords into that field."""
    log.warning("operator_turned_away", address=client_address(request) if request is not None else None)


def login_page(request: HttpRequest) -> HttpResponseBase:
    """Show and process the form; what it refuses counts as refused attempts do everywhere."""
    offered = {
        "provider": provider_name(),
        "provider_query": "?" + urlencode({"next": request.GET.get("next", "")}),
        "passwords": settings.LOCAL_PASSWORDS,
        "break_glass": bool(settings.BREAK_GLASS_USER),
    }
    if request.method != "POST":
        return admin.site.login(request, offered)
    username = User.normalize_username(request.POST.get("username", "").strip())  # as the form does
    return answer_attempt(request, username, lambda: admin.site.login(request, offered))


def logout_page(request: HttpRequest) -> HttpResponseBase:
    """End the session, and say where the one at the provider ends."""
    return admin.site.logout(request, {"provider": provider_name()})


def provider_name() -> str:
    """Return how pages call the provider of single sign-on: by its host; empty if there is none."""
    return str(settings.OIDC_ISSUER).rpartition("://")[2].partition("/")[0]


def answer_attempt(request: HttpRequest, username: str, view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return the answer of `view`, which hashes the password of `username`; a redirect says that it was the right one.

    If there were too many attempts, or there are now, a page says so, the same whether the user exists or not.
    """
    try:
        with attempt(request, username):
            response = view()
            if response.status_code != HTTPStatus.FOUND:
                raise InvalidCredentials  # noqa: TRY301  # by which the attempt counts
    except InvalidCredentials:
        return response
    except RateLimited as limited:
        title = gettext("Too many wrong passwords")
        seconds, status = limited.retry_after_seconds, HTTPStatus.TOO_MANY_REQUESTS
    except PasswordsBusy as busy:
        title = gettext("Too many people are logging in at this moment")
        seconds, status = busy.retry_after_seconds, HTTPStatus.SERVICE_UNAVAILABLE
    else:
        remember_browser(response, username)
        return response
    context = {**admin.site.each_context(request), "title": title, "seconds": seconds, "status": status}
    page = TemplateResponse(request, "companies/login_limited.html", context, status=status)
    page["Retry-After"] = str(seconds)
    page["Cache-Control"] = "no-store"
    return page


BEGAN, SEEN = "session_began", "session_seen"
_NOTED_EVERY = 60
"""Seconds between updates, so that a busy operator does not turn every page into a write."""


class WayBackMiddleware(MiddlewareMixin):
    """Lead whoever has to log in, or to enter a code, back to the page that was open, and not to what it requested.

    htmx puts what it receives into a part of the page, a login page too, so it is told to leave the page instead. A
    form is often sent to an address that has no page: after the login that would be a bare 405.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_htmx = "HX-Request" in request.headers
        address = request.headers.get("HX-Current-URL" if is_htmx else "Referer", "")
        is_led = isinstance(response, HttpResponseRedirect) and is_admin_request(request)
        if not is_led or not (is_htmx or (request.method == "POST" and address)):
            return response
        gates = {reverse(name) for name in ("admin:login", "second-factor-verify", "second-factor-enrol")}
        place, page = response["Location"], _page_of(address)
        gate = urlsplit(place).path
        if gate in gates and urlsplit(page).path not in gates:
            place = redirect_to_login(page, gate).url
        if is_htmx:
            return HttpResponse(headers={"HX-Redirect": place})
        response["Location"] = place
        return response


def _page_of(address: str) -> str:
    """Return the path and query of a page of the admin; the start page for any other address."""
    start = reverse("admin:index")
    with suppress(ValueError):  # an invalid host
        parts = urlsplit(address)
        if parts.path.startswith(start):
            return parts._replace(scheme="", netloc="", fragment="").geturl()
    return start


class SessionLimitsMiddleware(MiddlewareMixin):
    """End sessions that were idle for too long or have reached their maximum age; the login page says why.

    Django's sessions expire some time after they were last saved, which a session that is saved often never reaches.
    """

    def process_request(self, request: HttpRequest) -> None:
        if not is_admin_request(request) or not request.user.is_authenticated:
            return
        now = int(timezone.now().timestamp())
        began = request.session.setdefault(BEGAN, now)
        seen = request.session.setdefault(SEEN, now)
        is_over = now - began >= settings.SESSION_COOKIE_AGE
        if is_over or now - seen >= settings.SESSION_IDLE_MINUTES * 60:
            logout(request)
            why = (
                gettext("Your session reached its maximum length.")
                if is_over
                else gettext("You were inactive for a while.")
            )
            messages.info(request, why + " " + gettext("Please log in again."))
        elif now - seen >= _NOTED_EVERY:
            request.session[SEEN] = now
