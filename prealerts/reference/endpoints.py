"""The routes as the document shows them. These classes describe and are never called: the routes have their own views.

Each is held to its route by tests, which walk the resolver, ask every route for its methods and hold its answers
against what stands here.
"""

from collections.abc import Mapping

from django.urls import path
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiRequest, OpenApiResponse, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

from prealerts.reference import examples, refusals, request_body, responses, webhook_endpoints
from prealerts.reference.about import PRE_ALERTS, SERVICE, TRACKING

_API = "api/public/pre-alerts/v1"


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


class Upload(APIView):
    """Stands for `shipments.v1.views.UploadView`."""

    @extend_schema(
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
                responses.UploadResult,
                "Created, whole.",
                examples=[
                    _example("created", "Taken without a remark", examples.UPLOAD_RESULT),
                    _example("warnings", "Taken, with something to look at", examples.UPLOAD_RESULT_WITH_WARNING),
                ],
            ),
            **refusals.responses(refusals.UPLOAD),
        },
    )
    def post(self) -> None:
        """Described above."""


class JsonPreAlert(APIView):
    """Stands for `shipments.v1.views.JsonPreAlertView`."""

    @extend_schema(
        operation_id="postManifest",
        tags=[PRE_ALERTS],
        summary="Send JSON",
        description=(
            "A canonical manifest to Chile, Peru or Argentina, at most 10 MB. All or nothing: when any guide is "
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
                responses.JsonResult,
                "Created, whole.",
                examples=[_example("created", "Taken without a remark", examples.JSON_RESULT)],
            ),
            **refusals.responses(refusals.JSON),
        },
    )
    def post(self) -> None:
        """Described above."""


class MawbList(APIView):
    """Stands for `shipments.v1.views.MawbListView`."""

    @extend_schema(
        operation_id="listMawbs",
        tags=[TRACKING],
        summary="The newest MAWBs",
        description=(
            "The 50 newest MAWBs of the company, newest first: a fixed window, without pages or filters. Query "
            "parameters are ignored. For a dashboard, ask every few minutes."
        ),
        responses={
            200: OpenApiResponse(
                responses.MawbList,
                "The newest MAWBs.",
                examples=[
                    _example("one", "One MAWB, a guide of which is held by customs", examples.MAWB_LIST),
                    _example("none", "Nothing sent yet", examples.EMPTY_LIST),
                ],
            ),
            **refusals.responses(refusals.READING),
        },
    )
    def get(self) -> None:
        """Described above."""


class MawbDetail(APIView):
    """Stands for `shipments.v1.views.MawbDetailView`."""

    @extend_schema(
        operation_id="getMawb",
        tags=[TRACKING],
        summary="One MAWB with its guides",
        description="Also what tells whether a POST whose answer was lost has arrived.",
        parameters=[
            OpenApiParameter(
                "mawb",
                {"type": "string", "minLength": 1},
                OpenApiParameter.PATH,
                description="The number, with a hyphen, a space or nothing between its three and eight digits.",
                examples=[OpenApiExample("normal", value="045-70310122"), OpenApiExample("bare", value="04570310122")],
            )
        ],
        responses={
            200: OpenApiResponse(
                responses.MawbDetail, "The MAWB.", examples=[_example("mawb", "Two guides", examples.MAWB_DETAIL)]
            ),
            **refusals.responses(refusals.READING_ONE),
        },
    )
    def get(self) -> None:
        """Described above."""


class Guide(APIView):
    """Stands for `shipments.v1.views.GuideView`."""

    @extend_schema(
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
                responses.Guide, "The guide.", examples=[_example("guide", "Held by customs", examples.GUIDE)]
            ),
            **refusals.responses(refusals.READING_ONE),
        },
    )
    def get(self) -> None:
        """Described above."""


class _Public(APIView):
    """A route without a password."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class Health(_Public):
    """Stands for `prealerts.middleware.LivenessMiddleware`."""

    @extend_schema(
        operation_id="health",
        tags=[SERVICE],
        summary="Is the process alive?",
        description="Constant and unlimited.",
        responses={
            200: OpenApiResponse(responses.Liveness, "It is.", examples=[_example("alive", "Alive", {"status": "ok"})])
        },
    )
    def get(self) -> None:
        """Described above."""


class Ready(_Public):
    """Stands for `prealerts.health.ready`."""

    @extend_schema(
        operation_id="ready",
        tags=[SERVICE],
        summary="Can it serve?",
        description="For those who run the service: whether this machine reaches its database and has room for "
        "uploads. Within a second, without a word about why.",
        responses={
            200: OpenApiResponse(description="It can."),
            503: OpenApiResponse(description="It cannot."),
        },
    )
    def get(self) -> None:
        """Described above."""


class Template(_Public):
    """Stands for `shipments.v1.views.manifest_template`."""

    @extend_schema(
        operation_id="manifestTemplate",
        tags=[SERVICE],
        summary="The Chilean workbook, to be filled in",
        description="Uploaded as it is, it gives no warning and no notice.",
        responses={(200, request_body.XLSX): OpenApiResponse(OpenApiTypes.BINARY, "The workbook.")},
    )
    def get(self) -> None:
        """Described above."""


patterns = [
    path(f"{_API}/upload", Upload.as_view()),
    path(f"{_API}/process-pre-alert-json", JsonPreAlert.as_view()),
    path(f"{_API}/mawbs", MawbList.as_view()),
    path(f"{_API}/mawbs/<mawb>", MawbDetail.as_view()),
    path(f"{_API}/guides/<tracking_code>", Guide.as_view()),
    *webhook_endpoints.patterns,
    path("health", Health.as_view()),
    path("health/ready", Ready.as_view()),
    path("docs/templates/manifest-CL.xlsx", Template.as_view()),
]
"""One spelling of each route; the API's answer with a slash at the end as well."""
