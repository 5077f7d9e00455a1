"""What is deprecated, marked in the OpenAPI document."""

import re
from typing import Any

from django.urls import resolve

from prealerts.serving import deprecations
from prealerts.serving.deprecations import Deprecation, Field, Route

HEADERS: dict[str, Any] = {
    "Deprecation": {
        "description": "Since when the route is deprecated, in seconds since 1970 after an `@` (RFC 9745).",
        "schema": {"type": "string", "pattern": "^@[0-9]+$"},
        "required": True,
    },
    "Sunset": {
        "description": "From when on the route is not found (RFC 8594).",
        "schema": {"type": "string"},
        "required": True,
    },
    "DeprecationLink": {
        "description": "A page that says what to use instead.",
        "schema": {"type": "string", "pattern": 'rel="deprecation"'},
        "required": True,
    },
}
_NAMES = {"Deprecation": "Deprecation", "Sunset": "Sunset", "Link": "DeprecationLink"}


def mark(document: dict[str, Any]) -> None:
    """Mark routes and fields of a finished document. A field that it does not have is a `KeyError`."""
    for entry in deprecations.DEPRECATIONS:
        match entry.of:
            case Field(component, name):
                schema = document["components"]["schemas"][component]["properties"][name]
                schema |= {"deprecated": True, "description": _told(schema, entry)}
            case Route() as route:
                document["components"]["headers"] |= HEADERS
                operation = _operation(document, route)
                operation |= {"deprecated": True, "description": _told(operation, entry)}
                for response in operation["responses"].values():
                    response["headers"] |= {
                        name: {"$ref": f"#/components/headers/{component}"} for name, component in _NAMES.items()
                    }


def _told(described: dict[str, Any], entry: Deprecation) -> str:
    sentence = f"**Deprecated** since {entry.since.isoformat()}, gone on {entry.sunset.isoformat()}: <{entry.link}>."
    return f"{described.get('description', '')}\n\n{sentence}".strip()


def _operation(document: dict[str, Any], route: Route) -> dict[str, Any]:
    for path, item in document["paths"].items():
        is_named_so = resolve(re.sub(r"\{\w+\}", "x", path)).url_name == route.url_name if "/api/" in path else False
        if is_named_so:
            operation: dict[str, Any] = item[route.method.lower()]
            return operation
    raise KeyError(route)
