"""The errors that any app may raise, without HTTP: what was refused, in a sentence that says what to do about it."""

from collections.abc import Mapping, Sequence
from typing import Self


class Translatable(str):  # noqa: SLOT000  # a str cannot have slots with content
    """A sentence in English whose parameters are filled in. It keeps both, so that an answer can translate it.

    text: the msgid, such as "Send at most %(most)s guides."; the catalogue collects it from the call.
    """

    text: str
    params: Mapping[str, object]

    def __new__(cls, text: str, **params: object) -> Self:
        sentence = super().__new__(cls, text % params if params else text)
        sentence.text, sentence.params = text, params
        return sentence


class DomainError(Exception):
    """Raised when the domain rejects something.

    message: one sentence for people: what was wrong and what to do about it. Never a secret or personal data.
    details: field name -> messages, if the error concerns fields.
    extras: additional keys of the response that help the caller, such as `country` or `manifest_id`.
    unknown_headings: headings of the workbook that were not understood; for operators, not in the response.
    mawb: of the workbook, if it names one; for operators, too.
    """

    unknown_headings: Sequence[str] = ()
    mawb: str = ""

    default_message = "The request was refused."

    def __init__(
        self, message: str = "", *, details: Mapping[str, Sequence[str]] | None = None, **extras: object
    ) -> None:
        self.message = message or self.default_message
        self.details = {name: list(messages) for name, messages in (details or {}).items()}
        self.extras = extras
        super().__init__(self.message)


class TemporarilyUnavailable(DomainError):
    """Something of ours is away: no form can correct it, so that pages report it as a 503."""


class RateLimited(DomainError):
    """The sender makes more requests than its limit allows. Wait as long as `Retry-After` says.

    retry_after_seconds: when a request will pass, if the sender makes no other. headers: those of the limit.
    """

    default_message = (
        "Your company's limit in requests is 50 a second, and 500 at once after a pause. Send this one again in 1 s."
    )

    def __init__(
        self, message: str = "", *, retry_after_seconds: int = 1, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
        self.headers = dict(headers or {})


class BodyRefused(DomainError):
    """The body is not a JSON object."""

    default_message = "The body must be one JSON object in UTF-8, sent as application/json."


class FieldsRefused(DomainError):
    """Fields of the body are invalid; `details` lists each with its reasons."""

    default_message = "Some fields are invalid; see details."


class QueryRefused(DomainError):
    """Query parameters are invalid; `details` lists each with its reasons."""

    default_message = "Some parameters are invalid; see details."
