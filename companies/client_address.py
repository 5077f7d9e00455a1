"""From where a request came, as far as it can be believed."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The address that reached the outermost of our own proxies, `PROXIES_IN_FRONT` of them; None on a local socket.

    Each proxy writes the address it was reached from at the end of X-Forwarded-For. What stands further to the left
    came with the request: anybody can write it, and nobody here reads it.
    """
    said = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    if 0 < settings.PROXIES_IN_FRONT <= len(said) and (told := _sound(said[-settings.PROXIES_IN_FRONT])):
        return told
    return _sound(request.META.get("REMOTE_ADDR", ""))


def _sound(text: str) -> str | None:
    try:
        return str(ip_address(text))
    except ValueError:
        return None
