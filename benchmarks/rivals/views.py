"""What a project would usually write instead: one view set of Django REST Framework, openpyxl, and a `save()` for each
row, on our own tables with their indexes, in the same server, behind the same authentication.

Nothing of it is made worse than it need be: one transaction for a manifest, openpyxl in its frugal mode, the totals of
a list in two queries. What it leaves out is in its favour: limits on what a workbook may hold and a process apart to
read it, header words and layouts, rules of the countries and warnings, totals, the received file, the outbox.
"""

from collections import defaultdict
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce
from django.urls import path
from openpyxl import load_workbook
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from companies.authentication import caller
from prealerts import urls
from shipments.models import Flight, Guide, GuideEvent, Manifest
from shipments.statuses import mawb_status
from shipments.tracking import tracking_codes

COLUMNS = {
    "HAWB": "hawb", "Consignatario": "consignee_name", "RUT": "consignee_document", "Dirección": "consignee_address",
    "Comuna": "consignee_city", "Región": "consignee_region", "Código postal": "consignee_postal_code",
    "Teléfono": "consignee_phone", "Email": "consignee_email", "Remitente": "shipper_name",
    "Contenido": "description_original", "Peso (kg)": "weight_kg", "Bultos": "packages_count",
    "Valor FOB USD": "fob_usd", "Código arancelario": "hs_code",
}  # fmt: skip


class ManifestSerializer(serializers.ModelSerializer[Manifest]):
    """A MAWB in the list: the same JSON as ours. Who keeps no totals adds them up when they are asked for."""

    manifest_id = serializers.UUIDField(source="id")
    status = serializers.SerializerMethodField()
    total_guides = serializers.IntegerField(source="guides_found")
    total_weight_kg = serializers.FloatField(source="weight_found")
    total_pieces = serializers.IntegerField(source="pieces_found")
    total_fob_usd = serializers.FloatField(source="value_found")
    guides_by_status = serializers.SerializerMethodField()
    updated_at = serializers.SerializerMethodField()

    class Meta:
        model = Manifest
        fields = [
            "manifest_id", "mawb", "status", "eta", "total_guides", "total_weight_kg", "total_pieces", "total_fob_usd",
            "guides_by_status", "created_at", "updated_at",
        ]  # fmt: skip

    def get_updated_at(self, manifest: Manifest) -> str:
        return str(serializers.DateTimeField().to_representation(manifest.changed_at or manifest.created_at))

    def get_guides_by_status(self, manifest: Manifest) -> dict[str, int]:
        found: dict[str, int] = self.context["by_status"][manifest.pk]
        return found

    def get_status(self, manifest: Manifest) -> str:
        return mawb_status(self.context["by_status"][manifest.pk])


class ManifestViewSet(GenericViewSet[Manifest]):
    """`GET rival/mawbs`: the newest fifty. `POST rival/mawbs`: the workbook that `benchmarks.uploads` writes."""

    serializer_class = ManifestSerializer
    parser_classes = [MultiPartParser]

    def get_queryset(self) -> Any:  # noqa: ANN401  # a QuerySet whose type the stubs and the viewset spell differently
        manifests = Manifest.objects.filter(company=caller(self.request), voided_at=None).defer("warnings", "notices")
        return manifests.annotate(
            guides_found=Count("guides"),
            weight_found=Coalesce(Sum("guides__weight_kg"), Decimal(0)),
            pieces_found=Sum("guides__packages_count"),
            value_found=Coalesce(Sum("guides__fob_usd"), Decimal(0)),
        ).order_by("-created_at", "-id")[:50]

    def list(self, _request: Request) -> Response:
        manifests = list(self.get_queryset())
        by_status: defaultdict[UUID, dict[str, int]] = defaultdict(dict)
        counted = Guide.objects.filter(manifest__in=manifests).values_list("manifest_id", "status")
        for manifest_id, status, guides in counted.annotate(Count("id")):
            by_status[manifest_id][status] = guides
        serializer = self.get_serializer(manifests, many=True, context={"by_status": by_status})
        return Response({"mawbs": serializer.data, "next_cursor": None})

    @transaction.atomic
    def create(self, request: Request) -> Response:
        rows = (
            load_workbook(request.FILES["manifest_file"], read_only=True, data_only=True)
            .worksheets[0]
            .iter_rows(values_only=True)
        )
        company, mawb = caller(request), str(next(rows)[1])
        flight = Flight.objects.create(company=company)
        manifest = Manifest.objects.create(
            company=company, posted_by=company, channel="upload", mawb=mawb, country="CL", transport_mode="air",
            flight=flight,
        )  # fmt: skip
        header = next(row for row in rows if row and row[0] == "HAWB")
        guides = [_saved(manifest, dict(zip(header, row, strict=False))) for row in rows]
        codes = [{"hawb": guide.hawb, "tracking_code": guide.tracking_code} for guide in guides]
        return Response({"manifest_id": str(manifest.pk), "mawb": mawb, "guides": codes}, status=201)


def _saved(manifest: Manifest, cells: dict[Any, Any]) -> Guide:
    """One row, and its first event."""
    [code] = tracking_codes.issue(manifest.company.tracking_prefix, 1)
    fields = {COLUMNS[name]: value for name, value in cells.items() if name in COLUMNS and value is not None}
    owner = {"manifest": manifest, "company": manifest.company}
    guide = Guide(**owner, tracking_code=code, updated_at=manifest.created_at, **fields)
    guide.save()
    at = manifest.created_at
    GuideEvent(guide=guide, status=guide.status, occurred_at=at, recorded_at=at, source="pre_alert").save()
    return guide


_api, *_pages = urls.urlpatterns  # the rival's are found as early as the API's
urlpatterns = [_api, path("rival/mawbs", ManifestViewSet.as_view({"get": "list", "post": "create"})), *_pages]
handler404 = urls.handler404
