"""`POST upload/validate` and `POST process-pre-alert-json/validate`: the same requests, and nothing is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from base.db.moments import iso_text
from base.errors import InvalidBody
from companies.authentication import caller
from companies.countries import SERVED
from companies.errors import ClientCodeNotAllowed, ClientNotResolved, CompanyIsCourier, UnsupportedCountry
from shipments.errors import ManifestFileRequired
from shipments.intake import upload
from shipments.intake.annotated_workbook import MEDIA_TYPE
from shipments.intake.ingest import to_columns
from shipments.intake.posting import owner_of
from shipments.intake.trial import Trial, try_json
from shipments.manifests.sheets.layouts import derive_layout
from shipments.manifests.sheets.surveys import Survey
from shipments.models import Manifest
from shipments.v1 import bodies
from shipments.v1.answer_types import Column, KeptColumn, Validation, ValidationRefusal
from shipments.v1.answers import findings, in_order, to_question
from shipments.wording.envelope import body_of
from shipments.wording.stored import render_notice, to_entry

_ABOUT_THE_CALLER = (
    CompanyIsCourier,
    UnsupportedCountry,
    ClientCodeNotAllowed,
    ClientNotResolved,
    ManifestFileRequired,
)
"""Refusals that a validation answers as the upload does. Nothing was validated."""
_ABOUT_THE_MANIFEST = {400, 403, 409, 422}


class _ValidationView(APIView):
    """Answers 200 with the refusal as its content. A refused validation leaves no row either."""

    records_refusals = False

    def handle_exception(self, exc: Exception) -> Response:
        """Return the content for a refusal of the manifest, and the usual answer for any other exception."""
        response = super().handle_exception(exc)
        if isinstance(exc, _ABOUT_THE_CALLER) or response.status_code not in _ABOUT_THE_MANIFEST:
            return response
        return Response(_validation(Trial(), [_to_refusal(response.status_code, response.data)]))


def _to_refusal(status: int, body: Mapping[str, object]) -> ValidationRefusal:
    named = {name: value for name, value in body.items() if name != "success"}
    return cast("ValidationRefusal", {"status": status, **named})


class UploadValidationView(_ValidationView):
    """`POST upload/validate`: JSON, or the annotated workbook for those who accept nothing but .xlsx."""

    parser_classes = [bodies.StrictMultiPartParser]

    def post(self, request: Request) -> HttpResponse:
        company = caller(request)
        bodies.read_idempotency_key(request)
        upload.require_upload_rights(company)
        fields = bodies.read_form_body(request)
        is_annotated = request.get_preferred_type(["application/json", MEDIA_TYPE]) == MEDIA_TYPE
        trial = upload.try_upload(company, fields, request.FILES, is_annotated=is_annotated)
        response: HttpResponse
        if is_annotated:
            response = HttpResponse(
                trial.annotated,
                content_type=MEDIA_TYPE,
                headers={"Content-Disposition": 'attachment; filename="validated.xlsx"'},
            )
        else:
            response = Response(_validation(trial))
        patch_vary_headers(response, ["Accept"])
        return response


class JsonValidationView(_ValidationView):
    """`POST process-pre-alert-json/validate`."""

    parser_classes = [bodies.StrictJsonParser]

    def post(self, request: Request) -> Response:
        poster = caller(request)
        bodies.read_idempotency_key(request)
        body = bodies.read_json_body(request, bodies.NOT_A_MANIFEST)
        if not isinstance(body, Mapping):
            raise InvalidBody
        owner = owner_of(poster, body)
        owner.require_any_country(SERVED)
        return Response(_validation(try_json(owner, body)))


def _validation(trial: Trial, refusals: Sequence[ValidationRefusal] = ()) -> Validation:
    """Return the answer. refusals: of a request that could not be tried; the upload would answer the first."""
    refusals = refusals or [_to_refusal(each.status, body_of(each)) for each in trial.refusals]
    answer: dict[str, Any] = {
        "success": True,
        "would_create": not refusals,
        "refusal": refusals[0] if refusals else None,
        "further_refusals": list(refusals[1:]),
        "country": None,
        "mawb": None,
        "eta": None,
        "flight": None,
        "guides_found": 0,
        "totals": None,
        "columns": [],
        "kept": [],
        "questions": [],
        "rows": None,
        "rut_invalid_count": 0,
        "warnings": [],
        "notices": [render_notice(to_entry(notice)) for notice in trial.notices],
    }
    if trial.read:
        parsed = trial.read.parsed
        found = findings(Manifest(**to_columns(parsed)))
        flight = asdict(parsed.flight)
        flight |= {name: iso_text(value) for name, value in flight.items() if isinstance(value, datetime)}
        answer |= {
            **found,
            "totals": found["totals"] if parsed.guides else None,
            "country": parsed.country,
            "mawb": parsed.mawb or None,
            "eta": flight["scheduled_arrival"],
            "flight": flight,
            "guides_found": len(parsed.guides),
        }
    if trial.survey and not answer["columns"]:
        answer |= _proposal(trial.survey)
    return cast("Validation", answer)


def _proposal(survey: Survey) -> Mapping[str, Any]:
    """How the columns would be read of a workbook whose guides cannot be, such as one whose HAWB is in doubt."""
    seen = derive_layout(survey)
    if seen is None:
        return {}
    columns = []
    for column in map(asdict, seen.columns):
        measures = {name: column.pop(name).removeprefix("?") for name in ("unit", "currency", "decimals")}
        columns.append({**column, **{name: said for name, said in measures.items() if said}})
    return {
        "columns": [in_order(Column, each) for each in columns if each["strength"] in {"sure", "likely", "told"}],
        "kept": [in_order(KeptColumn, each) for each in columns if each["key"] and not each["field"]],
        "questions": list(map(to_question, seen.questions)),
    }
