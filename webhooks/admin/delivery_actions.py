"""What operators do to a delivery: replay it (version 2) or resend it (version 1)."""

from collections.abc import Sequence
from typing import cast

from django import forms
from django.db.models import Count
from django.http import HttpResponseBase
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from unfold.widgets import UnfoldAdminTextInputWidget

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Grouped, Question
from base.errors import DomainError
from webhooks import replays
from webhooks.admin.advice import HOW_AGAIN, in_numbers, say_sent_again
from webhooks.errors import DeliveryInFlight, ReplayNotAvailable
from webhooks.models import Delivery, DeliveryQuerySet, State, Subscription

REPLAYED = act("delivery_replayed", ActKind.SENT, _("Replayed."))
RESENT = act("delivery_resent", ActKind.SENT, _("Resent: %(reason)s"))


class ResendForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=255, widget=UnfoldAdminTextInputWidget())


class _Sending(ConfirmedAction[Delivery]):
    """Of deliveries whose endpoint the operator may see, since sending them uses it."""

    permission = "replay"

    def among(self) -> DeliveryQuerySet:
        seen = Subscription.objects.visible_to(self.request.user)
        return cast("DeliveryQuerySet", self.rows.filter(subscription__in=seen))

    def remarks(self, row: Delivery) -> Sequence[str]:
        return [row.delivery_id] if self.subject else ()


class Replay(_Sending):
    name, label, icon = "replay", _("Replay"), "replay"
    question = Question(
        _("Replay"),
        [
            _("It is sent again with the same id and body, with up to ten attempts."),
            _("The client may have received it already; its endpoint ignores ids that it knows."),
        ],
        _("Replay"),
    )
    logged, said = REPLAYED, _("The delivery will be sent again.")
    fits = staticmethod(lambda row: row.is_retried and row.state in replays.REPLAYABLE)

    def confirm(self, form: object) -> Sequence[Delivery]:  # noqa: ARG002  # nothing is entered
        try:
            replays.replay(self.row.company, self.row.uuid)
        except DeliveryInFlight:  # messages of the API are English
            raise DomainError(gettext("The delivery is already being sent.")) from None
        except ReplayNotAvailable:
            text = gettext("It cannot be replayed: it is older than 30 days, or its subscription is disabled.")
            raise DomainError(text) from None
        return [self.row]


_HOW_RESENT = (
    _("Version 1 promises a single attempt. Resend only if the client asked for it."),
    _("It is sent again with the same id and body. The reason is recorded with your name."),
)


class _Resending(_Sending):
    form_class = ResendForm
    logged = RESENT

    def confirm(self, form: ResendForm) -> Sequence[Delivery]:
        self.params = {"reason": form.cleaned_data["reason"]}
        rows = list(self.rows.order_by("pk"))
        for delivery in rows:
            replays.resend(delivery, reason=form.cleaned_data["reason"], actor=self.actor)
        return rows


class Resend(_Resending):
    name, label, icon = "resend", _("Resend"), "forward_to_inbox"
    question = Question(_("Resend"), _HOW_RESENT, _("Resend"), is_dangerous=True)
    said = _("The delivery will be resent.")
    fits = staticmethod(lambda row: not row.is_retried and row.state in replays.RESENDABLE)


class SendAgain(_Sending):
    name, list_name, has_page = "send_again", "send_again_selected", False
    label = _("Send again…")
    nothing = _("None of these waits for another attempt or was given up, with an active subscription.")
    logged = REPLAYED

    def among(self) -> DeliveryQuerySet:
        return replays.restartable(super().among())

    def get_question(self) -> Question:
        counts = dict(self.rows.order_by().values_list("state").annotate(Count("pk")))
        numbers = in_numbers(counts.get(State.WAITING, 0), counts.get(State.DEAD, 0))
        return Question(_("Send again"), (*numbers, *HOW_AGAIN), _("Send again"))

    def confirm(self, form: object) -> Sequence[Delivery]:  # noqa: ARG002  # nothing is entered
        rows, has_more = replays.restart(cast("DeliveryQuerySet", self.rows))
        say_sent_again(self.request, len(rows), has_more=has_more)
        return rows


class ResendFailed(_Resending):
    name, list_name, has_page = "resend_failed", "resend_selected", False
    label = _("Resend failed ones of version 1…")
    nothing = _("None of these is a failed delivery of version 1 with an active subscription.")

    def among(self) -> DeliveryQuerySet:
        return replays.resendable(super().among())

    def get_question(self) -> Question:
        count = self.rows.count()
        if count > replays.RESENT_AT_ONCE:
            text = gettext("%(count)s deliveries: at most %(most)s of version 1 are resent at once. Narrow the list.")
            line = text % {"count": Grouped(count), "most": replays.RESENT_AT_ONCE}
            return Question(_("Resend failed ones"), [line])
        numbers = ngettext("%s delivery failed.", "%s deliveries failed.", count) % Grouped(count)
        return Question(_("Resend failed ones"), [numbers, *_HOW_RESENT], _("Resend"), is_dangerous=True)

    def respond(self, rows: Sequence[Delivery]) -> HttpResponseBase:
        say_sent_again(self.request, len(rows))
        return super().respond(rows)
