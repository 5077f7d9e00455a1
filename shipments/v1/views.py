"""The public endpoints of v1. Each view checks the caller, reads the request, acts and responds."""

from typing import cast

from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from companies.authentication import caller
from companies.countries import SERVED
from companies.models import Company
from shipments.errors import InvalidBody, ManifestFileRequired, NotFound
from shipments.intake import posting, upload
from shipments.manifests import waybills
from shipments.manifests.workbook import manifest_template as template
from shipments.models import LIST_WINDOW, Manifest, ManifestQuerySet
from shipments.v1 import guide_reading
from shipments.v1.answers import findings, guide_detail, json_result, mawb_detail, mawb_list, upload_result
from shipments.v1.bodies import StrictJsonParser, StrictMultiPartParser


class UploadView(APIView):
    """`POST upload`: an Excel manifest, optionally with its invoice."""

    parser_classes = [StrictMultiPartParser]

    def post(self, request: Request) -> Response:
        company = caller(request)
        upload.require_upload_rights(company)
        try:
            incoming = upload.read_form(cast("QueryDict", request.data), request.FILES)
        except UnsupportedMediaType:
            raise ManifestFileRequired from None
        return Response(upload_result(upload.receive(company, incoming)), status=201)


class JsonPreAlertView(APIView):
    """`POST process-pre-alert-json`: a canonical JSON manifest for any served country."""

    parser_classes = [StrictJsonParser]

    def post(self, request: Request) -> Response:
        poster = caller(request)
        try:
            body = request.data if request.stream else None
        except UnsupportedMediaType:
            raise InvalidBody("Send the manifest with Content-Type: application/json.") from None
        return Response(json_result(posting.receive(poster, body)), status=201)


class MawbListView(APIView):
    """`GET mawbs`: the caller's newest MAWBs, up to a fixed number."""

    def get(self, request: Request) -> Response:
        return Response(mawb_list(Manifest.objects.of(_reader(request)).newest()[:LIST_WINDOW]))


class MawbDetailView(APIView):
    """`GET mawbs/:mawb`, in any spelling of the number."""

    def get(self, request: Request, mawb: str) -> Response:
        manifest = _one(Manifest.objects.of(_reader(request)).as_answered_with_counts(), mawb)
        guides = manifest.guides.order_by("id").values_list("hawb", "tracking_code", "status")
        return Response(mawb_detail(manifest, guides))


class MawbFindingsView(APIView):
    """`GET mawbs/:mawb/findings`: the findings that were returned when the manifest was created."""

    def get(self, request: Request, mawb: str) -> Response:
        return Response(findings(_one(Manifest.objects.of(_reader(request)), mawb)))


class GuideView(APIView):
    """`GET guides/:tracking_code`, in any case."""

    def get(self, request: Request, tracking_code: str) -> Response:
        guide = guide_reading.guide(_reader(request), tracking_code.upper())
        if guide is None:
            raise NotFound
        return Response(guide_detail(guide, guide_reading.timeline(guide.id)))


def _reader(request: Request) -> Company:
    """Return the caller, who may read if at least one country is open to it."""
    company = caller(request)
    company.require_any_country(SERVED)
    return company


def _one(manifests: ManifestQuerySet, mawb: str) -> Manifest:
    """Return the manifest with this MAWB, in any spelling. Raises `NotFound`."""
    manifest = manifests.filter(mawb=waybills.normal_mawb(mawb) or "").first()
    if manifest is None:
        raise NotFound
    return manifest


@csrf_exempt  # there is no form, and other methods are a 405
@require_safe
def manifest_template(_request: HttpRequest) -> HttpResponse:
    """Return the workbook template of the Chilean format. It is public and contains no personal data."""
    return HttpResponse(
        template.chile_template(),
        content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        headers={"Content-Disposition": 'attachment; filename="manifest-CL.xlsx"'},
    )
