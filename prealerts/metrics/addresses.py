"""System checks for the addresses of the metrics: valid, distinct and not public."""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004  # Django's own word for it

from webhooks.dispatcher.instruments import host_and_port

_SETTINGS = ("METRICS_BIND", "DISPATCHER_METRICS_BIND")


@register(Tags.security)
def metrics_are_not_public(**_kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Each address is host:port, no two are equal, and none listens on every interface."""
    messages: list[CheckMessage] = []
    binds = {name: getattr(settings, name) for name in _SETTINGS if getattr(settings, name)}
    for name, bind in binds.items():
        try:
            host, _port = host_and_port(bind)
        except ValueError:
            hint = f"Set it, for example {name}=127.0.0.1:9108, or leave it out to disable the metrics."
            messages.append(Error(f"{name} is not an address and a port.", hint=hint, id="prealerts.E020"))
            continue
        if ip_address(host).is_unspecified:
            hint = "Bind it to the interface that Prometheus uses, or block other clients with a firewall."
            messages.append(Warning(f"{name} listens on every interface.", hint=hint, id="prealerts.W020"))
    if len(set(binds.values())) < len(binds):
        hint = "Use different ports for the web server and the dispatcher."
        messages.append(Error(f"{' and '.join(binds)} are the same.", hint=hint, id="prealerts.E021"))
    return messages
