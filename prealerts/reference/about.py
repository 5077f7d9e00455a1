"""What the document says of the API as a whole. The settings read it, so it imports nothing."""

API_VERSION = "1.4"
"""Of the interface: docs/changelog.md has an entry for each."""

PRE_ALERTS, TRACKING, WEBHOOKS, SERVICE = "Pre-alerts", "Tracking", "Webhooks", "Service"
SANDBOX = "Sandbox"

_DESCRIPTION = """
Retailers and marketplaces announce inbound air shipments before they arrive. One pre-alert is one **MAWB**
(master air waybill) with many **HAWBs** (house air waybills), also called **guides**.

- **Password**: `Authorization: Bearer <API_PASSWORD>` on every request but those under *Service*. It identifies
  the company; every response is limited to what that company owns.
- **Tolerance**: within `/v1/` error codes, warnings, notices, statuses, sources and fields of answers may be added.
  Ignore what you do not know, and treat an unknown code by its HTTP status. Whatever would break a client that does so
  is announced at least 60 days before. Lists that may grow are marked `x-extensible-enum`.
- **Retries**: GET is safe to repeat, and so is a POST of a manifest under an `Idempotency-Key`: the same request gets
  the same answer. Without a key, ask `GET /mawbs/{mawb}` before sending again.
  Back off exponentially with jitter, beginning at 500 ms, and wait at least as long as `Retry-After` says.
- **Polling**: answers to GET have an `ETag`. Sent back as `If-None-Match`, it gets `304` without a body while nothing
  has changed.
- **Load**: contact the operators before you send more than about 50 requests a second for long. A company may have a
  rate limit; each answer then tells it in `RateLimit-Policy` and what is left in `RateLimit`. On `429 rate_limited`,
  wait as long as `Retry-After` says.
- **Webhooks**: each change of state is posted to an HTTPS endpoint of yours. Version 2 is signed, filtered, sent again
  and kept by yourself; version 1 is set up by the operators. See below. The GET endpoints are the record, webhooks a
  convenience.
- **Both spellings** of each route answer, with and without a slash at the end; none redirects. Another method is
  `405 method_not_allowed` with `Allow`, an unknown route `404 not_found`, in the same envelope as every refusal.
- **Languages**: messages are in English, and under `Accept-Language: es` in Spanish, but for a
  few that quote a workbook. Codes are the same in both.
- **Browsers**: `Access-Control-Allow-Origin: *`; preflights need no password and allow `Content-Type`, `Authorization`,
  `Idempotency-Key` and `If-None-Match`, and for the webhooks' routes `PATCH` and `DELETE`. There are no cookies.
"""

_TAGS = [
    {"name": PRE_ALERTS, "description": "Announce shipments."},
    {"name": TRACKING, "description": "Follow shipments. These endpoints are the record; webhooks are a convenience."},
    {"name": WEBHOOKS, "description": "Your own endpoints of version 2: filters, secrets, the log, replays."},
    {"name": SERVICE, "description": "Without a password."},
]

_SANDBOX_TAG = {"name": SANDBOX, "description": "Move guides yourself. A live service does not have these."}


def spectacular_settings(contact: str, *, is_sandbox: bool = False) -> dict[str, object]:
    """The settings of drf-spectacular. contact: where clients reach the operators, an e-mail address or a URL; or
    empty."""
    where = {} if not contact else {"url" if "://" in contact else "email": contact}
    return {
        "OAS_VERSION": "3.1.0",
        "TITLE": "Pre-Alerts API (sandbox)" if is_sandbox else "Pre-Alerts API",
        "VERSION": API_VERSION,
        "DESCRIPTION": _DESCRIPTION.strip(),
        "CONTACT": {"name": "The operators of this service", **where},
        "LICENSE": {"name": "MIT", "identifier": "MIT"},
        "TAGS": [*_TAGS, _SANDBOX_TAG] if is_sandbox else _TAGS,
        "WEBHOOKS": "prealerts.reference.events.WEBHOOKS",
        "SCHEMA_PATH_PREFIX": "/",
        "SORT_OPERATIONS": False,
        "SORT_OPERATION_PARAMETERS": False,
        "PREPROCESSING_HOOKS": ["prealerts.reference.document.public_endpoints"],
        "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enum_id_removal"],
        "COMPONENT_SPLIT_PATCH": False,
        "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    }
