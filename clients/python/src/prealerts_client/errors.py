"""What the client raises."""

from collections.abc import Mapping
from typing import Any


class PreAlertsError(Exception):
    """The base of everything that the client raises."""


class ApiError(PreAlertsError):
    """The service refused the request. Branch on `code`; treat one that you do not know by its `status`.

    status: the HTTP status. code: the stable code, such as `mawb_already_exists`; empty where the answer was not the
    service's own, such as a proxy's page. details: field -> messages. body: the whole answer, with `invalid_rows`,
    `manifest_id` and whatever else belongs to the code. request_id: what the operators find the request by.
    """

    def __init__(self, status: int, body: Mapping[str, Any], request_id: str = "") -> None:
        self.status, self.body, self.request_id = status, dict(body), request_id
        self.code = str(body.get("error", ""))
        self.message = str(body.get("message", ""))
        details = body.get("details")
        self.details: dict[str, list[str]] = dict(details) if isinstance(details, Mapping) else {}
        super().__init__(f"{status} {self.code}: {self.message} (request {request_id})")


class NotFound(ApiError):
    """404 `not_found`: it does not exist, or belongs to another company."""


class Unavailable(PreAlertsError):
    """No answer that counts, however often it was tried.

    idempotency_key: of a POST that may have arrived all the same; send it again later under this key.
    """

    def __init__(self, reason: str, idempotency_key: str | None = None) -> None:
        self.idempotency_key = idempotency_key
        super().__init__(reason)
