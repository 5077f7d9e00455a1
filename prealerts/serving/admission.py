"""What nginx asks before it takes a request's body (docker/nginx/questions.conf): may this caller send one?

Each question is a GET with the head of the request it is about and without its body. nginx lets nobody else ask.
"""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

ERROR_CODE_HEADER = "X-Error-Code"
"""The code of a refusal: nginx sees no bodies of these answers, and has a file of this name with the envelope."""


@extend_schema(exclude=True)
class PasswordView(APIView):
    """204 when the `Authorization` header holds a company's API password, else 401.

    The password's shape and checksum are checked first, then the database.
    """

    def get(self, request: Request) -> Response:  # noqa: ARG002  # the password was all there was to ask
        return Response(status=204)

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        response[ERROR_CODE_HEADER] = response.data["error"]
        return response


@csrf_exempt  # there is no form: another method is a 405
@require_safe
def operator(request: HttpRequest) -> HttpResponse:
    """204 when the session belongs to an operator, else 401. What the operator may do is asked by the page itself."""
    is_operator = request.user.is_authenticated and request.user.is_staff
    return HttpResponse(status=204 if is_operator else 401)
