"""`/api/operators/v1/tokens` and `me`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import FormParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from base.db.moments import iso_text
from base.errors import InvalidBody, Translatable
from base.http.requests import client_address
from companies.errors import InvalidCredentials, TokenRequestInvalid
from companies.models import OperatorSession
from companies.models.operators import is_machine
from companies.operators.tokens import credentials
from companies.operators.tokens.api_views import OperatorView, operator, session_of_request
from companies.operators.tokens.sessions import open_session, token_of
from companies.scope import scope_of

LONGEST = 4_096
"""Characters of a field; as Django's forms have it for passwords."""


class Token(TypedDict):
    """A token, in the names of RFC 6749."""

    success: Literal[True]
    access_token: Annotated[str, "Send it as `Authorization: Bearer <access_token>`."]
    token_type: Literal["Bearer"]
    expires_in: Annotated[int, "Seconds. A person's token ends before that after a while without a call."]


class Me(TypedDict):
    """Who the token speaks for, and what they may at this moment."""

    username: Annotated[str, "The actor of what is done with the token; of a machine `access:` and its name."]
    kind: Annotated[str, "`person` or `machine`."]
    roles: list[str]
    countries: Annotated[list[str] | None, "Alpha-2; null: all, including any added later."]
    permissions: list[str]
    expires_at: Annotated[str, "When the token expires; UTC."]


class TokensView(APIView):
    """`POST tokens`: a token for credentials, as RFC 6749 has it, in JSON or as a form."""

    authentication_classes: Any = []
    permission_classes: Any = []
    throttle_classes: Any = []
    parser_classes: Any = [*api_settings.DEFAULT_PARSER_CLASSES, FormParser]
    http_method_names = ["post"]

    def handle_exception(self, exc: Exception) -> Response:
        """Add RFC 6749's names (5.2) to the refusal, for OAuth libraries. `error` stays this API's code."""
        response = super().handle_exception(exc)
        if name := _oauth_error(self.request, exc):
            response.data |= {"oauth_error": name, "error_description": response.data["message"]}
        return response

    def post(self, request: Request) -> Response:
        sent, asked = _read_body(request), request._request  # noqa: SLF001  # DRF's own name
        if sent.get("grant_type") == "password":
            user = credentials.person(asked, **_texts(sent, ["username", "password"], ["otp"]))
            session = open_session(user, client_address(asked))
        elif sent.get("grant_type") == "client_credentials":
            basic = credentials.of_basic(request.META.get("HTTP_AUTHORIZATION", ""))
            if basic and "client_secret" not in sent:
                sent = {**sent, "client_id": basic[0], "client_secret": basic[1]}
            access = credentials.machine(**_texts(sent, ["client_id", "client_secret"]))
            session = open_session(access.user, client_address(asked), access)
        else:
            raise TokenRequestInvalid(details={"grant_type": [Translatable("Must be password or client_credentials.")]})
        user_logged_in.send(sender=User, request=asked, user=session.user)
        seconds = round((session.expires_at - session.created_at).total_seconds())
        token = Token(success=True, access_token=token_of(session), token_type="Bearer", expires_in=seconds)  # noqa: S106  # its type
        return Response(token)


class CurrentTokenView(OperatorView):
    """`DELETE tokens/current`: the token is dead."""

    def delete(self, request: Request) -> Response:
        OperatorSession.objects.filter(pk=session_of_request(request).pk).end()
        return Response(status=204)


class MeView(OperatorView):
    """`GET me`."""

    def get(self, request: Request) -> Response:
        user = operator(request)
        countries = scope_of(user).countries
        me: Me = {
            "username": user.get_username(),
            "kind": "machine" if is_machine(user) else "person",
            "roles": sorted(user.groups.values_list("name", flat=True)),
            "countries": None if countries is None else sorted(countries),
            "permissions": sorted(user.get_all_permissions()),
            "expires_at": iso_text(session_of_request(request).expires_at),
        }
        return Response(me)


def _oauth_error(request: Request, refusal: Exception) -> str:
    """The name of a refusal in RFC 6749; empty for one that it has no name for."""
    if isinstance(refusal, InvalidCredentials):
        return "invalid_grant" if _read_body(request).get("grant_type") == "password" else "invalid_client"
    if isinstance(refusal, TokenRequestInvalid):
        is_known = "grant_type" not in refusal.details or not isinstance(_read_body(request).get("grant_type"), str)
        return "invalid_request" if is_known else "unsupported_grant_type"
    return "invalid_request" if isinstance(refusal, (InvalidBody, ParseError)) else ""


def _read_body(request: Request) -> Mapping[str, object]:
    try:
        data = request.data if request.stream else {}
    except UnsupportedMediaType:
        raise TokenRequestInvalid("Send JSON, or a form as application/x-www-form-urlencoded.") from None
    if not isinstance(data, Mapping):
        raise TokenRequestInvalid("The body must be one JSON object, or a form.")
    return {name: data[name] for name in data}  # of a form's repeated field the last


def _texts(sent: Mapping[str, object], required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, str]:
    """Return fields that must be texts. Others are ignored (RFC 6749, 3.2). Raises `TokenRequestInvalid`."""
    details: dict[str, list[str]] = {}
    for name in (*required, *optional):
        value = sent.get(name)
        if value is None and name in optional:
            continue
        if name in required and (value is None or value == ""):
            details[name] = ["This field is required."]
        elif not isinstance(value, str) or len(value) > LONGEST or "\0" in value:
            details[name] = [f"Must be a text of at most {LONGEST:,} characters."]
    if details:
        raise TokenRequestInvalid(details=details)
    return {name: str(sent.get(name) or "") for name in (*required, *optional)}
