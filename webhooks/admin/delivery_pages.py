"""What operators do on a delivery's page: replay it (version 2), or send it once more (version 1)."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.dataclasses import UnfoldAction
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextInputWidget

from companies.operators.confirmation import Question, ask, is_confirmed
from companies.operators.scoped_admin import ScopedAdmin
from webhooks import replays
from webhooks.errors import DeliveryInFlight, ReplayNotAvailable, ResendNotAvailable
from webhooks.models import Delivery, Subscription

REPLAY = Question(
    title=_("Replay"),
    consequences=(
        _("It is sent again under the same id and with the same body, and attempted up to ten times."),
        _("The client may have received it already; its endpoint drops an id that it has stored."),
    ),
    button=_("Replay"),
)
RESEND = Question(
    title=_("Send once more"),
    consequences=(
        _("Version 1 promises the client a single attempt. Do this only when the client asked for it."),
        _("It is sent again under the same id and with the same body. The reason is kept with your name."),
    ),
    button=_("Send once more"),
    is_dangerous=True,
)


class ResendForm(forms.Form):
    """Why a delivery is sent once more."""

    reason = forms.CharField(label=_("Reason"), max_length=255, widget=UnfoldAdminTextInputWidget())


class DeliveryPages(ScopedAdmin):
    """The actions of the delivery log."""

    actions_detail: Any = ["replay", "resend"]

    def has_replay_permission(self, request: HttpRequest, object_id: object = None) -> bool:  # noqa: ARG002  # unfold's
        """Whoever may change a subscription may have it told again."""
        return request.user.has_perm("webhooks.change_subscription")

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """What can be done with this delivery now."""
        delivery = self.get_object(request, str(object_id))
        possible = set() if delivery is None else _possible(delivery)
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        return [one for one in actions if one.path in possible]

    @action(description=_("Replay"), url_path="replay", permissions=["replay"], icon="replay")
    def replay(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask, then send it again from its first attempt on."""
        delivery = self._delivery_or_404(request, object_id)
        if not is_confirmed(request):
            return self._ask(request, REPLAY, delivery)
        try:
            with transaction.atomic():
                replays.replay(delivery.company, delivery.uuid)
                self._keep(request, delivery, gettext("Replayed."))
        except (DeliveryInFlight, ReplayNotAvailable) as refused:
            messages.error(request, _not_replayed(refused))
        else:
            messages.success(request, gettext("It is sent again."))
        return HttpResponseRedirect(_page(delivery))

    @action(description=_("Send once more"), url_path="resend", permissions=["replay"], icon="forward_to_inbox")
    def resend(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for the reason, then allow one more attempt."""
        delivery = self._delivery_or_404(request, object_id)
        form = ResendForm(request.POST if is_confirmed(request) else None)
        if not form.is_valid():
            return self._ask(request, RESEND, delivery, form)
        reason = form.cleaned_data["reason"]
        try:
            with transaction.atomic():
                replays.resend(delivery, reason=reason, actor=request.user.get_username())
                self._keep(request, delivery, gettext("Sent once more: %s") % reason)
        except ResendNotAvailable as refused:
            messages.error(request, refused.message)
        else:
            messages.success(request, gettext("It is sent once more."))
        return HttpResponseRedirect(_page(delivery))

    def _delivery_or_404(self, request: HttpRequest, object_id: str) -> Delivery:
        """A delivery whose endpoint is the operator's too: to send it is to use the endpoint."""
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

    def _keep(self, request: HttpRequest, delivery: Delivery, message: str) -> None:
        by = cast("int", request.user.pk)  # whoever may do this is logged in
        LogEntry.objects.log_actions(by, [delivery], CHANGE, change_message=message, single_object=True)


def _possible(delivery: Delivery) -> set[str]:
    if delivery.is_retried:
        return {"replay"} if delivery.state in replays.REPLAYABLE else set()
    return {"resend"} if delivery.state in replays.RESENDABLE else set()


def _not_replayed(refused: DeliveryInFlight | ReplayNotAvailable) -> str:
    """In the operator's language: the messages of the API speak English."""
    if isinstance(refused, DeliveryInFlight):
        return gettext("It is on its way already.")
    return gettext("It cannot be replayed: it is older than 30 days, or its subscription is disabled.")


def _page(delivery: Delivery) -> str:
    return reverse("admin:webhooks_delivery_change", args=[delivery.pk])
