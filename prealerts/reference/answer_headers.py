"""The headers of each answer, as the OpenAPI document lists them."""

from collections.abc import Mapping

from django.conf import settings


def _header(
    description: str = "", *, is_always: bool = True, kind: str = "string", **schema: object
) -> Mapping[str, object]:
    """Return a header as OpenAPI has it. is_always: whether every answer of the status has it."""
    said = {"description": description} if description else {}
    return {**said, "schema": {"type": kind, **schema}, "required": is_always}


COMPONENTS: Mapping[str, Mapping[str, object]] = {
    "RequestId": _header(
        "The request's id, also in our log; your own `X-Request-Id` where you sent a sane one.",
        pattern="^[A-Za-z0-9._:-]{1,64}$",
    ),
    "AllowOrigin": _header("Any origin may ask; credentials of browsers are not used.", const="*"),
    "Language": _header("Of the messages.", enum=["en", "es"]),
    "VaryLanguage": _header(
        "The messages depend on the language that was asked for.", pattern=r"\bAccept-Language\b"
    ),
    "NoStore": _header("Nothing of the API may be kept by caches.", const="no-store"),
    "Authenticate": _header(const="Bearer"),
    "Allow": _header("The methods of the route."),
    "RetryAfter": _header("Seconds to wait, at least.", kind="integer", minimum=1),
    "RetryAfterInProgress": _header(
        "With `idempotency_in_progress`: seconds to wait, at least.", is_always=False, kind="integer", minimum=1
    ),
    "RateLimit": _header(
        "If your company has a rate limit: the requests left, and the seconds until all are there again "
        "(draft-ietf-httpapi-ratelimit-headers-10).",
        is_always=False, pattern='^"company";r=[0-9]+;t=[0-9]+$',
    ),
    "RateLimitPolicy": _header(
        "If your company has a rate limit: requests (`q`) in a window of seconds (`w`).",
        is_always=False, pattern='^"company";q=[0-9]+;w=10$',
    ),
    "PasswordExpires": _header(
        "If the password that was used ends after a rotation: when. Change to the new one before then.",
        is_always=False, format="date-time",
    ),
    "InSandbox": _header("This is a sandbox.", const="true"),
    "Tag": _header(
        "Of this answer. Send it as `If-None-Match` to learn that nothing has changed: `304`.",
        pattern='^"[0-9a-f]+"$',
    ),
    "PreferenceApplied": _header(const="respond-async"),
    "JobLocation": _header("Where to ask for the job.", format="uri"),
    "RetryAfterUnfinished": _header(
        "While the job is unfinished: seconds to wait, at least.", is_always=False, kind="integer", minimum=1
    ),
    "Replayed": _header(
        "The answer repeats that of an earlier request with the same `Idempotency-Key`.",
        is_always=False, const="true",
    ),
}  # fmt: skip
"""Name of the component -> the header."""

CONDITIONAL = {"listMawbs", "getMawb", "listGuides", "getFindings", "getGuide", "getJob", "me", "guides"}
"""The operations whose answers have an ETag."""
_OF_STATUS: Mapping[str, Mapping[str, str]] = {
    "401": {"WWW-Authenticate": "Authenticate"},
    "405": {"Allow": "Allow"},
    "429": {"Retry-After": "RetryAfter"},
    "503": {"Retry-After": "RetryAfter"},
}
_OF_COMPANY = {"RateLimit": "RateLimit", "RateLimit-Policy": "RateLimitPolicy", "X-Password-Expires": "PasswordExpires"}
_REPLAYED, _IN_PROGRESS = {"Idempotent-Replayed": "Replayed"}, {"Retry-After": "RetryAfterInProgress"}
_QUEUED = {"Preference-Applied": "PreferenceApplied", "Retry-After": "RetryAfter", "Location": "JobLocation"}
_UNFINISHED = {"Retry-After": "RetryAfterUnfinished"}
_OF_OPERATION: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("uploadManifest", "201"): _REPLAYED,
    ("uploadManifest", "202"): _REPLAYED | _QUEUED,
    ("uploadManifest", "409"): _IN_PROGRESS,
    ("postManifest", "201"): _REPLAYED,
    ("postManifest", "409"): _IN_PROGRESS,
    ("getJob", "200"): _UNFINISHED,
    ("getJob", "304"): _UNFINISHED,
}


def of(route: str, operation: str, status: str) -> dict[str, str]:
    """Return the headers of the answers of `operation` with this status: name -> component."""
    headers = {"X-Request-Id": "RequestId"}
    if route.startswith(("/api/", "/health")):
        headers["Access-Control-Allow-Origin"] = "AllowOrigin"
    if route.startswith("/api/"):
        headers |= {"Cache-Control": "NoStore", "Content-Language": "Language", "Vary": "VaryLanguage"}
        headers |= _OF_STATUS.get(status, {})
        headers |= {} if status == "401" else _OF_COMPANY
        headers |= {"X-Sandbox": "InSandbox"} if settings.SANDBOX else {}
    headers |= _OF_OPERATION.get((operation, status), {})
    if operation in CONDITIONAL and status in {"200", "304"}:
        headers["ETag"] = "Tag"
    return headers
