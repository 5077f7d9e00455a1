"""Which of the sidebar's links about the whole house an operator is shown: those whose pages would open."""

from collections.abc import Callable

from django.http import HttpRequest

from companies.operators.scope import scope_of


def _for(permission: str) -> Callable[[HttpRequest], bool]:
    def may_see(request: HttpRequest) -> bool:
        return scope_of(request.user).is_everywhere and request.user.has_perm(permission)

    return may_see


users = _for("auth.view_user")
groups = _for("auth.view_group")
lockouts = _for("axes.view_accessattempt")
acts = _for("admin.view_logentry")
changes = _for("auditlog.view_logentry")
