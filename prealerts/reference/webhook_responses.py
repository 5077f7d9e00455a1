"""What the webhooks' endpoints answer, as DRF serializers: the document is made of them, the answers are not."""

from rest_framework import serializers

from prealerts.reference.responses import described, word
from webhooks.events import EventType
from webhooks.models import DisabledReason, State
from webhooks.verdicts import Failure

_SUBSCRIPTION: dict[str, object] = {"type": "string", "pattern": "^sub_[0-9]+$", "description": "The webhook's id."}
_DELIVERY: dict[str, object] = {
    "type": "string",
    "pattern": "^evt_[0-9a-f-]{36}$",
    "description": "The delivery's id: the body's `id`, and the header `webhook-id`.",
}


def _type() -> serializers.Field:  # type: ignore[type-arg]  # it has no value
    return word("A type of the catalogue. More may come.", [kind.value for kind in EventType])


def _nullable(known: list[str], description: str) -> serializers.Field:  # type: ignore[type-arg]  # as above
    return described({"type": ["string", "null"], "description": description, "x-extensible-enum": [*known, None]})


class EventTypeItem(serializers.Serializer[object]):
    """A type of the catalogue."""

    type = _type()
    meaning = serializers.CharField()
    versions = serializers.ListField(child=serializers.ChoiceField(["v1", "v2"]))
    example = serializers.DictField(help_text="`data` as version 2 sends it.")


class EventTypes(serializers.Serializer[object]):
    """The catalogue."""

    event_types = EventTypeItem(many=True)


class SubscriptionItem(serializers.Serializer[object]):
    """A webhook, without its secret."""

    id = described(_SUBSCRIPTION)
    version = serializers.ChoiceField(["v1", "v2"], help_text="Those of `v1` are the operators' to change.")
    url = serializers.CharField()
    event_types = serializers.ListField(
        child=_type(), allow_null=True, help_text="null: everything but `webhook.*` and `upload.*`."
    )
    countries = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="null: all of yours.")
    description = serializers.CharField(allow_blank=True)
    is_active = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    secret_set_at = serializers.DateTimeField()
    previous_secret_until = serializers.DateTimeField(
        allow_null=True, help_text="Until then the secret before signs as well."
    )
    failing_since = serializers.DateTimeField(allow_null=True, help_text="Every attempt since then has failed.")
    disabled_at = serializers.DateTimeField(allow_null=True)
    disabled_reason = _nullable(DisabledReason.values, "Why we disabled it; null where somebody else did.")


class SubscriptionChanged(SubscriptionItem):
    """A webhook that was changed."""

    success = described({"type": "boolean", "const": True})
    warning = serializers.CharField(required=False, help_text="The URL was taken, and this is odd about it.")


class SubscriptionSecret(SubscriptionItem):
    """A webhook with its new secret, which is shown this once."""

    success = described({"type": "boolean", "const": True})
    secret = described(
        {
            "type": "string",
            "pattern": "^whsec_[A-Za-z0-9+/]{43}=$",
            "description": "The key that signs: standard base64 of 32 bytes after the prefix. Keep it; it is not shown "
            "again.",
        }
    )


class SubscriptionCreated(SubscriptionSecret):
    """A webhook that was made."""

    warning = serializers.CharField(required=False, help_text="The URL was taken, and this is odd about it.")


class Subscriptions(serializers.Serializer[object]):
    """A page of webhooks, newest first."""

    subscriptions = SubscriptionItem(many=True)
    next_cursor = serializers.CharField(allow_null=True, help_text="null on the last page.")


class TestSent(serializers.Serializer[object]):
    """A test on its way."""

    __test__ = False  # pytest takes every Test... for its own

    success = described({"type": "boolean", "const": True})
    delivery_id = described(_DELIVERY)


class ReplayedRange(serializers.Serializer[object]):
    """What is sent once more."""

    success = described({"type": "boolean", "const": True})
    replayed = serializers.IntegerField(min_value=0, max_value=5000)
    has_more = serializers.BooleanField(help_text="Ask again, with the same bounds.")


class Outcome(serializers.Serializer[object]):
    """How an attempt went."""

    duration_ms = serializers.IntegerField(min_value=0, allow_null=True)
    http_status = serializers.IntegerField(allow_null=True, help_text="null when no answer came.")
    error = _nullable(Failure.values, "Why it did not succeed. More may come.")
    reason = serializers.CharField(allow_null=True, help_text="The same in words.")


class DeliveryHead(Outcome):
    """What list and detail both say of a delivery; the outcome is its last attempt's."""

    id = described(_DELIVERY)
    subscription = described({**_SUBSCRIPTION, "type": ["string", "null"]})
    type = _type()
    subject = serializers.CharField(allow_blank=True, help_text="A tracking code or a MAWB; `test` for a test.")
    state = word(
        "`pending`, `sending`: on its way. `waiting`: for its next attempt. `dead`: given up. Version 1: `failed`, and "
        "`abandoned` where the outcome is not known. `cancelled`: with its webhook.",
        State.values,
    )
    created_at = serializers.DateTimeField()
    next_attempt_at = serializers.DateTimeField(allow_null=True)
    replays = serializers.IntegerField(min_value=0)


class DeliveryItem(DeliveryHead):
    """A delivery in the log."""

    attempts = serializers.IntegerField(min_value=0, help_text="Since it was made, or replayed.")


class ReplayedDelivery(DeliveryItem):
    """A delivery that is sent once more."""

    success = described({"type": "boolean", "const": True})


class Deliveries(serializers.Serializer[object]):
    """A page of the log, newest first."""

    deliveries = DeliveryItem(many=True)
    next_cursor = serializers.CharField(allow_null=True, help_text="null on the last page.")


class DeliveryAttempt(Outcome):
    """One POST. Its number begins again at 1 after a replay."""

    number = serializers.IntegerField(min_value=1)
    at = serializers.DateTimeField()


class DeliveryDetail(DeliveryHead):
    """One delivery with its attempts, oldest first, and the body as it is sent."""

    body = serializers.DictField()
    attempts = DeliveryAttempt(many=True)
