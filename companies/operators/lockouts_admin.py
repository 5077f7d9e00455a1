"""The admin of lockouts after wrong passwords, with the action that lifts them."""

from datetime import datetime

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from companies.admin_base.activity import ActKind, act
from companies.admin_base.clocks import headed_by_zone, zone_name
from companies.admin_base.confirmed_action import ConfirmedAction, Done, Question, Scene
from companies.admin_base.lists import badge, column
from companies.admin_base.scoped_admin import EverywhereAdmin, ReadOnly

_NAMES = (gettext_noop("access attempt"), gettext_noop("access attempts"))  # axes has no Spanish

LOCK_LIFTED = act("lock_lifted", ActKind.CONFIGURED, _("Lifted the lock of %(user)s."))


def _lift(scene: Scene[AccessAttempt], _form: object) -> Done[AccessAttempt]:
    attempts = list(scene.rows)
    scene.rows.delete()
    return Done(attempts, params={"user": ", ".join(sorted({attempt.username or "-" for attempt in attempts}))})


LIFT = ConfirmedAction[AccessAttempt](
    name="lift", list_name="lift", asks_in_list=False, has_page=False, label=_("Lift the lock"), permission="lift",
    question=Question(_("Lift the lock"), [_("The next wrong password counts as the first.")], _("Lift the lock")),
    run=_lift, logged=LOCK_LIFTED, said=ngettext_lazy("%(n)s entry was deleted.", "%(n)s entries were deleted.", "n"),
)  # fmt: skip


@admin.register(AccessAttempt)
class LockoutAdmin(ReadOnly, EverywhereAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """Wrong passwords by user name and address, for as long as they count; read-only."""

    list_title = _("Locked out")
    nothing_yet = _("Nobody is locked out")
    how_it_begins = _("Whoever enters a wrong password appears here, and can be let in again before the time is over.")
    list_display = ["shown_name", "shown_address", "shown_failures", "shown_state", "shown_time"]
    list_display_links = None
    search_fields = ["username", "ip_address"]
    search_help_text = _("User name or address")
    ordering = ["-attempt_time"]
    confirmed_actions = (LIFT,)
    list_disable_select_all = True

    def has_lift_permission(self, request: HttpRequest) -> bool:
        """Operators who may change users may lift lockouts."""
        return self.has_view_permission(request) and request.user.has_perm("auth.change_user")

    shown_name = column(_("user name entered"), lambda attempt: str(attempt.username))
    shown_address = column(_("address"), lambda attempt: str(attempt.ip_address or ""))
    shown_failures = column(_("wrong passwords"), lambda attempt: attempt.failures_since_start)
    shown_time = column(
        headed_by_zone(_("last attempt")),
        lambda attempt: f"{timezone.localtime(attempt.attempt_time):%Y-%m-%d %H:%M:%S}",
    )

    @admin.display(description=_("state"))
    def shown_state(self, attempt: AccessAttempt) -> SafeString:
        """Whether this user name and address are currently locked out together."""
        until: datetime = attempt.attempt_time + settings.AXES_COOLOFF_TIME
        if until < timezone.now():
            return badge(gettext("over"), "success")
        if attempt.failures_since_start < settings.AXES_FAILURE_LIMIT:
            return badge(gettext("counting"), "info")
        return badge(gettext("locked until %s") % f"{timezone.localtime(until):%H:%M} {zone_name()}", "danger")
