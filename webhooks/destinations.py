"""Where a subscription may point: an https URL whose host is a name, or an address that may be reached.

`inspect` looks at the URL alone and is asked again before each POST; `inspect_name` also asks the DNS, once, when an
operator saves the URL, so that the reason is told at once and not with the first lost event.
"""

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from yarl import URL

from webhooks.addresses import Network, literal, networks, refusal
from webhooks.errors import AddressRefused, DestinationRefused

MAX_URL_LENGTH = 2000

_A_NAME = re.compile(r"(?=.{1,253}\.?$)([^.]{1,63}\.)*[^.]{1,63}\.?")
_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f-\x9f\\^`{|}<>\"\s]")


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a URL that passed leads: its host, in ASCII and without brackets, and its port."""

    host: str
    port: int


def allowed_networks() -> tuple[Network, ...]:
    """`WEBHOOK_ALLOWED_NETWORKS`, read."""
    return _parsed(tuple(settings.WEBHOOK_ALLOWED_NETWORKS))


@lru_cache(maxsize=4)
def _parsed(texts: tuple[str, ...]) -> tuple[Network, ...]:
    return networks(texts)


def inspect(url: str, allowed: Sequence[Network] = ()) -> Destination:
    """Take the URL apart; raise `DestinationRefused` for what is no plain https URL.

    Raises `AddressRefused`, its kind for addresses, when the host spells one that may not be reached.
    """
    if len(url) > MAX_URL_LENGTH or _NOT_IN_A_URL.search(url):
        raise DestinationRefused(
            _("Write the URL without spaces and control characters, in at most %d characters.") % MAX_URL_LENGTH
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise DestinationRefused(_("This is no URL: host or port cannot be read.")) from None
    if parts.scheme.lower() != "https":
        raise DestinationRefused(_("Use an https:// URL; events are never sent over plain HTTP."))
    if parts.username is not None or parts.password is not None:
        raise DestinationRefused(_("Take user name and password out of the URL; the secret travels in a header."))
    if not parts.hostname or port == 0:
        raise DestinationRefused(_("The URL needs a host, and a port from 1 to 65535 if it names one."))
    if parts.netloc.startswith("[") and ":" not in parts.hostname:
        raise DestinationRefused(_("Only an IPv6 address stands in brackets."))
    if parts.fragment:
        raise DestinationRefused(_("Take the part after # out of the URL; it is never sent."))
    return Destination(_inspect_host(parts.hostname, allowed), port or 443)


def _inspect_host(host: str, allowed: Sequence[Network]) -> str:
    """The host in ASCII, as the HTTP client writes it; also undoes letters and dots that only look like others."""
    try:
        name = host if ":" in host else str(URL.build(scheme="https", host=host).raw_host)
    except ValueError:
        raise DestinationRefused(_("The host is no valid name.")) from None
    if ":" not in host and not _A_NAME.fullmatch(name):
        raise DestinationRefused(_("The host is no valid name."))
    try:
        address = literal(name)
    except ValueError:
        raise AddressRefused(
            _("%s is a number that programs read in different ways; write a name or a plain address.") % name
        ) from None
    if address is not None and (why := refusal(address, allowed)):
        raise AddressRefused(_("Deliveries may not reach %s.") % why)
    return name


def inspect_name(url: str) -> str | None:
    """`inspect`, and what the DNS says of the host now, under the installation's own settings.

    Returns None when all is well, or a remark for the operator when the name does not resolve (yet). Raises
    `AddressRefused` when one of its addresses may not be reached. It blocks as long as the system's resolver does.
    """
    allowed = allowed_networks()
    destination = inspect(url, allowed)
    try:
        found = socket.getaddrinfo(destination.host, destination.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return _("%s does not resolve at the moment; deliveries will fail until it does.") % destination.host
    for *_rest, sockaddr in found:
        if why := refusal(ip_address(str(sockaddr[0]).partition("%")[0]), allowed):
            raise AddressRefused(
                _("%(host)s resolves to %(address)s, which deliveries may not reach.")
                % {"host": destination.host, "address": why}
            )
    return None
