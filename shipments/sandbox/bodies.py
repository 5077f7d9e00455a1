"""The bodies of the sandbox's requests. Unknown keys are refused."""

from typing import Any

from rest_framework import serializers

from shipments.statuses import GuideStatus, Source
from webhooks.v1.bodies import Moment, RequestBody

MOST_GUIDES = 200
MOST_STEPS = 10


class Advance(RequestBody):
    """Which guides take how many steps: all of a MAWB, or those with these tracking codes."""

    mawb = serializers.CharField(required=False, max_length=32)
    tracking_codes = serializers.ListField(
        child=serializers.CharField(max_length=32), required=False, allow_empty=False, max_length=MOST_GUIDES
    )
    steps = serializers.IntegerField(min_value=1, max_value=MOST_STEPS, default=1)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("mawb" in attrs) is ("tracking_codes" in attrs):
            raise serializers.ValidationError({"mawb": ["Send either mawb or tracking_codes."]})
        return attrs


class ReportedInSandbox(RequestBody):
    """An event of a guide. Without a source it is the one that usually reports the status; without a time, now."""

    tracking_code = serializers.CharField(max_length=32)
    status = serializers.ChoiceField([status.value for status in GuideStatus])
    source = serializers.ChoiceField([source.value for source in Source], required=False)  # type: ignore[assignment]  # a field's own attribute
    occurred_at = Moment(required=False)
    client_note = serializers.CharField(required=False, allow_blank=True, max_length=255)


class Events(RequestBody):
    """Events to report, in their order."""

    events = serializers.ListField(child=ReportedInSandbox(), allow_empty=False, max_length=MOST_GUIDES)


class Reset(RequestBody):
    """Nothing."""
