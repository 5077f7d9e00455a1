"""The headers of each answer, as the OpenAPI document lists them."""

from collections.abc import Mapping

from django.conf import settings

COMPONENTS: Mapping[str, Mapping[str, object]] = {
    "RequestId": {
        "description": "The request's id, also in our log; your own `X-Request-Id` where you sent a sane one.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,64}$"},
        "required": True,
    },
    "AllowOrigin": {
        "description": "Any origin may ask; credentials of browsers are not used.",
        "schema": {"type": "string", "const": "*"},
        "required": True,
    },
    "Language": {
        "description": "Of the messages.",
        "schema": {"type": "string", "enum": ["en", "es"]},
        "required": True,
    },
    "VaryLanguage": {
        "description": "The messages depend on the language that was asked for.",
        "schema": {"type": "string", "pattern": r"\bAccept-Language\b"},
        "required": True,
    },
    "NoStore": {
        "description": "Nothing of the API may be kept by caches.",
        "schema": {"type": "string", "const": "no-store"},
        "required": True,
    },
    "Authenticate": {"schema": {"type": "string", "const": "Bearer"}, "required": True},
    "Allow": {"description": "The methods of the route.", "schema": {"type": "string"}, "required": True},
    "RetryAfter": {
        "description": "Seconds to wait, at least.",
        "schema": {"type": "integer", "minimum": 1},
        "required": True,
    },
    "RetryAfterInProgress": {
        "description": "With `idempotency_in_progress`: seconds to wait, at least.",
        "schema": {"type": "integer", "minimum": 1},
        "required": False,
    },
    "RateLimit": {
        "description": "If your company has a rate limit: the requests left, and the seconds until all are there again "
        "(draft-ietf-httpapi-ratelimit-headers-10).",
        "schema": {"type": "string", "pattern": '^"company";r=[0-9]+;t=[0-9]+$'},
        "required": False,
    },
    "RateLimitPolicy": {
        "description": "If your company has a rate limit: requests (`q`) in a window of seconds (`w`).",
        "schema": {"type": "string", "pattern": '^"company";q=[0-9]+;w=10$'},
        "required": False,
    },
    "PasswordExpires": {
        "description": "If the password that was used ends after a rotation: when. Change to the new one before then.",
        "schema": {"type": "string", "format": "date-time"},
        "required": False,
    },
    "InSandbox": {"description": "This is a sandbox.", "schema": {"type": "string", "const": "true"}, "required": True},
    "Tag": {
        "description": "Of this answer. Send it as `If-None-Match` to learn that nothing has changed: `304`.",
        "schema": {"type": "string", "pattern": '^"[0-9a-f]+"$'},
        "required": True,
    },
    "PreferenceApplied": {"schema": {"type": "string", "const": "respond-async"}, "required": True},
    "JobLocation": {
        "description": "Where to ask for the job.",
        "schema": {"type": "string", "format": "uri"},
        "required": True,
    },
    "RetryAfterUnfinished": {
        "description": "While the job is unfinished: seconds to wait, at least.",
        "schema": {"type": "integer", "minimum": 1},
        "required": False,
    },
    "Replayed": {
        "description": "The answer repeats that of an earlier request with the same `Idempotency-Key`.",
        "schema": {"type": "string", "const": "true"},
        "required": False,
    },
}
"""Name of the component -> the header. Those that are not required come with some answers of the status."""

_CREATING = {"uploadManifest", "postManifest"}
CONDITIONAL = {"listMawbs", "getMawb", "listGuides", "getFindings", "getGuide", "getJob", "me", "guides"}
"""The operations whose answers have an ETag."""
_OWN: Mapping[str, Mapping[str, str]] = {
    "401": {"WWW-Authenticate": "Authenticate"},
    "405": {"Allow": "Allow"},
    "429": {"Retry-After": "RetryAfter"},
    "503": {"Retry-After": "RetryAfter"},
}


def of(route: str, operation: str, status: str) -> dict[str, str]:
    """Return the headers of the answers of `operation` with this status: name -> component."""
    headers = {"X-Request-Id": "RequestId"}
    if route.startswith(("/api/", "/health")):
        headers["Access-Control-Allow-Origin"] = "AllowOrigin"
    if route.startswith("/api/"):
        headers |= {"Cache-Control": "NoStore", "Content-Language": "Language", "Vary": "VaryLanguage"}
        headers |= _OWN.get(status, {})
        if status != "401":
            headers |= {
                "RateLimit": "RateLimit",
                "RateLimit-Policy": "RateLimitPolicy",
                "X-Password-Expires": "PasswordExpires",
            }
        headers |= {"X-Sandbox": "InSandbox"} if settings.SANDBOX else {}
    if operation in _CREATING:
        headers |= {"201": {"Idempotent-Replayed": "Replayed"}, "409": {"Retry-After": "RetryAfterInProgress"}}.get(
            status, {}
        )
    if (operation, status) == ("uploadManifest", "202"):
        headers |= {
            "Idempotent-Replayed": "Replayed",
            "Preference-Applied": "PreferenceApplied",
            "Retry-After": "RetryAfter",
            "Location": "JobLocation",
        }
    if operation == "getJob" and status in {"200", "304"}:
        headers |= {"Retry-After": "RetryAfterUnfinished"}
    if operation in CONDITIONAL and status in {"200", "304"}:
        headers |= {"ETag": "Tag"}
    return headers
