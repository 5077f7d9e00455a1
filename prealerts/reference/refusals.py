"""What the documents say of refusals: their types, and the words of the errors themselves."""

from collections.abc import Iterable, Mapping
from inspect import cleandoc
from typing import Annotated, Any, NotRequired

from base import errors as base
from base.errors import DomainError
from base.http.json_types import PositiveCount, Uuid
from companies import errors as companies
from shipments import errors as shipments
from shipments.manifests.findings import MAX_REPORTED
from shipments.v1.answer_types import Question
from shipments.wording.envelope import Error, envelope
from shipments.wording.stored import AnsweredInvalidRow

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


class OperatorError(Error):
    """A refusal. Branch on `error`; treat a code that you do not know by its HTTP status."""

    permission: NotRequired[str]
    reason: NotRequired[str]
    country: NotRequired[str]
    mismatched: NotRequired[list[dict[str, str]]]
    oauth_error: NotRequired[str]
    error_description: NotRequired[str]
    request_id: NotRequired[str]


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
KINDS_OF_WEBHOOKS: Kinds = {
    **KINDS,
    400: (Error, "The request cannot be taken as it is."),
    403: (Error, "Authenticated, and not allowed."),
    409: (Error, "Not in this state of things."),
}
"""Of operations whose refusals have nothing beside the envelope."""

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
"""Status, code, sentence and message of what any operation may answer to a client."""
EVERYWHERE_TO_OPERATORS = [
    (status, code, sentence, sentence)
    for status, code, sentence in (
        (405, "method_not_allowed", "The route does not take this method."),
        (500, "internal_server_error", "An error of the service; give its request_id to its people."),
        (503, "unavailable", "The database is away, or a lock was not free for 15 seconds: wait as Retry-After says."),
    )
]
EXTRAS_TO_OPERATORS: Mapping[type[DomainError], Mapping[str, Any]] = {
    companies.Forbidden: {"permission": "shipments.change_guide"},
    companies.ForbiddenCountry: {"country": "PE"},
    base.RateLimited: {
        "message": "Your limit in requests is 10 a second, and 100 at once after a pause. Send this one again in 1 s."
    },
    companies.TokenRequestInvalid: {"details": {"grant_type": ["Must be password or client_credentials."]}},
    shipments.CountryMismatch: {"mismatched": [{"id": "DEMHGD7DBQVS3R", "country": "PE"}]},
    shipments.InvalidDocument: {"details": {"consignee_document": ["The check digit of the RUT is wrong."]}},
    shipments.InvalidDocumentType: {"details": {"consignee_document_type": ["Use RUC, DNI, CE or PASAPORTE."]}},
    base.NotFound: {"message": "No guide has this id."},
    base.InvalidQuery: {"details": {"state": ['"ended" is not a valid choice.']}},
    base.ValidationFailed: {"details": {"ids": ["Ensure this field has no more than 200 elements."]}},
}
"""What examples of refusals have beside the envelope, and other words of it."""


def explain(
    refused: Iterable[type[DomainError]],
    everywhere: Iterable[tuple[int, str, str, str]],
    extras: Mapping[type[DomainError], Mapping[str, Any]],
) -> dict[int, dict[str, dict[str, Any]]]:
    """Status -> code -> `summary`, a sentence, and `value`, the body. Of two errors with one code the first counts."""
    found: dict[int, dict[str, dict[str, Any]]] = {}
    for kind in refused:
        value = envelope(kind.code, **{"message": kind.default_message, **extras.get(kind, {})})
        found.setdefault(kind.status, {}).setdefault(kind.code, {"summary": first_sentences(kind), "value": value})
    for status, code, summary, message in everywhere:
        value = envelope(code, message)
        if status == 500:
            value["request_id"] = "0f8fad5bd9cb469fa16570867728950e"
        found.setdefault(status, {}).setdefault(code, {"summary": summary, "value": value})
    return dict(sorted(found.items()))


def first_sentences(kind: type[object]) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return " ".join(cleandoc(kind.__doc__ or "").split("\n\n")[0].split())
