"""The descriptions of the API's views in the document. They are here because their apps may not import this one.

Tests send requests to every route and compare the responses with the document.
"""

from collections.abc import Mapping

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
    extend_schema,
)

from companies import passwords
from companies.countries import SERVED_NAMES
from prealerts.reference import examples, list_parameters, refusals, request_body
from prealerts.reference.about import PRE_ALERTS, TRACKING
from prealerts.reference.shapes import EitherOf
from shipments.v1 import answer_types, guide_views, idempotency_header, me, validation_answer, validation_views, views
from webhooks.v1.bodies import RequestBody


class _ApiPassword(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it registers itself
    """How the document calls the company's password."""

    target_class = "companies.authentication.BearerPasswordAuthentication"
    name = "ApiPassword"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, object]:  # noqa: ARG002  # as declared
        return {
            "type": "http",
            "scheme": "bearer",
            "description": (
                f"The company's API password, `Authorization: Bearer {passwords.prefix()}...`. It identifies the "
                "company that is calling. It belongs on servers, never in a browser or an app."
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


_TRACKING_CODE = OpenApiParameter(
    "tracking_code",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="As the answer to the upload gave it; capitals do not matter.",
    examples=[OpenApiExample("code", value="DEMHGD7DBQVS3R")],
)
_TO_COURIER = _example(
    "courier", "To a courier", {"success": True, "tracking_code": "DEMHGD7DBQVS3R", "fields": ["consignee_phone"]}
)


def _reasons(kind: type[RequestBody], value: Mapping[str, object]) -> dict[str, OpenApiRequest]:
    return {"application/json": OpenApiRequest(kind, examples=[_example("reason", "With its reason", value)])}


_KEY = OpenApiParameter(
    idempotency_header.HEADER,
    {"type": "string", "pattern": "^[ -~]+$", "minLength": 1, "maxLength": 2 * (idempotency_header.MAX_LENGTH + 1)},
    OpenApiParameter.HEADER,
    description=(
        "A name of your own for this request, such as a UUID: 1 to 255 printable ASCII characters, with or without "
        "quotes around them. Sent again within 7 days with the same content, it gets the first success again, with "
        "`Idempotent-Replayed: true`. A refusal frees it."
    ),
    examples=[OpenApiExample("uuid", value="7f0a2f4e-5f0e-4a1c-9d5e-0b8f6a2c1d3e")],
)


_PREFER = OpenApiParameter(
    "Prefer",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description=(
        "`respond-async` (RFC 7240): store the files and answer 202 with a job, without waiting for the workbook to be "
        "read. Other preferences are ignored."
    ),
    examples=[OpenApiExample("async", value="respond-async")],
)


_UPLOAD_FORM = {
    "multipart/form-data": OpenApiRequest(
        request_body.UploadForm,
        encoding={
            "manifest_file": {"contentType": request_body.XLSX},
            "invoice_file": {"contentType": "application/pdf"},
        },
    )
}
_JSON_BODY = {
    "application/json": OpenApiRequest(
        request_body.JsonManifest,
        examples=[_example("chile", "Two guides to Chile, one with products", examples.JSON_MANIFEST)],
    )
}

extend_schema(
    operation_id="uploadManifest",
    tags=[PRE_ALERTS],
    summary="Send a workbook",
    description=(
        "An Excel manifest to Chile, perhaps with its invoice. A row with invalid values gives a "
        "warning and never stops the upload.\n\n**Safe to repeat under an `Idempotency-Key`:** when the answer was "
        "lost, send the same again and get the same answer. Without a key, ask `GET /mawbs/{mawb}` first: of any "
        "number of identical uploads exactly one gets the 201, and the others get `mawb_already_exists` with its "
        "`manifest_id`.\n\nThe first failure is the answer, so mending one error may show the next."
    ),
    parameters=[_KEY, _PREFER],
    request=_UPLOAD_FORM,
    responses={
        202: OpenApiResponse(
            answer_types.JobQueued,
            "With `Prefer: respond-async`: stored, and not read yet.",
            examples=[_example("queued", "Stored", examples.JOB_QUEUED)],
        ),
        201: OpenApiResponse(
            answer_types.UploadResult,
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
    operation_id="me",
    tags=[PRE_ALERTS],
    summary="Your company",
    description=(
        "What your password opens: countries, workbooks, the tracking prefix, the rate limit. Begin here: couriers and "
        "companies without a country are answered, too."
    ),
    responses={
        200: OpenApiResponse(me.Me, "Your company.", examples=[_example("client", "A client", examples.ME)]),
        **refusals.responses(refusals.AUTHENTICATED),
    },
)(me.MeView.get)


extend_schema(
    operation_id="getJob",
    tags=[PRE_ALERTS],
    summary="One upload job",
    description=(
        "What became of an upload with `Prefer: respond-async`. Ask again after `Retry-After` until `status` is "
        "`succeeded` or `failed`, or subscribe to `upload.succeeded` and `upload.failed`. Kept for 7 days after its "
        "end."
    ),
    parameters=[OpenApiParameter("job", OpenApiTypes.STR, OpenApiParameter.PATH, description="The `job_id`.")],
    responses={
        200: OpenApiResponse(
            answer_types.Job, "As it is now.", examples=[_example("failed", "Refused", examples.JOB_FAILED)]
        ),
        **refusals.responses(refusals.READING_ONE),
    },
)(views.JobView.get)


_VALIDATION_ANSWERED = "What the upload would answer. A refusal is content of this answer, with its status in it."

extend_schema(
    operation_id="validateWorkbook",
    tags=[PRE_ALERTS],
    summary="Try a workbook",
    description=(
        "The same request as *Send a workbook*, read in the same way, and **nothing is stored**: no manifest, no file, "
        "no webhook, no key. Safe to repeat.\n\nReading goes on after a refusal where it can, so that changed columns "
        "and the problems of all rows are reported at once. With `Accept: "
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet` the answer is the workbook itself, with "
        "each problem at its cell and a list of all problems; it contains what was sent, personal data included.\n\n"
        "Validations never take the last place for reading workbooks from an upload; without a place within 5 seconds "
        "the answer is a 503."
    ),
    request=_UPLOAD_FORM,
    responses={
        (200, "application/json"): OpenApiResponse(
            validation_answer.Validation,
            _VALIDATION_ANSWERED,
            examples=[_example("known", "The MAWB was sent before", examples.VALIDATION)],
        ),
        (200, request_body.XLSX): OpenApiResponse(OpenApiTypes.BINARY, _VALIDATION_ANSWERED),
        **refusals.responses(refusals.VALIDATED_UPLOAD),
    },
)(validation_views.UploadValidationView.post)


extend_schema(
    operation_id="validateManifest",
    tags=[PRE_ALERTS],
    summary="Try JSON",
    description=(
        "The same request as *Send JSON*, checked in the same way, and **nothing is stored**. Safe to repeat. The "
        "problems of the manifest's own fields and of all rows are reported at once."
    ),
    request=_JSON_BODY,
    responses={
        200: OpenApiResponse(validation_answer.Validation, _VALIDATION_ANSWERED),
        **refusals.responses(refusals.VALIDATED_JSON),
    },
)(validation_views.JsonValidationView.post)


extend_schema(
    operation_id="postManifest",
    tags=[PRE_ALERTS],
    summary="Send JSON",
    description=(
        f"A canonical manifest to {SERVED_NAMES}, at most 10 MB. All or nothing: when any guide is "
        "incomplete or breaks its country's rules, nothing is created, and one response lists every problem of every "
        "row.\n\nThe destination decides the country. A courier names the client it posts for in `client_code`.\n\n"
        "**Safe to repeat under an `Idempotency-Key`**, as an upload is."
    ),
    parameters=[_KEY],
    request=_JSON_BODY,
    responses={
        201: OpenApiResponse(
            answer_types.JsonResult,
            "Created, whole.",
            examples=[_example("created", "Taken without a remark", examples.JSON_RESULT)],
        ),
        **refusals.responses(refusals.JSON),
    },
)(views.JsonPreAlertView.post)


extend_schema(
    operation_id="listMawbs",
    tags=[TRACKING],
    summary="Your MAWBs",
    description=(
        "Newest first, in pages. Without parameters: the 50 newest. Filters apply together; unknown parameters are "
        "ignored.\n\nTo follow what changes, ask with `updated_since`: the time of the last request, less two minutes, "
        "because a change may become visible a moment after its time."
    ),
    parameters=list_parameters.MAWBS,
    responses={
        200: OpenApiResponse(
            answer_types.MawbList,
            "A page.",
            examples=[
                _example("one", "One MAWB, a guide of which is held by customs", examples.MAWB_LIST),
                _example("none", "Nothing sent yet", examples.EMPTY_LIST),
            ],
        ),
        **refusals.responses(refusals.READING_LIST),
    },
)(views.MawbListView.get)


extend_schema(
    operation_id="getMawb",
    tags=[TRACKING],
    summary="One MAWB with its guides",
    description="Also shows whether a POST whose response was lost has arrived.",
    parameters=[
        _MAWB,
    ],
    responses={
        200: OpenApiResponse(
            answer_types.MawbDetail, "The MAWB.", examples=[_example("mawb", "Two guides", examples.MAWB_DETAIL)]
        ),
        **refusals.responses(refusals.READING_ONE),
    },
)(views.MawbDetailView.get)


extend_schema(
    operation_id="listGuides",
    tags=[TRACKING],
    summary="The guides of one MAWB in pages",
    description="By HAWB. For a MAWB with many guides, of which the detail always shows all.",
    parameters=[_MAWB, *list_parameters.GUIDES],
    responses={
        200: OpenApiResponse(
            answer_types.GuideList,
            "A page.",
            examples=[_example("guides", "The first of two pages", examples.GUIDE_LIST)],
        ),
        **refusals.responses(refusals.READING_GUIDES),
    },
)(views.MawbGuidesView.get)


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
            answer_types.AnsweredFindings,
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
    description="Nothing follows a terminal status, unless it was recorded by mistake and taken back: its event then "
    "leaves the timeline, and the status that holds is a further event. A late scan is on the timeline at its time.",
    parameters=[_TRACKING_CODE],
    responses={
        200: OpenApiResponse(
            answer_types.AnsweredGuide, "The guide.", examples=[_example("guide", "Held by customs", examples.GUIDE)]
        ),
        **refusals.responses(refusals.READING_ONE),
    },
)(guide_views.GuideView.get)


extend_schema(
    operation_id="guides",
    tags=[TRACKING],
    summary="Many guides in one call",
    description=(
        "Of any of your MAWBs, the oldest change first. One of `hawb`, `tracking_code`, `mawb` and `updated_since` is "
        "needed; filters apply together, and unknown parameters are ignored.\n\nTo follow what changes, keep the last "
        "`updated_at` and ask with `updated_since`: that time, less two minutes, because a change may become visible a "
        "moment after its time."
    ),
    parameters=list_parameters.GUIDE_CHANGES,
    responses={
        200: OpenApiResponse(
            answer_types.ChangedGuides, "A page.", examples=[_example("one", "One guide", examples.CHANGED_GUIDES)]
        ),
        **refusals.responses(refusals.READING_LIST),
    },
)(guide_views.GuideListView.get)


extend_schema(
    operation_id="correct",
    tags=[TRACKING],
    summary="Correct a guide",
    description=(
        "Only what is sent, and what follows from it, is judged, by the rules of a row of the JSON manifest; `null` "
        "empties an optional field. Where the consignee lives and is reached: until the guide is out for delivery. "
        "Everything else: while it is `registered`. Safe to repeat: what is so already is never too late.\n\nA courier "
        "sends the `client_code` of the client it posted the guide for, and is answered without details."
    ),
    parameters=[_TRACKING_CODE],
    request={
        "application/json": OpenApiRequest(
            request_body.GuideCorrection,
            examples=[_example("phone", "A phone number", {"consignee_phone": "+56 9 5550 0199"})],
        )
    },
    responses={
        200: OpenApiResponse(
            EitherOf("CorrectionResult", answer_types.CorrectedGuide, answer_types.CorrectedByCourier),
            "The guide as it is now; to a courier, which fields changed.",
            examples=[_example("guide", "To its owner", {**examples.GUIDE, "warnings": []}), _TO_COURIER],
        ),
        **refusals.responses(refusals.CORRECTING),
    },
)(guide_views.GuideView.patch)


extend_schema(
    operation_id="cancel",
    tags=[TRACKING],
    summary="Cancel a guide",
    description=(
        "While it is `registered`. Safe to repeat: a cancelled guide is answered as it is. The reason goes to the "
        "operators. A courier sends `client_code`, too."
    ),
    parameters=[_TRACKING_CODE],
    request=_reasons(guide_views.Cancellation, {"reason": "The buyer withdrew"}),
    responses={
        200: OpenApiResponse(
            EitherOf("CancellationResult", answer_types.AnsweredGuide, answer_types.CorrectedByCourier),
            "The guide as it is now; to a courier, which fields changed.",
            examples=[_example("guide", "To its owner", examples.GUIDE), _TO_COURIER],
        ),
        **refusals.responses(refusals.CANCELLING),
    },
)(guide_views.GuideCancelView.post)


extend_schema(
    operation_id="void",
    tags=[TRACKING],
    summary="Void a MAWB",
    description=(
        "While every guide is `registered` or `cancelled`: its guides are cancelled, it is a 404 from then on, and it "
        "can be sent again. Safe to repeat, and with `manifest_id` even after it was sent again: another manifest is "
        "never voided. A courier sends `client_code`, too."
    ),
    parameters=[_MAWB],
    request=_reasons(guide_views.Voiding, {"reason": "Sent twice", "manifest_id": examples.MANIFEST_ID}),
    responses={
        200: OpenApiResponse(
            answer_types.Voided, "Voided.", examples=[_example("voided", "With both guides", examples.VOIDED)]
        ),
        **refusals.responses(refusals.VOIDING),
    },
)(guide_views.MawbVoidView.post)
