"""Where the desk is: the admin's pages, which have sessions, a second factor and an audit log. The API has none."""

from functools import cache

from django.http import HttpRequest
from django.urls import get_script_prefix, reverse


def is_at_the_desk(request: HttpRequest) -> bool:
    """Whether a page of the admin is asked for, by its address: one that does not exist is at the desk, too."""
    return request.path_info.startswith(_prefix())


@cache
def _prefix() -> str:
    """Asked for by every request, and always the same: what comes before it is where the server put us."""
    return reverse("admin:index").removeprefix(get_script_prefix().rstrip("/"))
