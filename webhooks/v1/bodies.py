"""Request bodies and queries, validated strictly. Unknown keys of a body are refused."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from base.http.bodies import Flag, Moment, Page, RequestBody, Text
from companies.countries import SERVED
from webhooks.destinations import MAX_URL_LENGTH
from webhooks.events import SUBSCRIPTION_ID_PATTERN, EventType
from webhooks.models import State
from webhooks.subscriptions import SIGNING_SECRET_PATTERN, is_signing_secret

MAX_OVERLAP_HOURS = 72


def _some(choices: Iterable[str]) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.ChoiceField([*choices]),
        required=False, allow_null=True, allow_empty=False, min_length=1, max_length=50,
    )  # fmt: skip


def _types() -> serializers.ListField:
    return _some(kind.value for kind in EventType)


class SigningSecret(serializers.RegexField):
    """A client's own key: `whsec_` and standard base64 of 24 to 64 bytes, as Standard Webhooks has it."""

    default_error_messages = {"invalid": _("Send whsec_ and standard base64, with padding, of 24 to 64 bytes.")}

    def __init__(self) -> None:
        note = "Your own: `whsec_` and standard base64 of 24 to 64 bytes. Left out, it is generated."
        super().__init__(SIGNING_SECRET_PATTERN, required=False, max_length=94, trim_whitespace=False, help_text=note)

    def to_internal_value(self, data: object) -> str:
        secret = str(super().to_internal_value(str(data)))
        if not is_signing_secret(secret):
            self.fail("invalid")
        return secret


class NewSubscription(RequestBody):
    """A webhook to create. A filter that is left out or null matches everything."""

    url = serializers.CharField(min_length=1, max_length=MAX_URL_LENGTH, help_text="https, with a public host.")
    event_types = _types()
    countries = _some(SERVED)
    description = Text(max_length=200, required=False, allow_blank=True, help_text="For yourself.")
    secret = SigningSecret()


class ChangedSubscription(NewSubscription):
    """The fields of a webhook to change; the others stay."""

    url = serializers.CharField(min_length=1, max_length=MAX_URL_LENGTH, required=False)
    secret = None  # type: ignore[assignment]  # so Django REST framework removes an inherited field: it has a route of its own
    is_active = Flag(required=False)


class Rotation(RequestBody):
    """How long the previous secret also signs."""

    overlap_hours = serializers.IntegerField(min_value=0, max_value=MAX_OVERLAP_HOURS, default=24)
    secret = SigningSecret()


class Test(RequestBody):
    """The event type to test; its example is sent."""

    __test__ = False  # pytest collects every Test... class

    type = serializers.ChoiceField([kind.value for kind in EventType], default=EventType.WEBHOOK_TEST.value)


class Range(RequestBody):
    """Which deliveries to send again: those created from `since` to before `until`."""

    since = Moment(help_text="At most 30 days ago; older deliveries are left out.")
    until = Moment(help_text="A time in the future means now.")
    states = serializers.ListField(
        child=serializers.ChoiceField([State.DEAD.value, State.DELIVERED.value]),
        default=[State.DEAD.value],
        allow_empty=False,
        min_length=1,
        max_length=2,
    )
    event_types = _types()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs["until"] = min(attrs["until"], timezone.now())
        if attrs["since"] >= attrs["until"]:
            raise serializers.ValidationError({"since": [_("Must be before until.")]})
        return attrs


class LogPage(Page):
    """Filters and page of the delivery log."""

    subscription = serializers.RegexField(SUBSCRIPTION_ID_PATTERN, required=False)
    state = serializers.ChoiceField(State.values, required=False)
    type = serializers.ChoiceField([kind.value for kind in EventType], required=False)
    subject = serializers.CharField(required=False, max_length=64, help_text="A whole tracking code or MAWB.")
    to = Moment(required=False, help_text="Created before this time; with an offset.")

    def get_fields(self) -> dict[str, Any]:
        since = Moment(required=False, help_text="Created at this time or later; with an offset.")
        return {**super().get_fields(), "from": since}  # a keyword in Python
