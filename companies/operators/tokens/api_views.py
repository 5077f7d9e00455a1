"""The base of the operators' endpoints: who asks, at what rate, with which permission; and the actor of changes."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from auditlog.context import set_actor
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from base.http.requests import client_address
from companies.authentication import bearer
from companies.errors import Forbidden, ForbiddenCountry, InvalidToken, MissingToken
from companies.limits.bucket import take_of_operator
from companies.models import OperatorSession
from companies.operators.tokens.sessions import session_of
from companies.scope import scope_of


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`: sets the operator as `request.user`, the session as `request.auth`."""

    def authenticate(self, request: Request) -> tuple[User, OperatorSession]:
        """Raises `MissingToken` or `InvalidToken`. A request is never left anonymous."""
        token = bearer(request.META)
        if token is None:
            raise MissingToken
        if not token.isascii():
            raise InvalidToken
        session = session_of(token)
        request._request.user = session.user  # noqa: SLF001  # as a middleware would
        return session.user, session

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002  # the signature is DRF's
        return "Bearer"


class OperatorThrottle(BaseThrottle):
    """One token of the operator's bucket a request."""

    def allow_request(self, request: Request, view: APIView) -> bool:  # noqa: ARG002  # the signature is DRF's
        """Return True or raise `RateLimited`."""
        take_of_operator(operator(request).pk)
        return True


class OperatorView(APIView):
    """An endpoint for operators.

    permissions: method -> the permission that it needs. Checked before the body is read.
    """

    authentication_classes: Any = [TokenAuthentication]
    throttle_classes: Any = [OperatorThrottle]
    http_method_names = ["get", "head", "post", "patch", "delete"]
    permissions: ClassVar[Mapping[str, str]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # DRF's signature
        """Raises `Forbidden` where the permission is missing, after DRF's own checks."""
        super().initial(request, *args, **kwargs)
        needed = self.permissions.get("GET" if request.method == "HEAD" else str(request.method))
        if needed and not operator(request).has_perm(needed):
            raise Forbidden(permission=needed)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's
        """Tell the audit log who acts: no middleware does, on this way."""
        actor = SimpleLazyObject(lambda: getattr(request, "user", None))
        with set_actor(actor, remote_addr=client_address(request)):
            return super().dispatch(request, *args, **kwargs)


def operator(request: Request) -> User:
    """Return the person or machine that made an authenticated request. Its name is the actor of what it does."""
    return cast("User", request.user)


def session_of_request(request: Request) -> OperatorSession:
    return cast("OperatorSession", request.auth)


def require_country(request: Request, country: str) -> None:
    """Raise `ForbiddenCountry` if `country` (alpha-2) lies outside the operator's scope."""
    if not scope_of(operator(request)).covers([country]):
        raise ForbiddenCountry(country=country)
