"""`GET me`: what the caller's company is, may do and is limited to."""

from typing import Annotated, NotRequired, TypedDict

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from base.db.moments import iso_text
from base.http.json_types import Keywords, Moment, PositiveCount, known_words
from companies.authentication import caller
from companies.countries import SERVED
from companies.limits.bucket import rate_of
from companies.models import Company, Kind
from shipments.layouts.reading import workbook_countries
from shipments.v1.conditional import answer, tag_of

_Countries = Annotated[list[Annotated[str, known_words(SERVED)]], "ISO 3166 alpha-2."]


class Myself(TypedDict):
    """The company that a password belongs to."""

    code: Annotated[str, "The client code: couriers name the company by it."]
    name: str


class ClientOfCourier(TypedDict):
    """A client that a courier posts for."""

    client_code: str
    name: str
    countries: _Countries


class Me(TypedDict):
    """The company that a password belongs to, and what it may do."""

    company: Myself
    kind: Annotated[str, Keywords(enum=Kind.values), "A courier posts on behalf of clients."]
    countries: Annotated[_Countries, "Destinations that the company may ship to and that are served."]
    workbook_countries: Annotated[_Countries, "Those of them whose workbooks `POST upload` reads for the company."]
    tracking_prefix: Annotated[str | None, "How its tracking codes begin; without one its pre-alerts are refused."]
    requests_per_second: Annotated[PositiveCount | None, "Its rate limit; null without one."]
    password_expires_at: Annotated[Moment | None, "When the password that was used ends, after a rotation; UTC."]
    may_correct: Annotated[bool, "Whether it may correct and cancel by API what it sent."]
    sandbox: Annotated[bool, "Whether this is a sandbox."]
    clients: NotRequired[Annotated[list[ClientOfCourier], "For a courier: the active clients that it posts for."]]


class MeView(APIView):
    """`GET me`, for couriers and companies without a country too."""

    def get(self, request: Request) -> HttpResponse:
        company = caller(request)
        myself = me(company)
        return answer(request, tag_of("me", company.pk, myself), lambda: myself)


def me(company: Company) -> Me:
    countries = _filter_served(company.allowed_countries)
    # What other requests do not need.
    name, may_correct = Company.objects.values_list("name", "may_correct").get(pk=company.pk)
    described: Me = {
        "company": {"code": company.client_code, "name": name},
        "kind": company.kind,
        "countries": countries,
        "workbook_countries": [] if company.is_courier else workbook_countries(company),
        "tracking_prefix": company.tracking_prefix or None,
        "requests_per_second": rate_of(company) or None,
        "password_expires_at": iso_text(company.password_expires_at) if company.password_expires_at else None,
        "may_correct": may_correct,
        "sandbox": settings.SANDBOX,
    }
    if company.is_courier:
        clients = Company.objects.active().clients().filter(couriers=company).order_by("client_code")
        described["clients"] = [
            {"client_code": each.client_code, "name": each.name, "countries": _filter_served(each.allowed_countries)}
            for each in clients.only("client_code", "name", "allowed_countries")
        ]
    return described


def _filter_served(countries: list[str]) -> list[str]:
    return [country for country in SERVED if country in countries]
