"""System checks for unsafe or unusable settings of webhooks, each with a remedy."""

import ssl
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004  # Django's name

from webhooks.addresses import parse_networks


@register(Tags.security)
def networks_are_closed(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """In production, deliveries reach only the public internet."""
    opened = [name for name in ("WEBHOOK_ALLOWED_NETWORKS", "WEBHOOK_CA_BUNDLE") if getattr(settings, name)]
    # `make sandbox` opens the loopback alone, for its own receiver.
    is_for_sandbox = settings.SANDBOX and settings.WEBHOOK_ALLOWED_NETWORKS == ["127.0.0.0/8"]
    if opened and not settings.DEBUG and not is_for_sandbox:
        text = f"{' and '.join(opened)} {'is' if len(opened) == 1 else 'are'} set while DEBUG is off."
        hint = (
            "Anyone who may register a subscription can have requests sent to these networks. Leave both empty "
            "unless clients have endpoints there; then silence this check with SILENCED_SYSTEM_CHECKS."
        )
        yield Warning(text, hint=hint, id="webhooks.W001")


@register(Tags.security)
def networks_are_networks(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    try:
        parse_networks(settings.WEBHOOK_ALLOWED_NETWORKS)
    except ValueError as error:
        hint = "Write networks as CIDRs, separated by commas: 10.20.0.0/16,fd00:20::/32"
        yield Error(f"WEBHOOK_ALLOWED_NETWORKS: {error}.", hint=hint, id="webhooks.E001")


@register(Tags.security)
def authorities_can_be_read(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    try:
        if settings.WEBHOOK_CA_BUNDLE:
            tls_context(settings.WEBHOOK_CA_BUNDLE)
    except OSError as error:
        hint = "Set it to a file of certificate authorities in PEM format, or leave it empty."
        yield Error(f"WEBHOOK_CA_BUNDLE cannot be read: {error}.", hint=hint, id="webhooks.E002")


@register(Tags.security)
def concurrency_counts(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    if settings.WEBHOOK_CONCURRENCY < 1:
        hint = "Remove it to use the default of 1000."
        yield Error("WEBHOOK_CONCURRENCY must be at least 1.", hint=hint, id="webhooks.E003")


def tls_context(ca_bundle: str = "") -> ssl.SSLContext:
    """Return a verifying context with the system's authorities and those in the file `ca_bundle`.

    Raises `OSError` (such as `ssl.SSLError`) if the file cannot be read or has no certificate.
    """
    context = ssl.create_default_context()
    if ca_bundle:
        context.load_verify_locations(cafile=ca_bundle)
    context.set_alpn_protocols(["http/1.1"])
    return context
