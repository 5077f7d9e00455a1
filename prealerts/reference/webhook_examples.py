"""Examples for the webhooks' endpoints."""

from collections.abc import Mapping

from prealerts.reference.events import example
from webhooks.catalogue import SUBSCRIPTION as SUBSCRIPTION_ID
from webhooks.events import EventType
from webhooks.v1.answers import event_type_item

DELIVERY_ID = "evt_ab181e27-c073-4611-aa57-081315d42970"

NEW_SUBSCRIPTION = {
    "url": "https://hooks.acme.cl/pa",
    "event_types": ["guide.delivered", "guide.exception"],
    "countries": ["CL"],
    "description": "ERP",
}
SUBSCRIPTION: Mapping[str, object] = {
    "id": SUBSCRIPTION_ID,
    "version": "v2",
    **NEW_SUBSCRIPTION,
    "is_active": True,
    "created_at": "2026-11-21T15:39:49.161260Z",
    "secret_set_at": "2026-11-21T15:39:49.161260Z",
    "previous_secret_until": None,
    "failing_since": None,
    "disabled_at": None,
    "disabled_reason": None,
}
_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="  # noqa: S105  # of nobody
CREATED = {"success": True, **SUBSCRIPTION, "secret": _SECRET}
ROTATED = {**CREATED, "previous_secret_until": "2026-11-22T15:39:49.161260Z"}
CHANGED = {"success": True, **SUBSCRIPTION, "countries": None}
SUBSCRIPTIONS = {"subscriptions": [SUBSCRIPTION], "next_cursor": None}
EVENT_TYPES = {"event_types": [event_type_item(EventType.GUIDE_DELIVERED)]}
TEST_SENT = {"success": True, "delivery_id": DELIVERY_ID}
RANGE = {"since": "2026-11-20T00:00:00-03:00", "until": "2026-11-21T00:00:00-03:00", "states": ["dead"]}
REPLAYED_RANGE = {"success": True, "replayed": 5000, "has_more": True}

_LAST = {
    "duration_ms": 10000,
    "http_status": None,
    "error": "timeout",
    "reason": "The endpoint did not answer in full within 10 seconds.",
}
DELIVERY: Mapping[str, object] = {
    "id": DELIVERY_ID,
    "subscription": SUBSCRIPTION_ID,
    "type": "guide.delivered",
    "subject": "DEMHGD7DBQVS3R",
    "state": "waiting",
    "attempts": 1,
    **_LAST,
    "created_at": "2026-11-21T15:39:49.168579Z",
    "next_attempt_at": "2026-11-21T15:40:04.402185Z",
    "replays": 0,
}
DELIVERIES = {"deliveries": [DELIVERY], "next_cursor": "4nYj2mTBAGVg0uF7bSgVfM3s2Qk1Yc0aQ8n5rW6tXpE"}
DELIVERY_DETAIL = {
    **DELIVERY,
    "body": example(EventType.GUIDE_DELIVERED, 2),
    "attempts": [{"number": 1, "at": "2026-11-21T15:39:49.171402Z", **_LAST}],
}
REPLAYED = {
    "success": True, **DELIVERY, "state": "pending", "attempts": 0, "duration_ms": None, "error": None, "reason": None,
    "next_attempt_at": None, "replays": 1,
}  # fmt: skip
