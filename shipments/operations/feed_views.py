"""`/api/operators/v1/`: what a courier's own programs copy. Each view checks the query, reads and responds."""

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from base.admin.autocompletion import is_key
from base.errors import InvalidQuery, NotFound
from companies.errors import Forbidden, ForbiddenCountry
from companies.models import Company
from companies.operators.tokens.api_views import OperatorView, operator, require_country
from companies.scope import scope_of
from shipments.activity import log_feed
from shipments.errors import AmbiguousMawb
from shipments.manifests import waybills
from shipments.models import Guide, Manifest, ManifestQuerySet, OutgoingLayout
from shipments.operations.feed import ALL_COLUMNS, COLUMNS, company_row, feed, manifest_row, outgoing_row
from shipments.operations.queries import (
    BrokerFileQuery,
    CompaniesQuery,
    FeedQuery,
    ManifestQuery,
    ManifestsQuery,
    NoQuery,
)
from shipments.outgoing import download, rows_of
from shipments.v1.queries import ListRequest, filter_manifests, page_of_changes, read_page

EXPORT = "shipments.change_guide"
"""What exports of guides in the admin need, too."""
_NEWEST = ("-created_at", "-id")


def feed_page(request: Request) -> Response:
    """Respond to `GET guides` with a page of changed guides, and record whose data it shows."""
    query, user = FeedQuery.read(request.query_params), operator(request)
    has_all = "fields" in query.filters
    if has_all and not user.has_perm(EXPORT):
        raise Forbidden(permission=EXPORT)
    guides = Guide.objects.visible_to(user)
    if company := _find_company(request, query):
        guides = guides.filter(company=company)
    rows, cursor = page_of_changes(guides, query, ALL_COLUMNS if has_all else COLUMNS, operator=user.pk)
    if has_all:
        log_feed(request, rows, query.filters)
    return Response(feed(rows, cursor))


class ManifestsView(OperatorView):
    """`GET mawbs`."""

    permissions = {"GET": "shipments.view_manifest"}

    def get(self, request: Request) -> Response:
        query = ManifestsQuery.read(request.query_params)
        manifests = filter_manifests(_manifests(request), query.filters)
        if company := _find_company(request, query):
            manifests = manifests.filter(company=company)
        page, cursor = read_page(manifests, query, _NEWEST, list="mawbs", operator=operator(request).pk)
        return Response({"mawbs": [manifest_row(manifest) for manifest in page], "next_cursor": cursor})


class ManifestView(OperatorView):
    """`GET mawbs/<mawb>`: the one that is not voided, else the last that was."""

    permissions = {"GET": "shipments.view_manifest"}

    def get(self, request: Request, mawb: str) -> Response:
        return Response(manifest_row(_find_manifest(request, mawb, ManifestQuery.read(request.query_params))))


class OutgoingLayoutsView(OperatorView):
    """`GET outgoing-layouts`."""

    permissions = {"GET": "shipments.view_outgoinglayout"}

    def get(self, request: Request) -> Response:
        NoQuery.read(request.query_params)
        layouts = OutgoingLayout.objects.visible_to(operator(request)).filter(is_checked=True).select_related("company")
        return Response({"layouts": [outgoing_row(layout) for layout in layouts]})


class BrokerFileView(OperatorView):
    """`GET mawbs/<mawb>/files/<id>`."""

    permissions = {"GET": EXPORT}

    def get(self, request: Request, mawb: str, id: str) -> HttpResponseBase:  # noqa: A002  # as the document names it
        query = BrokerFileQuery.read(request.query_params)
        manifest = _find_manifest(request, mawb, query)
        layouts = OutgoingLayout.objects.visible_to(operator(request)).for_manifest(manifest)
        layout = layouts.filter(pk=id).first() if is_key(OutgoingLayout, id) else None
        if manifest.voided_at or layout is None:
            raise NotFound("The manifest has no outgoing layout of this id, or was voided.")
        rows, kind = rows_of(layout, manifest), query.filters.get("format", "xlsx")
        return download(request._request, layout, manifest, rows, kind)  # noqa: SLF001  # DRF's name


class CompaniesView(OperatorView):
    """`GET companies`."""

    permissions = {"GET": "companies.view_company"}

    def get(self, request: Request) -> Response:
        query, user = CompaniesQuery.read(request.query_params), operator(request)
        page, cursor = read_page(
            Company.objects.visible_to(user).clients(), query, ("client_code",), list="companies", operator=user.pk
        )
        scope = scope_of(user)
        return Response({"companies": [company_row(company, scope) for company in page], "next_cursor": cursor})


def _find_manifest(request: Request, mawb: str, query: ListRequest) -> Manifest:
    """Return the manifest of this MAWB that is not voided, else the last that was, with its company and flight.

    Raises `AmbiguousMawb` if several companies have it and none was named, `ForbiddenCountry`, `NotFound`.
    """
    company = _find_company(request, query)
    of_company = {"company": company} if company else {}
    wanted = {"mawb": waybills.read_sought_mawb(mawb) or "", **of_company}
    found = list(_manifests(request).filter(**wanted).order_by(*_NEWEST))
    found = [manifest for manifest in found if manifest.voided_at is None] or found
    if len({manifest.company_id for manifest in found}) > 1:
        raise AmbiguousMawb
    if found:
        return found[0]
    beyond = Manifest.objects.filter(**wanted).order_by(*_NEWEST).values_list("country", flat=True).first()
    raise ForbiddenCountry(country=beyond) if beyond else NotFound("No manifest has this MAWB.")


def _manifests(request: Request) -> ManifestQuerySet:
    return Manifest.objects.visible_to(operator(request)).without_findings().select_related("company", "flight")


def _find_company(request: Request, query: ListRequest) -> Company | None:
    """Return the company that a query names. Raises `ForbiddenCountry` for its country, and `InvalidQuery` in one voice
    for a company that there is not or that has no country in the operator's scope.
    """
    if country := query.filters.get("country"):
        require_country(request, country)
    code = query.filters.get("company")
    if code is None:
        return None
    company = Company.objects.visible_to(operator(request)).clients().filter(client_code=code).first()
    if company is None:
        raise InvalidQuery(details={"company": [_("No company of your countries has this code.")]})
    return company
