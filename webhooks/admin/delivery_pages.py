"""Actions on a delivery's page: replay it (version 2) or resend it (version 1)."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.dataclasses import UnfoldAction
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextInputWidget

from companies.admin_base.activity import ActKind, act, log_act
from companies.admin_base.confirmation import Question, ask, is_confirmed
from companies.admin_base.scoped_admin import ScopedAdmin
from webhooks import replays
from webhooks.errors import DeliveryInFlight, ReplayNotAvailable, ResendNotAvailable
from webhooks.models import Delivery, Subscription

REPLAYED = act("delivery_replayed", ActKind.SENT, _("Replayed."))
RESENT = act("delivery_resent", ActKind.SENT, _("Resent: %(reason)s"))

REPLAY = Question(
    title=_("Replay"),
    consequences=(
        _("It is sent again with the same id and body, with up to ten attempts."),
        _("The client may have received it already; its endpoint ignores ids that it knows."),
    ),
    button=_("Replay"),
)
RESEND = Question(
    title=_("Resend"),
    consequences=(
        _("Version 1 promises a single attempt. Resend only if the client asked for it."),
        _("It is sent again with the same id and body. The reason is recorded with your name."),
    ),
    button=_("Resend"),
    is_dangerous=True,
)


class ResendForm(forms.Form):
    """Why a delivery is resent."""

    reason = forms.CharField(label=_("Reason"), max_length=255, widget=UnfoldAdminTextInputWidget())


class DeliveryPages(ScopedAdmin):
    """Actions of the delivery log."""

    actions_detail: Any = ["replay", "resend"]

    def has_replay_permission(self, request: HttpRequest, object_id: object = None) -> bool:  # noqa: ARG002  # unfold's
        """Operators who may change a subscription may replay its deliveries."""
        return request.user.has_perm("webhooks.change_subscription")

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """The actions that are possible for this delivery now."""
        delivery = self.get_object(request, str(object_id))
        possible = set() if delivery is None else _possible(delivery)
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        return [one for one in actions if one.path in possible]

    @action(description=_("Replay"), url_path="replay", permissions=["replay"], icon="replay")
    def replay(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then send it again from the first attempt."""
        delivery = self._delivery_or_404(request, object_id)
        if not is_confirmed(request):
            return self._ask(request, REPLAY, delivery)
        try:
            with transaction.atomic():
                replays.replay(delivery.company, delivery.uuid)
                log_act(request, delivery, REPLAYED)
        except (DeliveryInFlight, ReplayNotAvailable) as refused:
            messages.error(request, _not_replayed(refused))
        else:
            messages.success(request, gettext("The delivery will be sent again."))
        return HttpResponseRedirect(_page(delivery))

    @action(description=_("Resend"), url_path="resend", permissions=["replay"], icon="forward_to_inbox")
    def resend(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a reason, then allow one more attempt."""
        delivery = self._delivery_or_404(request, object_id)
        form = ResendForm(request.POST if is_confirmed(request) else None)
        if not form.is_valid():
            return self._ask(request, RESEND, delivery, form)
        reason = form.cleaned_data["reason"]
        try:
            with transaction.atomic():
                replays.resend(delivery, reason=reason, actor=request.user.get_username())
                log_act(request, delivery, RESENT, reason=reason)
        except ResendNotAvailable as refused:
            messages.error(request, refused.message)
        else:
            messages.success(request, gettext("The delivery will be resent."))
        return HttpResponseRedirect(_page(delivery))

    def _delivery_or_404(self, request: HttpRequest, object_id: str) -> Delivery:
        """Return a delivery whose endpoint the operator may see, since sending it uses the endpoint."""
        delivery = cast("Delivery | None", self.get_object(request, object_id))
        seen = Subscription.objects.visible_to(request.user)
        if delivery is None or not seen.filter(pk=delivery.subscription_id).exists():
            raise Http404
        return delivery

    def _ask(
        self, request: HttpRequest, question: Question, delivery: Delivery, form: forms.Form | None = None
    ) -> TemplateResponse:
        named = [delivery, delivery.delivery_id]
        return ask(self, request, question, way_back=_page(delivery), subject=delivery, named=named, form=form)


def _possible(delivery: Delivery) -> set[str]:
    if delivery.is_retried:
        return {"replay"} if delivery.state in replays.REPLAYABLE else set()
    return {"resend"} if delivery.state in replays.RESENDABLE else set()


def _not_replayed(refused: DeliveryInFlight | ReplayNotAvailable) -> str:
    """The error in the operator's language; messages of the API are English."""
    if isinstance(refused, DeliveryInFlight):
        return gettext("The delivery is already being sent.")
    return gettext("It cannot be replayed: it is older than 30 days, or its subscription is disabled.")


def _page(delivery: Delivery) -> str:
    return reverse("admin:webhooks_delivery_change", args=[delivery.pk])
