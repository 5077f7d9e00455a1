"""What clients send: bodies and queries, read strictly. Keys of a body that are not known are refused."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone, translation
from rest_framework import serializers

from companies.countries import SERVED
from webhooks.destinations import MAX_URL_LENGTH
from webhooks.errors import FieldsRefused, QueryRefused
from webhooks.events import EventType
from webhooks.models import State

MAX_OVERLAP_HOURS = 72
DEFAULT_PAGE, LARGEST_PAGE = 50, 100


class Moment(serializers.DateTimeField):
    """ISO 8601 with an offset; without one DRF would take the service's own."""

    default_error_messages = {"invalid": "Write a time with its offset, such as 2026-12-15T06:45:00-03:00."}

    def to_internal_value(self, data: object) -> datetime:
        try:
            moment = datetime.fromisoformat(data) if isinstance(data, str) else None
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            self.fail("invalid")
        return moment


class Flag(serializers.BooleanField):
    """true or false, and no text that looks like either."""

    def to_internal_value(self, data: object) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Body(serializers.Serializer[Any]):
    """A JSON object with these keys and no others."""

    def to_internal_value(self, data: Any) -> Any:  # noqa: ANN401  # DRF's signature
        unknown = [] if not isinstance(data, Mapping) else [key for key in data if key not in self.fields]
        if unknown:
            raise serializers.ValidationError({key: ["Unknown field."] for key in unknown})
        return super().to_internal_value(data)

    @classmethod
    def read(cls, data: Mapping[str, object], **options: Any) -> dict[str, Any]:  # noqa: ANN401  # DRF's options
        """The checked values. Raises `FieldsRefused`."""
        with translation.override("en"):  # the API speaks English, whatever a browser asks for
            reading = cls(data=data, **options)
            if not reading.is_valid():
                raise FieldsRefused(details=dict(_flat(reading.errors)))
        return dict(reading.validated_data)


def _types() -> serializers.ListField:
    choice = serializers.ChoiceField([kind.value for kind in EventType])
    return serializers.ListField(child=choice, required=False, allow_null=True, allow_empty=False, max_length=50)


def _countries() -> serializers.ListField:
    choice = serializers.ChoiceField([*SERVED])
    return serializers.ListField(child=choice, required=False, allow_null=True, allow_empty=False, max_length=50)


class NewSubscription(Body):
    """A webhook to be made. Left out or null, a filter takes everything."""

    url = serializers.CharField(max_length=MAX_URL_LENGTH, help_text="https, a public host.")
    event_types = _types()
    countries = _countries()
    description = serializers.CharField(max_length=200, required=False, allow_blank=True, help_text="For yourself.")


class ChangedSubscription(NewSubscription):
    """What of a webhook changes; what is left out stays."""

    url = serializers.CharField(max_length=MAX_URL_LENGTH, required=False)
    is_active = Flag(required=False)


class Rotation(Body):
    """How long the secret before signs as well."""

    overlap_hours = serializers.IntegerField(min_value=0, max_value=MAX_OVERLAP_HOURS, default=24)


class Test(Body):
    """Which type to try; its example is sent."""

    __test__ = False  # pytest takes every Test... for its own

    type = serializers.ChoiceField([kind.value for kind in EventType], default=EventType.WEBHOOK_TEST.value)


class Range(Body):
    """Which deliveries to send again: what was made from `since` until before `until`."""

    since = Moment(help_text="At most 30 days ago; what is older is left out.")
    until = Moment(help_text="At most now.")
    states = serializers.ListField(
        child=serializers.ChoiceField([State.DEAD.value, State.DELIVERED.value]),
        default=[State.DEAD.value],
        allow_empty=False,
        max_length=2,
    )
    event_types = _types()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["until"] > timezone.now():
            raise serializers.ValidationError({"until": ["This is in the future."]})
        if attrs["since"] >= attrs["until"]:
            raise serializers.ValidationError({"since": ["This is not before until."]})
        return attrs


class Page(serializers.Serializer[Any]):
    """Which page of a list. Names that are not known are ignored."""

    limit = serializers.IntegerField(min_value=1, max_value=LARGEST_PAGE, default=DEFAULT_PAGE)
    cursor = serializers.CharField(required=False)

    @classmethod
    def read(cls, query: Mapping[str, str]) -> dict[str, Any]:
        """The checked values. Raises `QueryRefused`."""
        with translation.override("en"):
            names = [str(name) for name in cls().fields]
            reading = cls(data={name: query[name] for name in names if name in query})
            if not reading.is_valid():
                raise QueryRefused(details=dict(_flat(reading.errors)))
        return dict(reading.validated_data)


class LogPage(Page):
    """Which deliveries of the log."""

    subscription = serializers.RegexField(r"^sub_[0-9]{1,18}\Z", required=False)
    state = serializers.ChoiceField(State.values, required=False)
    type = serializers.ChoiceField([kind.value for kind in EventType], required=False)
    subject = serializers.CharField(required=False, max_length=64)
    to = Moment(required=False)

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "from": Moment(required=False)}  # a word of Python's


def _flat(errors: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """DRF's nested errors by name: `event_types[1]`."""
    for name, found in errors.items():
        path = f"{prefix}[{name}]" if prefix else str(name)
        if isinstance(found, Mapping):
            yield from _flat(found, path)
        else:
            yield path, [str(each) for each in found]
