"""The addresses of the metrics make sense, and are not the whole world's."""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004  # Django's own word for it

from webhooks.dispatcher.exposition import host_and_port

_SETTINGS = ("METRICS_BIND", "DISPATCHER_METRICS_BIND")


@register(Tags.security)
def metrics_are_not_public(**_kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Each address is host:port, no two are the same, and none is every interface of the machine."""
    messages: list[CheckMessage] = []
    binds = {name: getattr(settings, name) for name in _SETTINGS if getattr(settings, name)}
    for name, bind in binds.items():
        try:
            host, _port = host_and_port(bind)
        except ValueError:
            hint = f"Write {name}=127.0.0.1:9108, say; leave it out to have none."
            messages.append(Error(f"{name} is not an address and a port.", hint=hint, id="prealerts.E020"))
            continue
        if ip_address(host).is_unspecified:
            hint = "Bind it to the interface that Prometheus reaches, or let a firewall keep everybody else out."
            messages.append(Warning(f"{name} listens on every interface.", hint=hint, id="prealerts.W020"))
    if len(set(binds.values())) < len(binds):
        hint = "Give the web server and the dispatcher each its own port."
        messages.append(Error(f"{' and '.join(binds)} are the same.", hint=hint, id="prealerts.E021"))
    return messages
