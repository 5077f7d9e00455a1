"""What a project would usually write instead: Django REST Framework's ModelSerializers and viewsets, openpyxl, and a
`save()` for each row, on our own tables with their indexes, in the same server, behind the same authentication.

Nothing of it is made worse than it need be: one transaction for a manifest, openpyxl in its frugal mode, the queries
of a read joined and prefetched. What it leaves out is in its favour: limits on what a workbook may hold and a process
apart to read it, header words and layouts, rules of the countries and warnings, totals and counts of the manifest, the
received file and its digest, the webhook's outbox, errors that name the row.
"""

from collections import defaultdict
from datetime import datetime
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce
from django.urls import path
from openpyxl import load_workbook
from rest_framework import serializers
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ReadOnlyModelViewSet

from benchmarks.web.bare import CODES
from companies.authentication import caller
from companies.models import Company
from shipments.manifests.guide_fields import ANSWERED_FIELDS, GUIDE_FIELDS
from shipments.models import LIST_WINDOW, Flight, Guide, GuideEvent, Manifest
from shipments.statuses import mawb_status
from shipments.tracking import tracking_codes

COLUMNS = {
    "HAWB": "hawb",
    "Consignatario": "consignee_name",
    "RUT": "consignee_document",
    "Dirección": "consignee_address",
    "Comuna": "consignee_city",
    "Región": "consignee_region",
    "Código postal": "consignee_postal_code",
    "Teléfono": "consignee_phone",
    "Email": "consignee_email",
    "Remitente": "shipper_name",
    "Contenido": "description_original",
    "Peso (kg)": "weight_kg",
    "Bultos": "packages_count",
    "Valor FOB USD": "fob_usd",
    "Código arancelario": "hs_code",
}


def _moment(moment: datetime) -> str:
    return str(serializers.DateTimeField().to_representation(moment))


class RowSerializer(serializers.ModelSerializer[Guide]):
    """A guide as it comes in JSON; `many=True` calls `create` for each."""

    class Meta:
        model = Guide
        fields = [field.name for field in GUIDE_FIELDS]

    def create(self, validated_data: dict[str, Any]) -> Guide:
        return _saved(validated_data.pop("manifest"), validated_data)


class EventSerializer(serializers.ModelSerializer[GuideEvent]):
    """An event in a guide's timeline."""

    status_code = serializers.SerializerMethodField()
    timestamp = serializers.DateTimeField(source="occurred_at")

    class Meta:
        model = GuideEvent
        fields = ["status", "status_code", "timestamp", "source", "sequence"]

    def get_status_code(self, event: GuideEvent) -> int:
        return CODES[event.status]


class GuideSerializer(serializers.ModelSerializer[Guide]):
    """A guide with its timeline: the same JSON as ours."""

    mawb = serializers.CharField(source="manifest.mawb")
    status_code = serializers.SerializerMethodField()
    weight_kg = serializers.FloatField()
    fob_usd = serializers.FloatField()
    retention = serializers.SerializerMethodField()
    updated_at = serializers.SerializerMethodField()
    events = EventSerializer(many=True)

    class Meta:
        model = Guide
        fields = [
            "hawb", "tracking_code", "mawb", "status", "status_code",
            *(field.name for field in ANSWERED_FIELDS), "retention", "updated_at", "events",
        ]  # fmt: skip

    def get_status_code(self, guide: Guide) -> int:
        return CODES[guide.status]

    def get_retention(self, guide: Guide) -> dict[str, object] | None:
        if not guide.retention_required and guide.retention_lifted_at is None:
            return None
        return {
            "required": guide.retention_required,
            "reason": guide.retention_reason,
            "lifted_at": guide.retention_lifted_at,
        }

    def get_updated_at(self, guide: Guide) -> str:
        return _moment(guide.updated_at or guide.created_at)


class GuideViewSet(ReadOnlyModelViewSet[Guide]):
    """`GET usual/guides/...`."""

    serializer_class = GuideSerializer
    lookup_field = "tracking_code"

    def get_queryset(self) -> Any:  # noqa: ANN401  # a QuerySet whose type the stubs and the viewset spell differently
        guides = Guide.objects.filter(manifest__company=caller(self.request))
        return guides.select_related("manifest").prefetch_related("events")


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
        return _moment(manifest.changed_at or manifest.created_at)

    def get_guides_by_status(self, manifest: Manifest) -> dict[str, int]:
        found: dict[str, int] = self.context["by_status"][manifest.pk]
        return found

    def get_status(self, manifest: Manifest) -> str:
        return mawb_status(self.context["by_status"][manifest.pk])


class ManifestViewSet(ReadOnlyModelViewSet[Manifest]):
    """`GET usual/mawbs`: the newest fifty, in two queries beside the caller's."""

    serializer_class = ManifestSerializer

    def get_queryset(self) -> Any:  # noqa: ANN401  # as above
        manifests = Manifest.objects.filter(company=caller(self.request), voided_at=None).defer("warnings", "notices")
        return manifests.annotate(
            guides_found=Count("guides"),
            weight_found=Coalesce(Sum("guides__weight_kg"), Decimal(0)),
            pieces_found=Sum("guides__packages_count"),
            value_found=Coalesce(Sum("guides__fob_usd"), Decimal(0)),
        ).order_by("-created_at", "-id")[:LIST_WINDOW]

    def list(self, *_args: object, **_options: object) -> Response:
        manifests = list(self.get_queryset())
        by_status: defaultdict[UUID, dict[str, int]] = defaultdict(dict)
        counted = Guide.objects.filter(manifest__in=manifests).values_list("manifest_id", "status")
        for manifest_id, status, guides in counted.annotate(Count("id")):
            by_status[manifest_id][status] = guides
        serializer = self.get_serializer(manifests, many=True, context={"by_status": by_status})
        return Response({"mawbs": serializer.data, "next_cursor": None})


class UploadView(APIView):
    """`POST usual/upload`: the workbook that `benchmarks.web.uploads` writes."""

    parser_classes = [MultiPartParser]

    @transaction.atomic
    def post(self, request: Request) -> Response:
        book = load_workbook(request.FILES["manifest_file"], read_only=True, data_only=True)
        rows = book.worksheets[0].iter_rows(values_only=True)
        manifest = _manifest(caller(request), str(next(rows)[1]), "CL")
        header = next(row for row in rows if row and row[0] == "HAWB")
        guides = []
        for row in rows:
            cells = zip(header, row, strict=False)
            fields = {COLUMNS[str(name)]: value for name, value in cells if name in COLUMNS and value is not None}
            guides.append(_saved(manifest, fields))
        return _created(manifest, guides)


class JsonView(APIView):
    """`POST usual/process-pre-alert-json`."""

    parser_classes = [JSONParser]

    @transaction.atomic
    def post(self, request: Request) -> Response:
        body = cast("dict[str, Any]", request.data)
        serializer = RowSerializer(data=body["guides"], many=True)
        serializer.is_valid(raise_exception=True)
        manifest = _manifest(caller(request), body["mawb"], "PE")
        guides = cast("list[Guide]", serializer.save(manifest=manifest))  # a list, whatever the stubs think of `many`
        return _created(manifest, guides)


def _manifest(company: Company, mawb: str, country: str) -> Manifest:
    flight = Flight.objects.create(company=company)
    return Manifest.objects.create(
        company=company,
        posted_by=company,
        channel="json",
        mawb=mawb,
        country=country,
        transport_mode="air",
        flight=flight,
    )


def _saved(manifest: Manifest, fields: dict[str, Any]) -> Guide:
    """One row, and its first event."""
    [code] = tracking_codes.issue(manifest.company.tracking_prefix, 1)
    guide = Guide(manifest=manifest, tracking_code=code, **fields)
    guide.save()
    GuideEvent(
        guide=guide,
        status=guide.status,
        occurred_at=manifest.created_at,
        recorded_at=manifest.created_at,
        source="pre_alert",
    ).save()
    return guide


def _created(manifest: Manifest, guides: list[Guide]) -> Response:
    codes = [{"hawb": guide.hawb, "tracking_code": guide.tracking_code} for guide in guides]
    answer = {"manifest_id": str(manifest.pk), "mawb": manifest.mawb, "guides_created": len(codes), "guides": codes}
    return Response(answer, status=201)


urlpatterns = [
    path("usual/upload", UploadView.as_view()),
    path("usual/process-pre-alert-json", JsonView.as_view()),
    path("usual/mawbs", ManifestViewSet.as_view({"get": "list"})),
    path("usual/guides/<str:tracking_code>", GuideViewSet.as_view({"get": "retrieve"})),
]
