"""Subrequests by which nginx checks a caller before it accepts a request body (docker/nginx/questions.conf).

Each is a GET with the headers of the original request, without its body. nginx allows no other access to them.
A 204 names the sender in `SENDER_HEADER`, by which nginx counts bodies in progress (docker/nginx/limits.conf).
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from companies.authentication import caller
from companies.errors import InvalidApiKey, MistypedApiKey, OtherServicesApiKey
from companies.operators.tokens.api_views import TokenAuthentication, operator as operator_of

ANSWER_HEADER = "X-Error-Code"
"""Header with the name of nginx's file with the envelope, because nginx ignores the bodies of subrequests."""
SENDER_HEADER = "X-Sender"


class PasswordView(APIView):
    """204 if the `Authorization` header contains a company's API password, else 401.

    Format and checksum of the password are checked first, then the database. It takes no token of the
    company's rate limit: the request that nginx asks about does.
    """

    throttle_classes = ()

    def get(self, request: Request) -> Response:
        return Response(status=204, headers={SENDER_HEADER: f"company {caller(request).pk}"})

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        is_malformed = isinstance(exc, InvalidApiKey) and exc.message != exc.default_message
        response[ANSWER_HEADER] = "malformed_api_key" if is_malformed else response.data["error"]
        if isinstance(exc, MistypedApiKey):
            response[ANSWER_HEADER] = "mistyped_api_key"
        if isinstance(exc, OtherServicesApiKey):
            response[ANSWER_HEADER] = "live_api_key" if settings.SANDBOX else "sandbox_api_key"
        return response


class TokenView(APIView):
    """204 if the `Authorization` header contains a token of the operators' API, else 401."""

    authentication_classes = (TokenAuthentication,)
    throttle_classes = ()

    def get(self, request: Request) -> Response:
        return Response(status=204, headers={SENDER_HEADER: f"operator {operator_of(request).pk}"})

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        response[ANSWER_HEADER] = response.data["error"]
        return response


@csrf_exempt  # no form: other methods get a 405
@require_safe
def operator(request: HttpRequest) -> HttpResponse:
    """204 if the session belongs to an operator, else 401. Permissions are checked by the page itself."""
    is_operator = request.user.is_authenticated and request.user.is_staff
    if not is_operator:
        return HttpResponse(status=401)
    return HttpResponse(status=204, headers={SENDER_HEADER: f"operator {request.user.pk}"})
