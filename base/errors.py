"""The errors that any app may raise, without HTTP: what was refused, in a sentence that says what to do about it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self


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
    status, code: of the response; neither changes once it is public. Without a code it is for ourselves only.
    retry_after_seconds: the least wait before another try, if that is known.
    unknown_headings: headings of the workbook that were not understood; for operators, not in the response.
    mawb: of the workbook, if it names one; for operators, too.
    """

    status: ClassVar[int] = 400
    code: ClassVar[str]
    retry_after_seconds: int = 0
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

    status, code = 503, "unavailable"


class InvalidBody(DomainError):
    """The request body is not a valid JSON object."""

    code = "invalid_body"
    default_message = "The body must be one JSON object in UTF-8."


class ValidationFailed(DomainError):
    """Fields of the request are invalid. `details` gives the reasons for each field."""

    code = "validation_failed"
    default_message = "Some fields are invalid; see details."


class InvalidQuery(DomainError):
    """Parameters of a list are invalid. `details` gives the reasons for each."""

    code = "invalid_query"
    default_message = "Some parameters are invalid; see details."


class NotFound(DomainError):
    """The resource does not exist or belongs to another company."""

    status, code = 404, "not_found"
    default_message = "Not found."


class RateLimited(DomainError):
    """The sender makes more requests than its limit allows. Wait as long as `Retry-After` says.

    retry_after_seconds: when a request will pass, if the sender makes no other. headers: those of the limit.
    """

    status, code = 429, "rate_limited"
    default_message = (
        "Your company's limit in requests is 50 a second, and 500 at once after a pause. Send this one again in 1 s."
    )

    def __init__(
        self, message: str = "", *, retry_after_seconds: int = 1, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
        self.headers = dict(headers or {})
