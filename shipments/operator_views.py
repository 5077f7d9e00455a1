"""The base of the operators' endpoints that take JSON: `OperatorView`, and its body."""

from collections.abc import Mapping
from typing import Any

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
