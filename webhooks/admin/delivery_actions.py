"""What operators do to a delivery: replay it (version 2) or resend it (version 1)."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from companies.admin_base.activity import ActKind, act
from companies.admin_base.confirmed_action import ConfirmedAction, Done, Question, Scene
from companies.errors import DomainError
from webhooks import replays
from webhooks.errors import DeliveryInFlight, ReplayNotAvailable
from webhooks.models import Delivery, Subscription

REPLAYED = act("delivery_replayed", ActKind.SENT, _("Replayed."))
RESENT = act("delivery_resent", ActKind.SENT, _("Resent: %(reason)s"))


class ResendForm(forms.Form):
    """Why a delivery is resent."""

    reason = forms.CharField(label=_("Reason"), max_length=255, widget=UnfoldAdminTextInputWidget())


def _with_seen_endpoint(scene: Scene[Delivery]) -> QuerySet[Delivery]:
    """Return deliveries whose endpoint the operator may see, since sending them uses it."""
    return scene.rows.filter(subscription__in=Subscription.objects.visible_to(scene.request.user))


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
            [
                _("Version 1 promises a single attempt. Resend only if the client asked for it."),
                _("It is sent again with the same id and body. The reason is recorded with your name."),
            ],
            _("Resend"), is_dangerous=True,
        ),
        form=lambda _scene, data, _files: ResendForm(data),
        run=_resend, logged=RESENT, said=_("The delivery will be resent."),
    ),
)  # fmt: skip
