"""The envelope of every refusal of the APIs, in the active language."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from django.utils.translation import gettext

from base.errors import DomainError, Translatable
from base.http.json_types import Keywords
from shipments.wording.stored import render_invalid_rows


class Error(TypedDict):
    """Every refusal. Branch on `error`; treat a code that you do not know by its HTTP status."""

    success: Literal[False]
    error: Annotated[str, Keywords(pattern="^[a-z][a-z0-9_]*$"), "The stable code. More may come in minor releases."]
    message: Annotated[str, "One sentence for a person; it may be reworded at any time."]
    details: NotRequired[
        Annotated[dict[str, list[str]], "With `validation_failed`, where fields are concerned: what is wrong."]
    ]


def envelope(
    error: str, message: str, *, details: Mapping[str, list[str]] | None = None, **extras: object
) -> dict[str, object]:
    """The body of every refusal. `details` is left out where no field is concerned."""
    body: Error = {"success": False, "error": error, "message": message}
    if details:
        body["details"] = dict(details)
    return {**body, **extras}


def body_of(exc: DomainError) -> dict[str, object]:
    details = {name: [_translate(each) for each in problems] for name, problems in exc.details.items()}
    extras: dict[str, Any] = dict(exc.extras)
    if "invalid_rows" in extras:
        extras["invalid_rows"] = render_invalid_rows(extras["invalid_rows"])
    return envelope(exc.code, _translate(exc.message), details=details, **extras)


def _translate(sentence: str) -> str:
    if not isinstance(sentence, Translatable):
        return gettext(sentence)
    params = {
        name: _translate(each) if isinstance(each, Translatable) else each for name, each in sentence.params.items()
    }
    return gettext(sentence.text) % params if params else gettext(sentence.text)


def unexpected(request_id: str) -> dict[str, object]:
    return envelope(
        "internal_server_error",
        gettext("Something went wrong on our side; it has been recorded under the request_id."),
        request_id=request_id,
    )
