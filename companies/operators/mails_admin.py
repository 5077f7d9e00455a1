"""The mails of the last month, for administrators: what the server took, and what it said of the others."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Question
from base.admin.list_filters import StatesFilter
from base.admin.lists import badge, column
from base.admin.scoped_admin import ReadOnly
from base.db.moments import in_list
from companies.clocks import add_zone
from companies.everywhere_admin import EverywhereAdmin
from companies.mail import outbox
from companies.models import Mail, MailState
from companies.operators.invitations import trouble_of
from companies.scope import scope_of

SENT_AGAIN = act("mail_sent_again", ActKind.SENT, _("Sent the mail again."))
_COLOURS = {
    MailState.WAITING: "info",
    MailState.SENT: "success",
    MailState.FAILED: "danger",
    MailState.UNCONFIRMED: "warning",
}


class SendAgain(ConfirmedAction[Mail]):
    name, label, icon, permission = "send_again", _("Send again"), "outgoing_mail", "operate"
    question = Question(
        _("Send again"),
        [_("If the server did accept the mail, it arrives twice."), _("It is tried again for three more days.")],
        _("Send"),
    )
    fits = staticmethod(lambda row: outbox.is_on() and bool(row.error))
    logged, said = SENT_AGAIN, _("It is sent again within a minute.")

    def among(self) -> Any:  # noqa: ANN401  # a QuerySet of mails
        return self.rows.exclude(error="")

    def confirm(self, form: object) -> Sequence[Mail]:  # noqa: ARG002  # nothing is entered
        outbox.send_again(self.row)
        return [self.row]


@admin.register(Mail)
class MailAdmin(ReadOnly, EverywhereAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """Rows without contents: what a mail says is written when it is sent, and not stored."""

    list_display = ["shown_kind", "operator", "shown_state", "shown_time", "attempts", "shown_error"]
    list_select_related = ["operator"]
    list_filter = [("state", StatesFilter)]
    nothing_yet = _("No mail was written yet")
    how_it_begins = _("Invitations, forgotten passwords and notifications appear here, and stay for a month.")
    fields = [("kind", "operator"), ("shown_state", "attempts"), ("created_at", "due_at", "finished_at"), "shown_error"]
    readonly_fields = ["shown_state", "shown_error"]
    confirmed_actions = (SendAgain,)

    shown_kind = column(_("kind"), lambda mail: mail.get_kind_display())
    shown_state = column(_("state"), lambda mail: badge(mail.get_state_display(), _COLOURS[mail.state]))
    shown_time = column(add_zone(_("made at")), lambda mail: in_list(mail.created_at), ordering="created_at")
    shown_error = column(_("what the server said"), trouble_of)

    def get_queryset(self, request: HttpRequest) -> Any:  # noqa: ANN401  # a QuerySet of mails
        # Needless ones are never sent.
        return super().get_queryset(request).exclude(Q(operator=None) | Q(state=MailState.NEEDLESS))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002  # Django's signature
        return scope_of(request.user).is_everywhere and request.user.has_perm("auth.view_user")

    def has_operate_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # as above
        return scope_of(request.user).is_everywhere and request.user.has_perm("auth.change_user")
