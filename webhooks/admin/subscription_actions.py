"""What operators do to a subscription: test, rotate the secret, send again, replay, disable and enable."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Done, NoForm, Question, Scene
from base.admin.secret_page import SecretPage
from base.errors import DomainError
from webhooks import outbox, replays, subscriptions
from webhooks.admin.advice import HOW_AGAIN, sent_again, to_send_again_in_words
from webhooks.admin.forms import RangeForm, RotationForm, SendAgainForm
from webhooks.errors import ReplayNotAvailable
from webhooks.models import State, Subscription

RANGE_REPLAYED = act("range_replayed", ActKind.SENT, _("Replayed deliveries: %(deliveries)s."))
TEST_SENT = act("test_sent", ActKind.SENT, _("A test event was sent."))
SECRET_ROTATED = act("secret_rotated", ActKind.CONFIGURED, _("Rotated the secret."))
DISABLED = act("subscription_disabled", ActKind.CONFIGURED, _("Disabled."))
ENABLED = act("subscription_enabled", ActKind.CONFIGURED, _("Enabled."))

SEND_AGAIN = _("Send again")
_ROTATION: tuple[str | Promise, ...] = (
    _("The current secret stops being sent immediately, without a grace period."),
    _("Until the client's endpoint has the new one, it will reject events, and these are lost."),
)
_SIGNING_ROTATION: tuple[str | Promise, ...] = (
    _("A new secret is generated. For 24 hours both sign, so that nothing is lost while the client switches."),
    _("After that, only the new one signs."),
)
_LOG_STAYS = _("The delivery log stays, and you can enable the subscription again.")
_SAME_SECRET = _("New events are sent, with the same secret as before.")

SECRET_PAGE = SecretPage(
    "secret", "secret", _("Webhook secret"), "webhooks/secret.html",
    lambda admin, _request, row: {"subscription": row, "way_back": admin.address("change", row)},
)  # fmt: skip


def shortness(secret: str | None) -> Sequence[tuple[int, str]]:
    """Return a warning if the secret that was entered could be guessed."""
    if secret is None or len(secret) >= subscriptions.SHORT_SECRET_LENGTH:
        return []
    text = gettext("The secret has fewer than %d characters, so it could be guessed.")
    return [(messages.WARNING, text % subscriptions.SHORT_SECRET_LENGTH)]


def _test(scene: Scene[Subscription], _form: object) -> Done[Subscription]:
    delivery = outbox.send_test(scene.one, "A test event, sent by an operator.")
    return Done([scene.one], goes_to=reverse("admin:webhooks_delivery_change", args=[delivery.pk]))


def _rotate(scene: Scene[Subscription], form: Any) -> Done[Subscription]:  # noqa: ANN401  # RotationForm or NoForm
    given = form.cleaned_data.get("secret")
    secret = subscriptions.rotate_secret(scene.one, given)
    both = gettext("Both secrets sign for 24 hours.")
    said = both if scene.one.signs else gettext("The old secret is no longer sent.")
    also = [(messages.SUCCESS, said), *shortness(given)]
    response = SECRET_PAGE.show(scene.admin, scene.request, scene.one, secret) if given is None else None
    return Done([scene.one], also, response=response)


def _replay(scene: Scene[Subscription], form: Any) -> Done[Subscription]:  # noqa: ANN401  # a RangeForm
    states = [State.DEAD, *([State.DELIVERED] if form.cleaned_data["with_delivered"] else [])]
    since, until = form.cleaned_data["since"], form.cleaned_data["until"]
    return _resent(scene, lambda: replays.replay_range(scene.one, since=since, until=until, states=states))


def _resent(scene: Scene[Subscription], resend: Callable[[], tuple[int, bool]]) -> Done[Subscription]:
    try:
        rows, has_more = resend()
    except ReplayNotAvailable:
        text = gettext("Nothing can be replayed: the subscription is disabled or of version 1.")
        raise DomainError(text) from None
    return Done([scene.one] if rows else [], sent_again(rows, has_more=has_more), {"deliveries": rows})


def _switch(verb: Callable[[Subscription], bool]) -> Callable[[Scene[Subscription], Any], Done[Subscription]]:
    return lambda scene, _form: Done([scene.one] if verb(scene.one) else [])


def _of(name: str, label: str | Promise, icon: str, **more: Any) -> ConfirmedAction[Subscription]:  # noqa: ANN401  # of the action
    return ConfirmedAction(
        name=name, label=label, icon=icon, permission="change",
        remarks=lambda subscription: [str(subscription.company)], **more,
    )  # fmt: skip


def _test_question(scene: Scene[Subscription]) -> Question:
    if not scene.one.is_active:
        return Question(_("Send a test event"), [_("The subscription is disabled; enable it first.")])
    lines = [
        _("One webhook.test event is sent to the endpoint, like any other event."),
        _("The next page shows the result."),
    ]
    return Question(_("Send a test event"), lines, _("Send"))


def _rotation_question(scene: Scene[Subscription]) -> Question:
    lines = _SIGNING_ROTATION if scene.one.signs else _ROTATION
    until = scene.one.previous_until
    if until is not None and until > timezone.now() and not subscriptions.keeps_former(scene.one):
        text = gettext(
            "The secret from before the last rotation signs until %s. It stops now: has the client switched?"
        )
        lines = (text % date_format(localtime(until), "SHORT_DATETIME_FORMAT"), *lines)
    return Question(_("Rotate the secret"), lines, _("Rotate"), is_dangerous=not scene.one.signs)


def _again_question(scene: Scene[Subscription]) -> Question:
    if numbers := to_send_again_in_words(scene.one):
        return Question(SEND_AGAIN, (*numbers, *HOW_AGAIN), SEND_AGAIN)
    return Question(SEND_AGAIN, (_("Nothing can be sent again now: what is due already is sent by itself."),))


def _disabling_question(scene: Scene[Subscription]) -> Question:
    waiting = _("No more events are sent. Waiting deliveries are cancelled and will not be sent later.")
    if scene.one.signs:
        waiting = _("No more events are sent. Waiting deliveries are given up and can be replayed once it is enabled.")
    return Question(_("Disable"), [waiting, _LOG_STAYS], _("Disable"), is_dangerous=True)


def _enabling_question(scene: Scene[Subscription]) -> Question:
    given_up = _("Deliveries that were given up are not sent: replay them, or leave that to the client.")
    return Question(_("Enable"), [_SAME_SECRET, *([given_up] if scene.one.signs else [])], _("Enable"))


_RANGE = Question(
    _("Replay a range"),
    [
        _("Deliveries of the last 30 days that were given up in this range are sent again, at most 5 000 at once."),
        _("Current events are not delayed."),
    ],
    _("Replay"),
)

SUBSCRIPTION_ACTIONS = (
    _of(
        "send_test_event", _("Send a test event"), "send", question=_test_question, run=_test, logged=TEST_SENT,
        fits=lambda subscription: subscription.is_active,
    ),
    _of(
        "rotate_secret", _("Rotate secret"), "key", question=_rotation_question, run=_rotate, logged=SECRET_ROTATED,
        form=lambda scene, data, _files: NoForm(data) if scene.one.signs else RotationForm(data),
    ),
    _of(  # not in the bar: it is a line of the page, with its numbers
        "send_again", SEND_AGAIN, "forward_to_inbox", question=_again_question, logged=RANGE_REPLAYED,
        run=lambda scene, form: _resent(scene, lambda: replays.send_again(scene.one, **form.cleaned_data)),
        in_bar=False, form=lambda scene, data, _files: SendAgainForm(scene.one, data),
    ),
    _of(
        "replay_range", _("Replay a range"), "replay", question=_RANGE, run=_replay, logged=RANGE_REPLAYED,
        form=lambda _scene, data, _files: RangeForm(data),
        fits=lambda subscription: subscription.is_active and subscription.signs,
    ),
    _of(
        "disable", _("Disable"), "block", question=_disabling_question, run=_switch(subscriptions.disable),
        logged=DISABLED, said=_("The subscription is disabled."), fits=lambda subscription: subscription.is_active,
    ),
    _of(
        "enable", _("Enable"), "check_circle", question=_enabling_question, run=_switch(subscriptions.enable),
        logged=ENABLED, said=_("The subscription is enabled."), fits=lambda subscription: not subscription.is_active,
    ),
)  # fmt: skip
