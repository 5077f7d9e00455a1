"""Settings of this room that are unsafe or unusable, said before the service starts, each with its cure."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004  # Django's own word for it

from webhooks.addresses import networks
from webhooks.tls import tls_context


@register(Tags.security)
def doors_are_closed(**_kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ANN401  # Django's signature
    """In production a delivery reaches the public internet and nothing else."""
    opened = [name for name in ("WEBHOOK_ALLOWED_NETWORKS", "WEBHOOK_CA_BUNDLE") if getattr(settings, name)]
    if settings.DEBUG or not opened:
        return []
    return [
        Warning(
            f"{' and '.join(opened)} {'is' if len(opened) == 1 else 'are'} set while DEBUG is off.",
            hint="Whoever may register a subscription can have requests sent into these networks. Leave both empty "
            "unless clients really live there; then silence this with SILENCED_SYSTEM_CHECKS.",
            id="webhooks.W001",
        )
    ]


@register(Tags.security)
def networks_are_networks(**_kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ANN401  # Django's signature
    """WEBHOOK_ALLOWED_NETWORKS can be read."""
    try:
        networks(settings.WEBHOOK_ALLOWED_NETWORKS)
    except ValueError as error:
        return [
            Error(
                f"WEBHOOK_ALLOWED_NETWORKS: {error}.",
                hint="Write networks as CIDRs, separated by commas: 10.20.0.0/16,fd00:20::/32",
                id="webhooks.E001",
            )
        ]
    return []


@register(Tags.security)
def authorities_can_be_read(**_kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ANN401  # Django's signature
    """WEBHOOK_CA_BUNDLE is a file of certificates."""
    if not settings.WEBHOOK_CA_BUNDLE:
        return []
    try:
        tls_context(settings.WEBHOOK_CA_BUNDLE)
    except OSError as error:
        return [
            Error(
                f"WEBHOOK_CA_BUNDLE cannot be read: {error}.",
                hint="Name a file of certificate authorities in PEM format, or leave it empty.",
                id="webhooks.E002",
            )
        ]
    return []


@register()
def concurrency_counts(**_kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ANN401  # Django's signature
    """WEBHOOK_CONCURRENCY is a number of deliveries."""
    if settings.WEBHOOK_CONCURRENCY >= 1:
        return []
    return [
        Error(
            "WEBHOOK_CONCURRENCY counts deliveries in flight, from 1.",
            hint="Leave it out for the default of 1000.",
            id="webhooks.E003",
        )
    ]
