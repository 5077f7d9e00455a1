"""What the client raises."""

from collections.abc import Mapping
from typing import Any


class PreAlertsError(Exception):
    """The base of everything that the client raises."""


class ApiError(PreAlertsError):
    """The service refused the request. Branch on `code`; treat one that you do not know by its `status`.

    status: the HTTP status. code: the stable code, such as `mawb_already_exists`; empty where the answer was not the
    service's own, such as a proxy's page. details: field -> messages. body: the whole answer, with whatever else
    belongs to the code. request_id: what the operators find the request by.
    """

    def __init__(self, status: int, body: Mapping[str, Any], request_id: str = "") -> None:
        self.status, self.body, self.request_id = status, dict(body), request_id
        self.code = str(body.get("error", ""))
        self.message = str(body.get("message", ""))
        details = body.get("details")
        self.details: dict[str, list[str]] = dict(details) if isinstance(details, Mapping) else {}
        super().__init__(f"{status} {self.code}: {self.message} (request {request_id})")


class ValidationFailed(ApiError):
    """400 or 422: what was sent is invalid, and nothing was done. See `details` and `invalid_rows`."""

    @property
    def invalid_rows(self) -> list[dict[str, Any]]:
        """The problems of rows: `row_index`, `hawb`, `field`, `error_code`, `message`. At most 1,000."""
        return list(self.body.get("invalid_rows", []))


class AuthenticationError(ApiError):
    """401: the password did not arrive, or does not count."""


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
    """429, however often it was tried: nothing was done. Tell the operators if your company needs more."""


class Unavailable(PreAlertsError):
    """No answer that counts, however often it was tried.

    idempotency_key: of a POST that may have arrived all the same; send it again later under this key.
    """

    def __init__(self, reason: str, idempotency_key: str | None = None) -> None:
        self.idempotency_key = idempotency_key
        super().__init__(reason)


_KINDS = {400: ValidationFailed, 401: AuthenticationError, 409: Conflict, 422: ValidationFailed, 429: RateLimited}


def refusal(status: int, body: Mapping[str, Any], request_id: str) -> ApiError:
    """The error of an answer."""
    kind = NotFound if body.get("error") == "not_found" else _KINDS.get(status, ApiError)
    return kind(status, body, request_id)
