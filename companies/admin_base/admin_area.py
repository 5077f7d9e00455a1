"""Which requests are for the admin's pages: these have sessions, a second factor and an audit log; the API has none."""

from functools import cache

from django.http import HttpRequest
from django.urls import get_script_prefix, reverse


def is_admin_request(request: HttpRequest) -> bool:
    """Whether the request's path is under the admin, including paths that do not exist."""
    return request.path_info.startswith(_prefix())


@cache
def _prefix() -> str:
    """The admin's path without the script prefix; cached, because every request needs it."""
    return reverse("admin:index").removeprefix(get_script_prefix().rstrip("/"))
