"""Every address of the admin, and the model it belongs to."""

from collections.abc import Iterator
from typing import Any

from django.contrib.admin import site
from django.urls import URLPattern, URLResolver, get_resolver


def addresses(resolver: Any = None, prefix: str = "") -> Iterator[tuple[str, str, URLPattern]]:
    """(full name, route, pattern) of everything under admin/."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            namespace = f"{entry.namespace}:" if entry.namespace else ""
            for name, inner, pattern in addresses(entry, route):
                yield namespace + name, inner, pattern
        elif route.startswith("admin/"):
            yield str(entry.name or ""), route, entry


def models_address(name: str) -> str | None:
    """The model (`app_model`) of an address of the admin's, by its name."""
    labels = {f"{model._meta.app_label}_{model._meta.model_name}" for model in site._registry}
    return next((label for label in sorted(labels, key=len, reverse=True) if name.startswith(f"admin:{label}_")), None)
