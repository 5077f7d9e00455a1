"""What operators do to a delivery: replay it (version 2) or resend it (version 1)."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.db.models import Count
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Done, Grouped, Question, Scene
from base.errors import DomainError
from webhooks import replays
from webhooks.admin.advice import HOW_AGAIN, in_numbers, sent_again
from webhooks.errors import DeliveryInFlight, ReplayNotAvailable
from webhooks.models import Delivery, DeliveryQuerySet, State, Subscription

REPLAYED = act("delivery_replayed", ActKind.SENT, _("Replayed."))
RESENT = act("delivery_resent", ActKind.SENT, _("Resent: %(reason)s"))


class ResendForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=255, widget=UnfoldAdminTextInputWidget())


def _with_seen_endpoint(scene: Scene[Delivery]) -> DeliveryQuerySet:
    """Return deliveries whose endpoint the operator may see, since sending them uses it."""
    seen = Subscription.objects.visible_to(scene.request.user)
    return cast("DeliveryQuerySet", scene.rows.filter(subscription__in=seen))


def _replay(scene: Scene[Delivery], _form: object) -> Done[Delivery]:
    try:
        replays.replay(scene.one.company, scene.one.uuid)
    except DeliveryInFlight:  # messages of the API are English
        raise DomainError(gettext("The delivery is already being sent.")) from None
    except ReplayNotAvailable:
        text = gettext("It cannot be replayed: it is older than 30 days, or its subscription is disabled.")
        raise DomainError(text) from None
    return Done([scene.one])


def _resend(scene: Scene[Delivery], form: Any) -> Done[Delivery]:  # noqa: ANN401  # a ResendForm
    reason = form.cleaned_data["reason"]
    replays.resend(scene.one, reason=reason, actor=scene.actor)
    return Done([scene.one], params={"reason": reason})


def _restart_question(scene: Scene[Delivery]) -> Question:
    counts = dict(scene.rows.order_by().values_list("state").annotate(Count("pk")))
    numbers = in_numbers(counts.get(State.WAITING, 0), counts.get(State.DEAD, 0))
    return Question(_("Send again"), (*numbers, *HOW_AGAIN), _("Send again"))


def _restart(scene: Scene[Delivery], _form: object) -> Done[Delivery]:
    rows, has_more = replays.restart(cast("DeliveryQuerySet", scene.rows))
    return Done(rows, sent_again(len(rows), has_more=has_more))


def _resend_question(scene: Scene[Delivery]) -> Question:
    count = scene.rows.count()
    if count > replays.RESENT_AT_ONCE:
        text = gettext("%(count)s deliveries: at most %(most)s of version 1 are resent at once. Narrow the list.")
        line = text % {"count": Grouped(count), "most": replays.RESENT_AT_ONCE}
        return Question(_("Resend failed ones"), [line])
    numbers = ngettext("%s delivery failed.", "%s deliveries failed.", count) % Grouped(count)
    return Question(_("Resend failed ones"), [numbers, *_HOW_RESENT], _("Resend"), is_dangerous=True)


def _resend_all(scene: Scene[Delivery], form: Any) -> Done[Delivery]:  # noqa: ANN401  # a ResendForm
    reason, rows = form.cleaned_data["reason"], list(scene.rows.order_by("pk"))
    for delivery in rows:
        replays.resend(delivery, reason=reason, actor=scene.actor)
    return Done(rows, sent_again(len(rows)), {"reason": reason})


_HOW_RESENT = (
    _("Version 1 promises a single attempt. Resend only if the client asked for it."),
    _("It is sent again with the same id and body. The reason is recorded with your name."),
)


def _one(fits: Callable[[Delivery], bool], **more: Any) -> ConfirmedAction[Delivery]:  # noqa: ANN401  # of the action
    return ConfirmedAction(
        permission="replay",
        fits=fits,
        among=_with_seen_endpoint,
        remarks=lambda delivery: [delivery.delivery_id],
        **more,
    )


DELIVERY_ACTIONS = (
    _one(
        lambda delivery: delivery.is_retried and delivery.state in replays.REPLAYABLE,
        name="replay", label=_("Replay"), icon="replay",
        question=Question(
            _("Replay"),
            [
                _("It is sent again with the same id and body, with up to ten attempts."),
                _("The client may have received it already; its endpoint ignores ids that it knows."),
            ],
            _("Replay"),
        ),
        run=_replay, logged=REPLAYED, said=_("The delivery will be sent again."),
    ),
    _one(
        lambda delivery: not delivery.is_retried and delivery.state in replays.RESENDABLE,
        name="resend", label=_("Resend"), icon="forward_to_inbox",
        question=Question(
            _("Resend"),
            _HOW_RESENT,
            _("Resend"), is_dangerous=True,
        ),
        form=lambda _scene, data, _files: ResendForm(data),
        run=_resend, logged=RESENT, said=_("The delivery will be resent."),
    ),
    ConfirmedAction[Delivery](
        name="send_again", list_name="send_again_selected", label=_("Send again…"), has_page=False,
        permission="replay", among=lambda scene: replays.restartable(_with_seen_endpoint(scene)),
        question=_restart_question, run=_restart, logged=REPLAYED,
        nothing=_("None of these waits for another attempt or was given up, with an active subscription."),
    ),
    ConfirmedAction[Delivery](
        name="resend_failed", list_name="resend_selected", label=_("Resend failed ones of version 1…"), has_page=False,
        permission="replay", among=lambda scene: replays.resendable(_with_seen_endpoint(scene)),
        question=_resend_question, run=_resend_all, logged=RESENT,
        form=lambda _scene, data, _files: ResendForm(data),
        nothing=_("None of these is a failed delivery of version 1 with an active subscription."),
    ),
)  # fmt: skip
