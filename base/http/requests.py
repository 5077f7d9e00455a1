"""The client's IP address, as far as it can be trusted, and whether a request is for the admin."""

from functools import cache
from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from django.urls import get_script_prefix, reverse


def client_address(request: HttpRequest) -> str | None:
    """Return the address that connected to the outermost of our `PROXIES_IN_FRONT` proxies; None on a local socket.

    Each proxy appends the address of its peer to X-Forwarded-For. Anything further to the left came with the request
    and can be forged, so it is ignored.
    """
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    if 0 < settings.PROXIES_IN_FRONT <= len(forwarded) and (address := _valid(forwarded[-settings.PROXIES_IN_FRONT])):
        return address
    return _valid(request.META.get("REMOTE_ADDR", ""))


def client_network(request: HttpRequest) -> str:
    """Return the client's address as limits count it: of IPv6 the network of 64 bits, which one customer has."""
    address = ip_address(client_address(request) or "::")
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or ip_network((address, 64), strict=False))


def _valid(text: str) -> str | None:
    try:
        return str(ip_address(text))
    except ValueError:
        return None


def is_admin_request(request: HttpRequest) -> bool:
    """Whether the request's path is under the admin, including paths that do not exist.

    Only those have sessions, a second factor and an audit log.
    """
    return request.path_info.startswith(_prefix())


@cache
def _prefix() -> str:
    """The admin's path without the script prefix; cached, because every request needs it."""
    return reverse("admin:index").removeprefix(get_script_prefix().rstrip("/"))
