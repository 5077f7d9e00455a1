"""What operators do to a subscription: test, rotate the secret, send again, replay, disable and enable."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, NoForm, Question
from base.admin.secret_page import SecretPage
from base.db.moments import in_list
from base.errors import DomainError
from webhooks import outbox, replays, subscriptions
from webhooks.admin.advice import HOW_AGAIN, say_sent_again, to_send_again_in_words
from webhooks.admin.forms import RangeForm, RotationForm, SendAgainForm
from webhooks.errors import ReplayNotAvailable
from webhooks.models import State, Subscription

RANGE_REPLAYED = act("range_replayed", ActKind.SENT, _("Replayed deliveries: %(deliveries)s."))
TEST_SENT = act("test_sent", ActKind.SENT, _("A test event was sent."))
SECRET_ROTATED = act("secret_rotated", ActKind.CONFIGURED, _("Rotated the secret."))
DISABLED = act("subscription_disabled", ActKind.CONFIGURED, _("Disabled."))
ENABLED = act("subscription_enabled", ActKind.CONFIGURED, _("Enabled."))

SEND_AGAIN = _("Send again")
SECRET_PAGE = SecretPage(
    "secret", "secret", _("Webhook secret"), "webhooks/secret.html",
    lambda admin, _request, row: {"subscription": row, "way_back": admin.address("change", row)},
)  # fmt: skip


def warn_of_shortness(request: HttpRequest, secret: str | None) -> None:
    """Say so if the secret that was entered could be guessed."""
    if secret is not None and len(secret) < subscriptions.SHORT_SECRET_LENGTH:
        text = gettext("The secret has fewer than %d characters, so it could be guessed.")
        messages.warning(request, text % subscriptions.SHORT_SECRET_LENGTH)


class _OfSubscription(ConfirmedAction[Subscription]):
    permission = "change"

    def remarks(self, row: Subscription) -> Sequence[str]:
        return [str(row.company)]


class SendTest(_OfSubscription):
    name, label, icon = "send_test_event", _("Send a test event"), "outgoing_mail"
    logged = TEST_SENT
    fits = staticmethod(lambda row: row.is_active)

    def get_question(self) -> Question:
        if not self.row.is_active:
            return Question(_("Send a test event"), [_("The subscription is disabled; enable it first.")])
        lines = [
            _("One webhook.test event is sent to the endpoint, like any other event."),
            _("The next page shows the result."),
        ]
        return Question(_("Send a test event"), lines, _("Send"))

    def confirm(self, form: object) -> Sequence[Subscription]:  # noqa: ARG002  # nothing is entered
        delivery = outbox.send_test(self.row, "A test event, sent by an operator.")
        self.goes_to = reverse("admin:webhooks_delivery_change", args=[delivery.pk])
        return [self.row]


class RotateSecret(_OfSubscription):
    name, label, icon = "rotate_secret", _("Rotate secret"), "key"
    logged = SECRET_ROTATED

    def get_question(self) -> Question:
        lines: list[str | Promise] = [
            _("The current secret stops being sent immediately, without a grace period."),
            _("Until the client's endpoint has the new one, it will reject events, and these are lost."),
        ]
        if self.row.signs:
            lines = [
                _(
                    "A new secret is generated. For 24 hours both sign, so that nothing is lost while the client "
                    "switches."
                ),
                _("After that, only the new one signs."),
            ]
        until = self.row.previous_until
        if until is not None and until > timezone.now() and not subscriptions.keeps_former(self.row):
            text = gettext(
                "The secret from before the last rotation signs until %s. It stops now: has the client switched?"
            )
            lines.insert(0, text % in_list(until))
        return Question(_("Rotate the secret"), lines, _("Rotate"), is_dangerous=not self.row.signs)

    def get_form(self, data: Any, files: object) -> forms.Form:  # noqa: ANN401, ARG002  # Django's data
        return NoForm(data) if self.row.signs else RotationForm(data)

    def confirm(self, form: forms.Form) -> Sequence[Subscription]:
        self.given = form.cleaned_data.get("secret")
        self.secret = subscriptions.rotate_secret(self.row, self.given)
        return [self.row]

    def respond(self, rows: Sequence[Subscription]) -> HttpResponseBase:
        both = gettext("Both secrets sign for 24 hours.")
        messages.success(self.request, both if self.row.signs else gettext("The old secret is no longer sent."))
        warn_of_shortness(self.request, self.given)
        if self.given is None:
            return SECRET_PAGE.show(self.admin, self.request, self.row, self.secret)
        return super().respond(rows)


class _Sending(_OfSubscription):
    """Sends deliveries again."""

    logged = RANGE_REPLAYED

    def send(self, entered: Mapping[str, Any]) -> tuple[int, bool]:
        """Return how many, and whether there are more. Raises `ReplayNotAvailable`."""
        raise NotImplementedError

    def confirm(self, form: forms.Form) -> Sequence[Subscription]:
        try:
            rows, has_more = self.send(form.cleaned_data)
        except ReplayNotAvailable:
            text = gettext("Nothing can be replayed: the subscription is disabled or of version 1.")
            raise DomainError(text) from None
        say_sent_again(self.request, rows, has_more=has_more)
        self.params = {"deliveries": rows}
        return [self.row] if rows else []


class SendAgain(_Sending):
    """It is not in the bar: it is a line of the page, with its numbers."""

    name, label, icon, in_bar = "send_again", SEND_AGAIN, "forward_to_inbox", False

    def get_question(self) -> Question:
        if numbers := to_send_again_in_words(self.row):
            return Question(SEND_AGAIN, (*numbers, *HOW_AGAIN), SEND_AGAIN)
        return Question(SEND_AGAIN, (_("Nothing can be sent again now: what is due already is sent by itself."),))

    def get_form(self, data: Any, files: object) -> SendAgainForm:  # noqa: ANN401, ARG002  # as above
        return SendAgainForm(self.row, data)

    def send(self, entered: Mapping[str, Any]) -> tuple[int, bool]:
        return replays.send_again(self.row, **entered)


class ReplayRange(_Sending):
    name, label, icon = "replay_range", _("Replay a range"), "replay"
    form_class = RangeForm
    question = Question(
        _("Replay a range"),
        [
            _("Deliveries of the last 30 days that were given up in this range are sent again, at most 5 000 at once."),
            _("Current events are not delayed."),
        ],
        _("Replay"),
    )
    fits = staticmethod(lambda row: row.is_active and row.signs)

    def send(self, entered: Mapping[str, Any]) -> tuple[int, bool]:
        states = [State.DEAD, *([State.DELIVERED] if entered["with_delivered"] else [])]
        return replays.replay_range(self.row, since=entered["since"], until=entered["until"], states=states)


class Disable(_OfSubscription):
    name, label, icon = "disable", _("Disable"), "block"
    logged, said = DISABLED, _("The subscription is disabled.")
    fits = staticmethod(lambda row: row.is_active)

    def get_question(self) -> Question:
        waiting = _("No more events are sent. Waiting deliveries are cancelled and will not be sent later.")
        if self.row.signs:
            waiting = _(
                "No more events are sent. Waiting deliveries are given up and can be replayed once it is enabled."
            )
        log_stays = _("The delivery log stays, and you can enable the subscription again.")
        return Question(_("Disable"), [waiting, log_stays], _("Disable"), is_dangerous=True)

    def confirm(self, form: object) -> Sequence[Subscription]:  # noqa: ARG002  # nothing is entered
        return [self.row] if subscriptions.disable(self.row) else []


class Enable(_OfSubscription):
    name, label, icon = "enable", _("Enable"), "check_circle"
    logged, said = ENABLED, _("The subscription is enabled.")
    fits = staticmethod(lambda row: not row.is_active)

    def get_question(self) -> Question:
        lines = [_("New events are sent, with the same secret as before.")]
        if self.row.signs:
            lines.append(_("Deliveries that were given up are not sent: replay them, or leave that to the client."))
        return Question(_("Enable"), lines, _("Enable"))

    def confirm(self, form: object) -> Sequence[Subscription]:  # noqa: ARG002  # nothing is entered
        return [self.row] if subscriptions.enable(self.row) else []
