"""What the client raises."""

from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any


class PreAlertsError(Exception):
    """The base of everything that the client raises."""


class ApiError(PreAlertsError):
    """The service answered with an error. Use `code`; judge one that you do not know by its `status`.

    status: the HTTP status. code: the stable code, such as `mawb_already_exists`; empty where the answer was not the
    service's own, such as a proxy's page. details: field -> messages. body: the whole answer, with whatever else
    belongs to the code. request_id: what the operators find the request by. headers: of the answer.
    retry_after_seconds: how long the service asks to wait, 0 if it does not.
    """

    def __init__(
        self,
        status: int,
        body: Mapping[str, Any],
        request_id: str = "",
        *,
        reason: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status, self.body, self.request_id = status, dict(body), request_id
        self.headers: Mapping[str, str] = {} if headers is None else headers
        self.retry_after_seconds = seconds_of(self.headers.get("Retry-After", ""))
        self.code = str(body.get("error", ""))
        self.message = str(body.get("message", ""))
        details = body.get("details")
        self.details: dict[str, list[str]] = dict(details) if isinstance(details, Mapping) else {}
        super().__init__(f"{status} {self._said(reason)} (request {request_id or 'unknown'})")

    def _said(self, reason: str) -> str:
        """The message and its details; of an answer that is not the service's own, what there is of it."""
        if self.code:
            details: Mapping[str, Any] = self.details  # as they came
            lists = {name: each if isinstance(each, list) else [each] for name, each in details.items()}
            named = [f"; {name}: {' '.join(map(str, messages))}" for name, messages in lists.items()]
            return f"{self.code}: {self.message}{''.join(named)}"
        location = self.headers.get("Location")
        return f"{reason}, not an answer of the service{f'; Location: {location}' if location else ''}"


class ValidationFailed(ApiError):
    """400 or 422: what was sent is invalid, and nothing was done. See `details` and `invalid_rows`."""

    @property
    def invalid_rows(self) -> list[dict[str, Any]]:
        """The problems of rows: `row_index`, `hawb`, `field`, `error_code`, `message`. At most 1,000."""
        return list(self.body.get("invalid_rows", []))


class AuthenticationError(ApiError):
    """401: the password is missing or not valid."""


class NotFound(ApiError):
    """404 `not_found`: it does not exist, or belongs to another company."""


class Conflict(ApiError):
    """409: the state of things does not allow it, such as `mawb_already_exists`."""

    @property
    def manifest_id(self) -> str | None:
        """The manifest that is there already, with `mawb_already_exists`."""
        found = self.body.get("manifest_id")
        return None if found is None else str(found)


class RateLimited(ApiError):
    """429 to every attempt: nothing was done. Tell the operators if your company needs more."""


class Unavailable(PreAlertsError):
    """No attempt had a valid answer.

    idempotency_key: of a POST that may have arrived in spite of this; send it again later with this key.
    retry_after_seconds: how long the service asks to wait, 0 if it does not; the client never waits more than a minute.
    """

    def __init__(self, reason: str, idempotency_key: str | None = None, retry_after_seconds: float = 0.0) -> None:
        self.idempotency_key, self.retry_after_seconds = idempotency_key, retry_after_seconds
        super().__init__(reason)


_KINDS = {400: ValidationFailed, 401: AuthenticationError, 409: Conflict, 422: ValidationFailed, 429: RateLimited}


def refusal(
    status: int,
    body: Mapping[str, Any],
    request_id: str,
    *,
    reason: str = "",
    headers: Mapping[str, str] | None = None,
) -> ApiError:
    """The error of an answer."""
    kind = NotFound if body.get("error") == "not_found" else _KINDS.get(status, ApiError)
    return kind(status, body, request_id, reason=reason, headers=headers)


def seconds_of(retry_after: str) -> float:
    """The seconds of a Retry-After header, which may also be a date (RFC 9110, 10.2.3); 0 for anything else."""
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds()) if moment.tzinfo else 0.0
