"""Permissions for the sidebar's links that concern the whole service: shown only if the page would open."""

from collections.abc import Callable

from django.http import HttpRequest

from companies.scope import scope_of


def _for(permission: str) -> Callable[[HttpRequest], bool]:
    def may_see(request: HttpRequest) -> bool:
        return scope_of(request.user).is_everywhere and request.user.has_perm(permission)

    return may_see


users = _for("auth.view_user")
accesses = _for("auth.view_user")
groups = _for("auth.view_group")
lockouts = _for("axes.view_accessattempt")
acts = _for("admin.view_logentry")
changes = _for("auditlog.view_logentry")
