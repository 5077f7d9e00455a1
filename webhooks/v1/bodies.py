"""Request bodies and queries, validated strictly. Unknown keys of a body are refused."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from companies.countries import SERVED
from companies.errors import DomainError, InvalidQuery, ValidationFailed
from webhooks.destinations import MAX_URL_LENGTH
from webhooks.events import SUBSCRIPTION_ID_PATTERN, EventType
from webhooks.models import State
from webhooks.subscriptions import SIGNING_SECRET_PATTERN, is_signing_secret

MAX_OVERLAP_HOURS = 72
DEFAULT_PAGE, LARGEST_PAGE = 50, 100


FIRST_YEAR, LAST_YEAR = 1990, 2100
"""Other years are typing errors, and some of them cannot be converted to UTC."""


class Moment(serializers.DateTimeField):
    """ISO 8601 with an offset; without one DRF would assume the service's time zone."""

    default_error_messages = {
        "invalid": _("Write a time with its offset, such as 2026-12-15T09:45:00Z or 2026-12-15T06:45:00-03:00."),
        "year": format_lazy(_("Write a time between {first} and {last}."), first=FIRST_YEAR, last=LAST_YEAR),
    }

    def to_internal_value(self, data: object) -> datetime:
        try:
            moment = datetime.fromisoformat(data) if isinstance(data, str) else None
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            self.fail("invalid")
        if not FIRST_YEAR <= moment.year <= LAST_YEAR:
            self.fail("year")
        return moment


class Flag(serializers.BooleanField):
    """true or false, but not a string such as "true"."""

    def to_internal_value(self, data: object) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Text(serializers.CharField):
    """A string, but not a number, which Django REST framework would turn into one."""

    def to_internal_value(self, data: Any) -> str:  # noqa: ANN401  # any JSON value
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class RequestBody(serializers.Serializer[Any]):
    """A JSON object with only these keys."""

    def to_internal_value(self, data: Any) -> Any:  # noqa: ANN401  # DRF's signature
        unknown = [] if not isinstance(data, Mapping) else [key for key in data if key not in self.fields]
        if unknown:
            raise serializers.ValidationError({key: [_("Unknown field.")] for key in unknown})
        return super().to_internal_value(data)

    @classmethod
    def read(cls, data: Mapping[str, object], **options: Any) -> dict[str, Any]:  # noqa: ANN401  # DRF's options
        """The checked values. Raises `ValidationFailed`."""
        return _checked(cls(data=data, **options), ValidationFailed)


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


class Page(serializers.Serializer[Any]):
    """The page of a list. Unknown parameters are ignored."""

    limit = serializers.IntegerField(min_value=1, max_value=LARGEST_PAGE, default=DEFAULT_PAGE)
    cursor = serializers.CharField(required=False, help_text="`next_cursor` of the previous page.")

    @classmethod
    def read(cls, query: Mapping[str, str]) -> dict[str, Any]:
        """The checked values. Raises `InvalidQuery`."""
        names = [str(name) for name in cls().fields]
        return _checked(cls(data={name: query[name] for name in names if name in query}), InvalidQuery)


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


def _checked(reading: serializers.Serializer[Any], refusal: type[DomainError]) -> dict[str, Any]:
    if not reading.is_valid():
        raise refusal(details=dict(_flat(reading.errors)))
    return dict(reading.validated_data)


def _flat(errors: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Flatten DRF's nested errors: `event_types[1]`."""
    for name, found in errors.items():
        path = f"{prefix}[{name}]" if prefix else str(name)
        if isinstance(found, Mapping):
            yield from _flat(found, path)
        else:
            yield path, [str(each) for each in found]
