"""The public endpoints of v1. Each view checks the caller, reads the request, acts and responds."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.request import parse_http_list
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from base.errors import NotFound, Translatable
from companies.authentication import caller
from companies.countries import SERVED
from companies.models import Company, ExtraSelect
from shipments.intake import jobs, posting, upload
from shipments.intake.annotated_workbook import MEDIA_TYPE
from shipments.intake.idempotency import Queued
from shipments.intake.ingest import Ingested
from shipments.manifests import waybills
from shipments.manifests.house.manifest_template import template
from shipments.models import ListedManifest, Manifest, ManifestQuerySet, UploadJob
from shipments.v1 import bodies, reading
from shipments.v1.answer_types import GuideList
from shipments.v1.answers import findings, guide_list, job_answer, json_result, mawb_detail, mawb_list, upload_result
from shipments.v1.conditional import ConditionalView, answer, is_conditional, is_known, not_modified, tag_of
from shipments.v1.queries import GuidesQuery, MawbQuery, find_by_id, read_page
from shipments.v1.reading import list_manifests


class UploadView(APIView):
    """`POST upload`: an Excel manifest, optionally with its invoice."""

    parser_classes = [bodies.StrictMultiPartParser]

    def post(self, request: Request) -> Response:
        company, key = caller(request), bodies.read_idempotency_key(request)
        upload.require_upload_rights(company)
        incoming = upload.read_form(bodies.read_form_body(request), request.FILES)
        sent = bodies.with_form(request, key)
        preferences = parse_http_list(request.headers.get("Prefer", ""))
        if any(_RESPOND_ASYNC.fullmatch(each.strip()) for each in preferences):
            request_id = getattr(request, "request_id", "")
            result = jobs.queue(company, incoming, sent, language=get_language() or "en", request_id=request_id)
        else:
            result = upload.receive_upload(company, incoming, sent)
        if isinstance(result, Queued):
            return _answer_queued(request, result)
        return _answer_created(result, upload_result(result))


class JobView(APIView):
    """`GET jobs/:id`: an upload that was answered with 202."""

    def get(self, request: Request, job: str) -> HttpResponse:
        jobs_of_company = UploadJob.objects.select_related("manifest").filter(company=reader(request))
        found = find_by_id(jobs_of_company, job, _NO_JOB)
        version = found.manifest.version if found.manifest else 0
        response = answer(request, tag_of("job", found.pk, found.state, version), lambda: job_answer(found))
        if found.finished_at is None:
            response["Retry-After"] = str(_JOB_SECONDS)
        return response


class JsonPreAlertView(APIView):
    """`POST process-pre-alert-json`: a canonical JSON manifest for any served country."""

    parser_classes = [bodies.StrictJsonParser]

    def post(self, request: Request) -> Response:
        poster, key = caller(request), bodies.read_idempotency_key(request)
        body = bodies.read_json_body(request, bodies.NOT_A_MANIFEST)
        ingested = posting.receive_json(poster, body, bodies.with_json(request, key))
        return _answer_created(ingested, json_result(ingested))


class MawbListView(APIView):
    """`GET mawbs`: the caller's MAWBs, newest first."""

    def get(self, request: Request) -> HttpResponse:
        company = reader(request)
        asked = MawbQuery.read(request.query_params)

        def page(*names: str) -> tuple[list[dict[str, Any]], str | None, str]:
            rows, order = list_manifests(company, asked, names), ("-created_at", "-id")
            found, cursor = read_page(rows, asked, order, company=company.pk)
            state = [part for row in found for part in (row["id"].hex, row["version"])]
            return found, cursor, tag_of("mawbs", company.pk, cursor, *state)

        if is_conditional(request):
            *_page, tag = page("id", "version", "created_at")
            if is_known(request, tag):
                return not_modified(tag)
        manifests, next_cursor, tag = page(*ListedManifest._fields)
        return answer(request, tag, lambda: mawb_list(manifests, next_cursor))


class MawbDetailView(ConditionalView):
    """`GET mawbs/:mawb`, in any spelling of the number."""

    @staticmethod
    def state(**kwargs: str) -> ExtraSelect:
        return reading.manifest_state(waybills.read_sought_mawb(kwargs["mawb"]) or "")

    @staticmethod
    def tag(state: Sequence[Any]) -> str | None:
        manifest_id, version = state
        # As a UUID, which SQLite stores as text.
        return tag_of("mawb", UUID(str(manifest_id)), version) if manifest_id else None

    def get(self, request: Request, mawb: str) -> HttpResponse:
        manifest = _one(reader(request), mawb, Manifest.objects.as_answered_with_counts())
        guides = manifest.guides.order_by("id").values_list("hawb", "tracking_code", "status")
        tag = tag_of("mawb", manifest.pk, manifest.version)
        return answer(request, tag, lambda: mawb_detail(manifest, guides))


class MawbGuidesView(APIView):
    """`GET mawbs/:mawb/guides`: its guides in pages, for MAWBs with many."""

    def get(self, request: Request, mawb: str) -> HttpResponse:
        company = reader(request)
        asked = GuidesQuery.read(request.query_params)
        manifest = _one(company, mawb, Manifest.objects.only("version"))
        tag = tag_of("guides", manifest.pk, manifest.version, asked)
        rows = manifest.guides.values("hawb", "tracking_code", "status")
        if "status" in asked.filters:
            rows = rows.filter(status__in=asked.filters["status"])

        def page() -> GuideList:
            # By HAWB, which an index has in order for each manifest.
            found, next_cursor = read_page(rows, asked, ("hawb",), manifest=manifest.pk)
            return guide_list(((row["hawb"], row["tracking_code"], row["status"]) for row in found), next_cursor)

        return answer(request, tag, page)


class MawbFindingsView(APIView):
    """`GET mawbs/:mawb/findings`: the findings that were returned when the manifest was created."""

    def get(self, request: Request, mawb: str) -> HttpResponse:
        manifests = Manifest.objects.all()
        manifest = _one(reader(request), mawb, manifests.without_findings() if is_conditional(request) else manifests)
        tag = tag_of("findings", manifest.pk, manifest.version)
        return answer(request, tag, lambda: findings(manifest))


def _answer_queued(request: Request, queued: Queued) -> Response:
    job = queued.job
    headers = {
        "Preference-Applied": "respond-async",
        "Retry-After": str(_JOB_SECONDS),
        "Location": request.build_absolute_uri(reverse("job", args=[job.pk])),
    }
    if queued.is_replay:
        headers[bodies.REPLAYED] = "true"
    return Response({"success": True, "job_id": str(job.pk), "status": job.state}, status=202, headers=headers)


def _answer_created(ingested: Ingested, body: Mapping[str, object]) -> Response:
    headers = {bodies.REPLAYED: "true"} if ingested.is_replay else None
    return Response(body, status=201, headers=headers)


def reader(request: Request) -> Company:
    """Return the caller, who may read if at least one country is open to it."""
    company = caller(request)
    company.require_any_country(SERVED)
    return company


def _one(company: Company, mawb: str, manifests: ManifestQuerySet) -> Manifest:
    """Return the company's manifest with this MAWB, in any spelling. Raises `NotFound`."""
    number = waybills.read_sought_mawb(mawb) or ""
    manifest = manifests.of(company).filter(mawb=number).first()
    if manifest is not None:
        return manifest
    is_voided = Manifest.objects.filter(company=company, mawb=number).exclude(voided_at=None).exists()
    raise NotFound(_VOIDED if is_voided else _NO_MAWB)


_NO_MAWB: str = Translatable("None of your MAWBs has this number.")
_VOIDED: str = Translatable("This MAWB was voided, with all its guides. It can be sent again.")
_NO_JOB: str = Translatable("None of your upload jobs has this id. They are kept for 7 days after their end.")
_RESPOND_ASYNC = re.compile(r"respond-async\s*([;=].*)?", re.IGNORECASE)
"""The preference of RFC 7240, 4.1."""
_JOB_SECONDS = 2
"""How long a client waits before it asks for a job."""


@csrf_exempt  # there is no form, and other methods are a 405
@require_safe
def manifest_template(_request: HttpRequest, country: str) -> HttpResponse:
    """Return the workbook template for a country. It is public and contains no personal data."""
    return HttpResponse(
        template(country),
        content_type=MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="manifest-{country}.xlsx"'},
    )
