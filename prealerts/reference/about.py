"""What the document says of the API as a whole. The settings read it, so it imports nothing of ours."""

from pathlib import Path

API_VERSION = "1.4"
"""Of the interface: docs/changelog.md has an entry for each."""

PRE_ALERTS, TRACKING, WEBHOOKS, SERVICE = "Pre-alerts", "Tracking", "Webhooks", "Service"
SANDBOX = "Sandbox"

_TAGS = [
    {"name": PRE_ALERTS, "description": "Announce shipments."},
    {"name": TRACKING, "description": "Follow shipments. These endpoints are the record; webhooks are a convenience."},
    {"name": WEBHOOKS, "description": "Your own endpoints of version 2: filters, secrets, the log, replays."},
    {"name": SERVICE, "description": "Without a password."},
]

LICENSE = {"name": "MIT", "identifier": "MIT"}
_SANDBOX_TAG = {"name": SANDBOX, "description": "Move guides yourself. A live service does not have these."}


def spectacular_settings(contact: str, *, is_sandbox: bool = False) -> dict[str, object]:
    """The settings of drf-spectacular. contact: where clients reach the operators, an e-mail address or a URL; or
    empty."""
    where = {} if not contact else {"url" if "://" in contact else "email": contact}
    return {
        "OAS_VERSION": "3.1.0",
        "TITLE": "Pre-Alerts API (sandbox)" if is_sandbox else "Pre-Alerts API",
        "VERSION": API_VERSION,
        "DESCRIPTION": Path(__file__).with_suffix(".md").read_text(encoding="utf-8").strip(),
        "CONTACT": {"name": "The operators of this service", **where},
        "LICENSE": LICENSE,
        "TAGS": [*_TAGS, _SANDBOX_TAG] if is_sandbox else _TAGS,
        "WEBHOOKS": "prealerts.reference.events.WEBHOOKS",
        "SORT_OPERATIONS": False,
        "SORT_OPERATION_PARAMETERS": False,
        "PREPROCESSING_HOOKS": ["prealerts.reference.document.public_endpoints"],
        "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enum_id_removal"],
        "COMPONENT_SPLIT_PATCH": False,
        "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    }
