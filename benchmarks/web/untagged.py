"""Our own reads without their ETags: what the tags cost a client that does not send them back."""

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from companies.authentication import caller
from companies.countries import SERVED
from shipments.manifests import waybills
from shipments.models import ListedManifest, Manifest
from shipments.v1 import guide_reading
from shipments.v1.answers import guide_detail, mawb_detail, mawb_list
from shipments.v1.manifest_reading import listed
from shipments.v1.paging import page_of
from shipments.v1.queries import MawbQuery


class MawbList(APIView):
    """`GET untagged/mawbs`."""

    def get(self, request: Request) -> Response:
        company = caller(request)
        company.require_any_country(SERVED)
        asked = MawbQuery.read(request.query_params)
        rows = listed(company, asked, ListedManifest._fields)
        made_with = {**asked.filters, "company": company.pk}
        page = page_of(rows, request, order=("-created_at", "-id"), limit=asked.limit, made_with=made_with)
        return Response(mawb_list(*page))


class MawbDetail(APIView):
    """`GET untagged/mawbs/:mawb`."""

    def get(self, request: Request, mawb: str) -> Response:
        company = caller(request)
        company.require_any_country(SERVED)
        manifests = Manifest.objects.of(company).as_answered_with_counts()
        manifest = manifests.filter(mawb=waybills.normal_mawb(mawb) or "").first()
        assert manifest is not None
        guides = manifest.guides.order_by("id").values_list("hawb", "tracking_code", "status")
        return Response(mawb_detail(manifest, guides))


class Guide(APIView):
    """`GET untagged/guides/:tracking_code`."""

    def get(self, request: Request, tracking_code: str) -> Response:
        company = caller(request)
        company.require_any_country(SERVED)
        guide = guide_reading.guide(company, tracking_code.upper())
        assert guide is not None
        return Response(guide_detail(guide, guide_reading.timeline(guide.id)))


urlpatterns = [
    path("untagged/mawbs", MawbList.as_view()),
    path("untagged/mawbs/<str:mawb>", MawbDetail.as_view()),
    path("untagged/guides/<str:tracking_code>", Guide.as_view()),
]
