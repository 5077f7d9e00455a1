"""The URLs a subscription may have: https, with a host name or an address that may be reached.

`inspect` checks the URL alone, and again before each POST. `inspect_name` also queries the DNS, once, when the URL is
saved, so that a mistake is shown at once and not with the first lost event.
"""

import re
import socket
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _, gettext_lazy
from yarl import URL

from webhooks.addresses import Network, find_refusal, is_allowed, parse_host, parse_networks
from webhooks.errors import AddressRefused, DestinationRefused

MAX_URL_LENGTH = 2000

UNRESOLVED = gettext_lazy(
    "The host does not resolve to a public address at the moment; deliveries will fail until it does."
)

_A_NAME = re.compile(r"(?=.{1,253}\.?$)([^.]{1,63}\.)*[^.]{1,63}\.?")
_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f-\x9f\\^`{|}<>\"\s]")


def allowed_networks() -> tuple[Network, ...]:
    """The networks of this installation that deliveries may reach in addition to the public internet."""
    return _parse_once(tuple(settings.WEBHOOK_ALLOWED_NETWORKS))


_parse_once = lru_cache(maxsize=4)(parse_networks)


def inspect(url: str, allowed: Sequence[Network] = ()) -> tuple[str, int]:
    """Return host, in ASCII and without brackets, and port. Raises `DestinationRefused` unless it is a plain https URL.

    Raises its subclass `AddressRefused` if the host is an address that may not be reached.
    """
    if len(url) > MAX_URL_LENGTH or _NOT_IN_A_URL.search(url):
        raise DestinationRefused(
            _("The URL must have no spaces or control characters, and at most %d characters.") % MAX_URL_LENGTH
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise DestinationRefused(_("Not a valid URL: the host or port cannot be read.")) from None
    if parts.scheme.lower() != "https":
        raise DestinationRefused(_("Use an https:// URL; events are never sent over plain HTTP."))
    if parts.username is not None or parts.password is not None:
        raise DestinationRefused(_("Remove the user name and password from the URL; the secret is sent in a header."))
    if not parts.hostname or port == 0:
        raise DestinationRefused(_("The URL needs a host; a port must be from 1 to 65535."))
    if parts.netloc.startswith("[") and ":" not in parts.hostname:
        raise DestinationRefused(_("Only an IPv6 address may be in brackets."))
    if parts.fragment:
        raise DestinationRefused(_("Remove the part after # from the URL; it is never sent."))
    return _inspect_host(parts.hostname, allowed), port or 443


def _inspect_host(host: str, allowed: Sequence[Network]) -> str:
    """Return the host in ASCII, as the HTTP client writes it; also normalises lookalike letters and dots."""
    try:
        name = host if ":" in host else str(URL.build(scheme="https", host=host).raw_host)
    except ValueError:
        raise DestinationRefused(_("The host is not a valid name.")) from None
    if ":" not in host and not _A_NAME.fullmatch(name):
        raise DestinationRefused(_("The host is not a valid name."))
    try:
        address = parse_host(name)
    except ValueError:
        raise AddressRefused(
            _("%s is a number that programs parse differently; use a name or a plain address.") % name
        ) from None
    if address is None and _is_local_name(name) and not allowed:
        raise _no_local_names()
    if address is not None and (why := find_refusal(address, allowed)):
        raise AddressRefused(_("Events cannot be delivered to %s.") % why)
    return name


def inspect_name(url: str) -> str | None:
    """Like `inspect`, and resolve the host, with the settings of this installation.

    Returns None, or a warning if the name does not resolve, or to an address that may not be reached: one sentence for
    both, so that nobody learns which names our own network has. Raises `DestinationRefused` for a name without a dot
    unless each of its addresses is in an allowed network. It blocks as long as the system's resolver does.
    """
    allowed = allowed_networks()
    host, port = inspect(url, allowed)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        found = []
    addresses = [ip_address(str(sockaddr[0]).partition("%")[0]) for *_rest, sockaddr in found]
    if _is_local_name(host) and not (addresses and all(is_allowed(each, allowed) for each in addresses)):
        raise _no_local_names()
    if addresses and not any(find_refusal(each, allowed) for each in addresses):
        return None
    return str(UNRESOLVED)


def _is_local_name(host: str) -> bool:
    """Whether it is a name that only some networks know, such as `db` or `localhost`."""
    return not any(mark in host.rstrip(".") for mark in ".:")


def _no_local_names() -> DestinationRefused:
    return DestinationRefused(_("Use the whole name of the host, such as hooks.example.com."))


def without_tokens(url: str) -> str:
    """Return the URL for lists and exports: without user name and password, and with `?…` for its query.

    Clients write tokens there.
    """
    scheme, mark, rest = url.partition("://")
    rest, query, _values = rest.partition("?")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{mark}{authority.rpartition('@')[2]}{slash}{path}{'?…' if query else ''}"
