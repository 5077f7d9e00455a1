"""What an operation may refuse, with the statuses and codes of the one table of answers (`prealerts/answers.py`)."""

from collections.abc import Iterable, Mapping
from inspect import cleandoc
from types import MappingProxyType
from typing import Annotated, Any, NotRequired

from drf_spectacular.utils import OpenApiResponse

from companies.errors import DomainError
from prealerts.answers import ANSWERS, Error, envelope
from shipments.manifests.findings import MAX_REPORTED
from shipments.v1.answer_types import ReadingFormat
from shipments.wording.stored import AnsweredInvalidRow
from webhooks.json_types import PositiveCount, Uuid

Explained = Mapping[int, Mapping[str, Mapping[str, Any]]]
"""Status -> code -> `summary`, a sentence, and `value`, the body in the table's own words."""

Kinds = Mapping[int, tuple[type[object], str]]
"""Status -> the type of its refusals, and a sentence."""

_LISTED = f"the problems in the order of the rows, at most {MAX_REPORTED:,}."
_Total = Annotated[PositiveCount, "How many problems there are in all."]


class Refused(Error):
    """A request that cannot be taken as it is."""

    country: NotRequired[Annotated[str | None, "With `no_parser_for_format`."]]
    format: NotRequired[Annotated[ReadingFormat, "With `workbook_format_changed`: its name and version."]]
    missing: NotRequired[Annotated[list[str], "With `workbook_format_changed`: required headings that are not there."]]
    repeated: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that are there repeatedly."]]
    new: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that the format does not have."]]
    invalid_rows: NotRequired[Annotated[list[AnsweredInvalidRow], f"With `manifest_validation_failed`: {_LISTED}"]]
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
    500: (
        Failure,
        "An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.",
    ),
    503: (Error, "Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET."),
}


PLAIN: Kinds = {
    **KINDS,
    400: (Error, "The request cannot be taken as it is."),
    403: (Error, "Authenticated, and not allowed."),
    409: (Error, "Not in this state of things."),
}
"""Of operations whose refusals have nothing beside the envelope."""


def explained(
    refused: Iterable[type[DomainError]],
    everywhere: Iterable[tuple[int, str, str, str]],
    extras: Mapping[type[DomainError], Mapping[str, Any]] = MappingProxyType({}),
) -> Explained:
    """What an operation answers beside success: each of its codes.

    refused: of two with the same code the first is explained. everywhere: status, code, sentence and message of what
    any operation may answer. extras: of examples, by their error.
    """
    found: dict[int, dict[str, Mapping[str, Any]]] = {}
    for kind in refused:
        status, code = ANSWERS[kind]
        summary = " ".join(cleandoc(kind.__doc__ or "").split("\n\n")[0].split())
        value = envelope(code, kind.default_message, **extras.get(kind, {}))
        found.setdefault(status, {}).setdefault(code, {"summary": summary, "value": value})
    for status, code, summary, message in everywhere:
        value = envelope(code, message)
        if status == 500:
            value["request_id"] = "0f8fad5bd9cb469fa16570867728950e"
        found.setdefault(status, {}).setdefault(code, {"summary": summary, "value": value})
    return found


def responses(explained: Explained, kinds: Kinds) -> dict[int, OpenApiResponse]:
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
