"""One description for each operation, and what it may refuse, by the one table of answers (`prealerts/answers.py`)."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import cleandoc, signature
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, NotRequired

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework.serializers import Serializer

from base.errors import DomainError
from base.http.json_types import PositiveCount, Uuid
from companies.countries import SERVED_NAMES
from prealerts.answers import ANSWERS, Error, envelope
from prealerts.reference.about import WEBHOOKS
from shipments.manifests.findings import MAX_REPORTED
from shipments.v1.answer_types import Question
from shipments.wording.stored import AnsweredInvalidRow
from webhooks.catalogue import JOB, SUBSCRIPTION
from webhooks.events import SUBSCRIPTION_ID_PATTERN

Explained = Mapping[int, Mapping[str, Mapping[str, Any]]]
"""Status -> code -> `summary`, a sentence, and `value`, the body in the table's own words."""

Kinds = Mapping[int, tuple[type[object], str]]
"""Status -> the type of its refusals, and a sentence."""

_LISTED = f"the problems in the order of the rows, at most {MAX_REPORTED:,}."
_Total = Annotated[PositiveCount, "How many problems there are in all."]


class Refused(Error):
    """A request that cannot be taken as it is."""

    country: NotRequired[Annotated[str | None, "With `no_parser_for_format`."]]
    missing: NotRequired[Annotated[list[str], "With `workbook_format_changed`: required headings that are not there."]]
    repeated: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that are there repeatedly."]]
    new: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that the layout does not have."]]
    layout: NotRequired[Annotated[str, "With `workbook_format_changed`: the id of the layout."]]
    invalid_rows: NotRequired[Annotated[list[AnsweredInvalidRow], f"With `manifest_validation_failed`: {_LISTED}"]]
    questions: NotRequired[Annotated[list[Question], "With `hawb_in_doubt`, `mawb_not_found_in_file`: what is asked."]]
    invalid_rows_total: NotRequired[_Total]


class Forbidden(Error):
    """Authenticated, and not allowed."""

    country: NotRequired[
        Annotated[str, "With `country_not_allowed`: the destination. With `unsupported_country`: yours."]
    ]
    allowed_countries: NotRequired[Annotated[list[str], "With `unsupported_country`: yours."]]
    client_code: NotRequired[Annotated[str, "With `client_not_resolved`: as it was sent."]]


class Duplicate(Error):
    """The MAWB, or the request with this key, came before; or it is too late for what is asked."""

    manifest_id: NotRequired[Annotated[Uuid, "With `mawb_already_exists`: the manifest that exists."]]
    status: NotRequired[Annotated[str, "With `guide_under_way`: the guide's status."]]
    fields: NotRequired[Annotated[list[str], "With `guide_under_way`: the fields that came too late."]]
    guides_by_status: NotRequired[
        Annotated[dict[str, PositiveCount], "With `manifest_under_way`: only statuses that some guide has."]
    ]


class RowsRefused(Error):
    """A well-formed request that is wrong for this client, or for its key."""

    invalid_rows: NotRequired[Annotated[list[AnsweredInvalidRow], f"With `marketplace_fields_...`: {_LISTED}"]]
    invalid_rows_total: NotRequired[_Total]


class Failure(Error):
    """An error of the service."""

    request_id: Annotated[str, "Give it to the operators."]


KINDS: Kinds = {
    400: (Refused, "The request cannot be taken as it is."),
    401: (Error, "No password, or none that counts."),
    403: (Forbidden, "Authenticated, and not allowed."),
    404: (Error, "Not among what the caller's company owns."),
    405: (Error, "Another method than those of this route; `Allow` lists them."),
    409: (Duplicate, "Sent before, still being processed under this key, or too late: see `error`."),
    429: (Error, "Too many requests, or too many test deliveries. Wait as long as Retry-After says."),
    422: (RowsRefused, "A well-formed request that is wrong for this client, or for its key."),
    500: (Failure, "An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first."),
    503: (Error, "Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET."),
}


PLAIN: Kinds = {
    **KINDS,
    400: (Error, "The request cannot be taken as it is."),
    403: (Error, "Authenticated, and not allowed."),
    409: (Error, "Not in this state of things."),
}
"""Of operations whose refusals have nothing beside the envelope."""


def explain(
    refused: Iterable[type[DomainError]],
    everywhere: Iterable[tuple[int, str, str, str]],
    extras: Mapping[type[DomainError], Mapping[str, Any]] = MappingProxyType({}),
) -> Explained:
    """What an operation answers beside success: each of its codes.

    refused: of two with the same code the first is explained. everywhere: status, code, sentence and message of what
    any operation may answer. extras: of examples, by their error; also another `message`.
    """
    found: dict[int, dict[str, Mapping[str, Any]]] = {}
    for kind in refused:
        status, code = ANSWERS[kind]
        value = envelope(code, **{"message": kind.default_message, **extras.get(kind, {})})
        found.setdefault(status, {}).setdefault(code, {"summary": _first_sentences(kind), "value": value})
    for status, code, summary, message in everywhere:
        value = envelope(code, message)
        if status == 500:
            value["request_id"] = "0f8fad5bd9cb469fa16570867728950e"
        found.setdefault(status, {}).setdefault(code, {"summary": summary, "value": value})
    return found


def _first_sentences(kind: type[object]) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return " ".join(cleandoc(kind.__doc__ or "").split("\n\n")[0].split())


def describe_refusals(explained: Explained, kinds: Kinds) -> dict[int, OpenApiResponse]:
    made = {}
    for status, codes in sorted(explained.items()):
        kind, sentence = kinds[status]
        lines = [f"- `{code}`: {each['summary']}" for code, each in codes.items()]
        made[status] = OpenApiResponse(kind, "\n".join([sentence, "", *lines] if sentence else lines))
    return made


EVERYWHERE = (
    (400, "invalid_host", "The request's `Host` is none of the service's.",
     "The Host header names no host of this service."),
    (405, "method_not_allowed", "The route does not take this method.", "PUT is not allowed here; use GET."),
    (500, "internal_server_error", "Something went wrong on our side.",
     "Something went wrong on our side; it has been recorded under the request_id."),
    (503, "unavailable",
     "The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.",
     "The service cannot reach its database; try again in a moment."),
)  # fmt: skip
"""Status, code, sentence and message of what any operation may answer."""


Answer = type[object] | PolymorphicProxySerializer | OpenApiTypes | None
JSON: Final = "application/json"

EXAMPLES = Path(__file__).with_name("examples.json")
"""Operation -> `request` or status -> name -> body. `make examples` records the answers; the requests are by hand."""
CURSOR: Final = "4nYj2mTBAGVg0uF7bSgVfM3s2Qk1Yc0aQ8n5rW6tXpE"
"""In examples: opaque, as those of answers are."""
SHARED: Final = "*"
"""In place of an operation: refusals that all have in common."""


def _in_path(name: str, description: str, *examples: str, **schema: object) -> OpenApiParameter:
    shown = [OpenApiExample(f"spelling {number}", value=each) for number, each in enumerate(examples, 1)]
    return OpenApiParameter(
        name, {"type": "string", **schema}, OpenApiParameter.PATH, description=description, examples=shown
    )


_PATH_PARAMETERS: Mapping[str, OpenApiParameter] = {parameter.name: parameter for parameter in (
    _in_path("mawb", "The number, with a hyphen, a space or nothing between its three and eight digits.",
             "045-70310122", "04570310122", minLength=1),
    _in_path("tracking_code", "As the answer to the upload gave it; capitals do not matter.", "DEMHGD7DBQVS3R",
             minLength=1),
    _in_path("job", "The `job_id`.", JOB),
    _in_path("subscription_id", "The `id` of a webhook.", SUBSCRIPTION, pattern=SUBSCRIPTION_ID_PATTERN),
    _in_path("delivery_id", "The `id` of a delivery.", "evt_ab181e27-c073-4611-aa57-081315d42970",
             pattern="^evt_[0-9a-f-]{36}$"),
)}  # fmt: skip
REFUSED: dict[str, Mapping[str, Mapping[str, Any]]] = {}
"""Operation -> status -> code -> `summary`, and `value`, the body in the words of the table of answers."""


def describe(  # what OpenAPI says of an operation
    view: Callable[..., object],
    operation: str,
    answers: Mapping[int | tuple[int, str], Answer],
    refused: Iterable[type[DomainError]],
    *,
    tag: str,
    query: type[Serializer[Any]] | None = None,
    request: object = None,
    headers: Sequence[OpenApiParameter] = (),
) -> None:
    """Describe the method of a view, such as `views.GuideView.get`; its arguments are the parameters of the path.

    operation: its name, under which `operations.md` has its summary and description. answers: status, or status and
    media type -> what is in the body. refused: what it raises, in the order in which it is asked. query, request:
    serializers; a request that is no JSON is a mapping from its media type. Examples are added by `examples`.
    """
    summary, description = texts("operations.md")[operation]
    path = [
        _PATH_PARAMETERS.get(name, OpenApiParameter(name, str, OpenApiParameter.PATH))
        for name in list(signature(view).parameters)[2:]
    ]
    explained = explain(refused, EVERYWHERE)
    REFUSED[operation] = {str(status): codes for status, codes in explained.items()}
    extend_schema(
        operation_id=operation,
        tags=[tag],
        summary=summary,
        description=description,
        parameters=[*path, *([query] if query else []), *headers],
        request={JSON: request} if isinstance(request, type) else request,
        responses={
            **{status: OpenApiResponse(kind, _sentence(kind)) for status, kind in answers.items()},
            **describe_refusals(explained, PLAIN if tag == WEBHOOKS else KINDS),
        },
    )(view)


@cache
def texts(file: str) -> Mapping[str, tuple[str, str]]:
    """Operation -> its summary, and its description with a line for each paragraph. file: beside this one."""
    sections = Path(__file__).with_name(file).read_text(encoding="utf-8").removeprefix("## ").split("\n## ")
    found = {}
    for section in sections:
        name, summary, text = re.split(r": |\n", section, maxsplit=2)
        paragraphs = [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]
        found[name] = summary, "\n\n".join(paragraphs).replace("{countries}", SERVED_NAMES)
    return found


def _sentence(kind: Answer) -> str:
    if kind is None or isinstance(kind, OpenApiTypes):
        return "Done." if kind is None else "The same as a file."
    if isinstance(kind, PolymorphicProxySerializer):
        return "The guide as it is now; to a courier, which fields changed."
    return _first_sentences(kind)


@cache
def _recorded() -> Mapping[str, Any]:
    return dict(json.loads(EXAMPLES.read_text(encoding="utf-8")))


def examples(operation: str, place: str) -> dict[str, Any]:
    """The examples of a body, by name. place: `request` or a status.

    A refusal that no test has recorded is shown as the table of answers words it.
    """
    kept = _recorded()
    recorded = kept.get(operation, {}).get(place, {})
    refused = REFUSED.get(operation, {}).get(place)
    if refused is None:
        return {name: {"summary": name, "value": value} for name, value in recorded.items()}
    recorded = {
        **{code: each["value"] for code, each in refused.items()},
        **kept.get(SHARED, {}).get(place, {}),
        **recorded,
    }
    return {
        code: {"summary": code, "description": each["summary"], "value": recorded[code]}
        for code, each in refused.items()
    }
