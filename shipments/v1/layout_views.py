"""Layouts: the columns of a client's workbooks, and what the client says of them."""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from base.errors import Translatable
from companies import passwords
from companies.authentication import caller
from companies.countries import SERVED
from companies.errors import CompanyIsCourier
from companies.models import Company
from shipments.layouts.answering import answer_layout
from shipments.models import Layout
from shipments.v1.answer_types import LayoutList
from shipments.v1.answers import layout_answer
from shipments.v1.bodies import StrictJsonParser, read_json_body
from shipments.v1.conditional import answer, tag_of
from shipments.v1.queries import LayoutQuery, find_by_id, read_page


class _AnswersParser(StrictJsonParser):
    """docker/nginx takes as much."""

    most_kilobytes = 256


class LayoutListView(APIView):
    """`GET layouts`: those of the caller's workbooks, newest first."""

    def get(self, request: Request) -> HttpResponse:
        company = _client(request)
        asked = LayoutQuery.read(request.query_params)
        rows = Layout.objects.of(company).filter(**asked.filters).prefetch_related("answers")
        page, cursor = read_page(rows, asked, ("-first_seen_at", "-id"), company=company.pk, list="layouts")
        listed: LayoutList = {"layouts": [layout_answer(each) for each in page], "next_cursor": cursor}
        return answer(request, tag_of("layouts", listed), lambda: listed)


class LayoutAnswersView(APIView):
    """`PUT layouts/:id/answers`: what the client says of its columns."""

    parser_classes = (_AnswersParser,)

    def put(self, request: Request, layout: str) -> Response:
        company = _client(request)
        found = find_by_id(Layout.objects.of(company), layout, _NO_LAYOUT)
        hint = passwords.hint(request.META["HTTP_AUTHORIZATION"].split()[1])
        answered = answer_layout(found, read_json_body(request), None, password_hint=hint)
        return Response(layout_answer(answered))


def _client(request: Request) -> Company:
    """Return the caller. Raises `CompanyIsCourier`, `UnsupportedCountry`."""
    company = caller(request)
    if company.is_courier:
        raise CompanyIsCourier(_COURIER)
    company.require_any_country(SERVED)
    return company


_COURIER: str = Translatable("Only clients have layouts; couriers have none.")
_NO_LAYOUT: str = Translatable("None of your layouts has this id.")
