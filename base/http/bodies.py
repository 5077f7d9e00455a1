"""Request bodies and queries, validated strictly. Unknown keys of a body are refused."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from base.errors import DomainError, InvalidQuery, ValidationFailed

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
        return _validate(cls(data=data, **options), ValidationFailed)


class Page(serializers.Serializer[Any]):
    """The page of a list. Unknown parameters are ignored."""

    limit = serializers.IntegerField(min_value=1, max_value=LARGEST_PAGE, default=DEFAULT_PAGE)
    cursor = serializers.CharField(required=False, help_text="`next_cursor` of the previous page.")

    @classmethod
    def read(cls, query: Mapping[str, str]) -> dict[str, Any]:
        """The checked values. Raises `InvalidQuery`."""
        names = [str(name) for name in cls().fields]
        return _validate(cls(data={name: query[name] for name in names if name in query}), InvalidQuery)


def _validate(reading: serializers.Serializer[Any], refusal: type[DomainError]) -> dict[str, Any]:
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
