"""The base of the operators' endpoints that take JSON: `OperatorView`, its body, and a strict text in it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request

from companies.operators.tokens.api_views import OperatorView
from shipments.errors import InvalidBody


class JsonView(OperatorView):
    """An endpoint for operators that takes a JSON object."""

    @staticmethod
    def body(request: Request) -> Mapping[str, Any]:
        """Return the JSON object that was sent; empty without a body. Raises `InvalidBody`."""
        try:
            data = request.data if request.stream else {}
        except UnsupportedMediaType:
            raise InvalidBody("Send JSON with Content-Type: application/json.") from None
        if not isinstance(data, dict):
            raise InvalidBody
        return data


class Text(serializers.CharField):
    """A text; not a number, which DRF would turn into one."""

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


def as_http(request: Request) -> HttpRequest:
    """Return Django's request, whose user is the operator, for the activity log."""
    return request._request  # noqa: SLF001  # DRF's own name for it
