"""One description for each operation, whichever document it is in."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import cleandoc, signature
from pathlib import Path
from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.serializers import Serializer

from companies.errors import DomainError
from prealerts.reference import refusals
from prealerts.reference.about import WEBHOOKS
from prealerts.reference.shapes import EitherOf
from webhooks.catalogue import SUBSCRIPTION
from webhooks.events import SUBSCRIPTION_ID_PATTERN

Answer = type[object] | EitherOf | OpenApiTypes | None
JSON: Final = "application/json"

EXAMPLES = Path(__file__).with_name("examples.json")
"""Operation -> `request` or status -> name -> body. `make examples` records the answers; the requests are by hand."""
SHARED: Final = "*"
"""In place of an operation: refusals that all have in common."""


def _in_path(name: str, description: str, *examples: str, **schema: object) -> OpenApiParameter:
    shown = [OpenApiExample(f"spelling {number}", value=each) for number, each in enumerate(examples, 1)]
    return OpenApiParameter(
        name, {"type": "string", **schema}, OpenApiParameter.PATH, description=description, examples=shown
    )


_IN_PATH = (
    _in_path(
        "mawb",
        "The number, with a hyphen, a space or nothing between its three and eight digits.",
        "045-70310122",
        "04570310122",
        minLength=1,
    ),
    _in_path(
        "tracking_code",
        "As the answer to the upload gave it; capitals do not matter.",
        "DEMHGD7DBQVS3R",
        minLength=1,
    ),
    _in_path("job", "The `job_id`."),
    _in_path("subscription_id", "The `id` of a webhook.", SUBSCRIPTION, pattern=SUBSCRIPTION_ID_PATTERN),
    _in_path(
        "delivery_id",
        "The `id` of a delivery.",
        "evt_ab181e27-c073-4611-aa57-081315d42970",
        pattern="^evt_[0-9a-f-]{36}$",
    ),
)
_PATH_PARAMETERS: Mapping[str, OpenApiParameter] = {parameter.name: parameter for parameter in _IN_PATH}
REFUSED: dict[str, Mapping[str, Mapping[str, Any]]] = {}
"""Operation -> status -> code -> `summary`, and `value`, the body in the words of the table of answers."""


def describe(  # noqa: PLR0913  # what OpenAPI says of an operation
    view: Callable[..., object],
    operation: str,
    summary: str,
    description: str,
    answers: Mapping[int | tuple[int, str], Answer],
    refused: Iterable[type[DomainError]],
    *,
    tag: str,
    query: type[Serializer[Any]] | None = None,
    request: object = None,
    headers: Sequence[OpenApiParameter] = (),
) -> None:
    """Describe the method of a view, such as `views.GuideView.get`; its arguments are the parameters of the path.

    operation: a name that no other operation of any document has. answers: status, or status and media type -> what
    is in the body. refused: what it raises, in the order in which it is asked. query, request: serializers; a request
    that is no JSON is a mapping from its media type. Examples are added by `examples`.
    """
    path = [
        _PATH_PARAMETERS.get(name, OpenApiParameter(name, str, OpenApiParameter.PATH))
        for name in list(signature(view).parameters)[2:]
    ]
    explained = refusals.explained(refused, refusals.EVERYWHERE)
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
            **refusals.responses(explained, refusals.PLAIN if tag == WEBHOOKS else refusals.KINDS),
        },
    )(view)


def _sentence(kind: Answer) -> str:
    if kind is None or isinstance(kind, OpenApiTypes):
        return "Done." if kind is None else "The same as a file."
    if isinstance(kind, EitherOf):
        return "The guide as it is now; to a courier, which fields changed."
    return " ".join(cleandoc(kind.__doc__ or "").split("\n\n")[0].split())


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
