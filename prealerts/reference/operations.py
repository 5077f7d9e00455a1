"""What the document says of the API's views, said to each of them from here: their apps may not import this one.

Tests send requests to every route and hold its answers against the document.
"""

from collections.abc import Mapping

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
    extend_schema,
)

from companies.countries import SERVED_NAMES
from prealerts.reference import examples, refusals, request_body
from prealerts.reference.about import PRE_ALERTS, TRACKING
from shipments.v1 import answers, views


class _ApiPassword(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it registers itself
    """How the document calls the company's password."""

    target_class = "companies.authentication.BearerPasswordAuthentication"
    name = "ApiPassword"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, object]:  # noqa: ARG002  # as declared
        return {
            "type": "http",
            "scheme": "bearer",
            "description": (
                "The company's API password, `Authorization: Bearer pa_live_...`. It tells the service which company "
                "is calling. It belongs on servers, never in a browser or an app."
            ),
        }


def _example(name: str, summary: str, value: Mapping[str, object]) -> OpenApiExample:
    return OpenApiExample(name, summary=summary, value=dict(value))


_MAWB = OpenApiParameter(
    "mawb",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="The number, with a hyphen, a space or nothing between its three and eight digits.",
    examples=[OpenApiExample("normal", value="045-70310122"), OpenApiExample("bare", value="04570310122")],
)


extend_schema(
    operation_id="uploadManifest",
    tags=[PRE_ALERTS],
    summary="Send a workbook",
    description=(
        "An Excel manifest to Chile, perhaps with its invoice. A row that cannot be taken as it stands gives a "
        "warning and never stops the upload.\n\n**Not safe to repeat blindly:** when the answer was lost, ask "
        "`GET /mawbs/{mawb}` first. Of any number of identical uploads exactly one gets the 201; the others get "
        "`mawb_already_exists` with its `manifest_id`.\n\nThe first failure is the answer, so mending one error "
        "may show the next."
    ),
    request={
        "multipart/form-data": OpenApiRequest(
            request_body.UploadForm,
            encoding={
                "manifest_file": {"contentType": request_body.XLSX},
                "invoice_file": {"contentType": "application/pdf"},
            },
        )
    },
    responses={
        201: OpenApiResponse(
            answers.UploadResult,
            "Created, whole.",
            examples=[
                _example("created", "Taken without a remark", examples.UPLOAD_RESULT),
                _example("warnings", "Taken, with something to look at", examples.UPLOAD_RESULT_WITH_WARNING),
            ],
        ),
        **refusals.responses(refusals.UPLOAD),
    },
)(views.UploadView.post)


extend_schema(
    operation_id="postManifest",
    tags=[PRE_ALERTS],
    summary="Send JSON",
    description=(
        f"A canonical manifest to {SERVED_NAMES}, at most 10 MB. All or nothing: when any guide is "
        "incomplete or breaks its country's rules, nothing is created, and one answer tells every problem of every "
        "row.\n\nThe destination decides the country. A courier names the client it posts for in `client_code`.\n\n"
        "**Not safe to repeat blindly:** as for an upload, confirm by GET first."
    ),
    request={
        "application/json": OpenApiRequest(
            request_body.JsonManifest,
            examples=[_example("chile", "Two guides to Chile, one with products", examples.JSON_MANIFEST)],
        )
    },
    responses={
        201: OpenApiResponse(
            answers.JsonResult,
            "Created, whole.",
            examples=[_example("created", "Taken without a remark", examples.JSON_RESULT)],
        ),
        **refusals.responses(refusals.JSON),
    },
)(views.JsonPreAlertView.post)


extend_schema(
    operation_id="listMawbs",
    tags=[TRACKING],
    summary="The newest MAWBs",
    description=(
        "The 50 newest MAWBs of the company, newest first: a fixed window, without pages or filters. Query "
        "parameters are ignored. For a dashboard, ask every few minutes."
    ),
    responses={
        200: OpenApiResponse(
            answers.MawbList,
            "The newest MAWBs.",
            examples=[
                _example("one", "One MAWB, a guide of which is held by customs", examples.MAWB_LIST),
                _example("none", "Nothing sent yet", examples.EMPTY_LIST),
            ],
        ),
        **refusals.responses(refusals.READING),
    },
)(views.MawbListView.get)


extend_schema(
    operation_id="getMawb",
    tags=[TRACKING],
    summary="One MAWB with its guides",
    description="Also what tells whether a POST whose answer was lost has arrived.",
    parameters=[
        _MAWB,
    ],
    responses={
        200: OpenApiResponse(
            answers.MawbDetail, "The MAWB.", examples=[_example("mawb", "Two guides", examples.MAWB_DETAIL)]
        ),
        **refusals.responses(refusals.READING_ONE),
    },
)(views.MawbDetailView.get)


extend_schema(
    operation_id="getFindings",
    tags=[TRACKING],
    summary="What was noticed in one MAWB",
    description=(
        "Warnings and notices, how a workbook's columns were understood, what the guides add up to, and what became "
        "of the rows: what the answer to the POST said, for when that answer was lost."
    ),
    parameters=[_MAWB],
    responses={
        200: OpenApiResponse(
            answers.AnsweredFindings,
            "What was noticed.",
            examples=[_example("workbook", "Two guides with something to look at", examples.FINDINGS)],
        ),
        **refusals.responses(refusals.READING_ONE),
    },
)(views.MawbFindingsView.get)


extend_schema(
    operation_id="getGuide",
    tags=[TRACKING],
    summary="One guide with its timeline",
    description="Nothing follows a terminal status. A late scan stands on the timeline at its time.",
    parameters=[
        OpenApiParameter(
            "tracking_code",
            {"type": "string", "minLength": 1},
            OpenApiParameter.PATH,
            description="As the answer to the upload gave it; capitals do not matter.",
            examples=[OpenApiExample("code", value="DEMHGD7DBQVS3R")],
        )
    ],
    responses={
        200: OpenApiResponse(
            answers.AnsweredGuide, "The guide.", examples=[_example("guide", "Held by customs", examples.GUIDE)]
        ),
        **refusals.responses(refusals.READING_ONE),
    },
)(views.GuideView.get)
