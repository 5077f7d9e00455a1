"""What operators do on a subscription's page: test it, rotate its secret, switch it off and on."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from unfold.dataclasses import UnfoldAction
from unfold.decorators import action

from companies.operators import shown_once
from companies.operators.confirmation import Question, ask, is_confirmed
from companies.operators.scoped_admin import ScopedAdmin
from webhooks import outbox, replays, subscriptions
from webhooks.admin.forms import RangeForm, RotationForm
from webhooks.errors import AlreadySubscribed, ReplayNotAvailable
from webhooks.models import State, Subscription

TEST = Question(
    title=_("Send a test event"),
    consequences=(
        _("The endpoint is sent one webhook.test event, the way every event is sent."),
        _("The next page shows what became of it."),
    ),
    button=_("Send"),
)
ROTATION = Question(
    title=_("Rotate the secret"),
    consequences=(
        _("The secret it has now is sent no more, from this moment on and without a grace period."),
        _("Until the client's endpoint knows the new one it will refuse what it is sent, and that is lost."),
    ),
    button=_("Rotate"),
    is_dangerous=True,
)
SIGNING_ROTATION = Question(
    title=_("Rotate the secret"),
    consequences=(
        _("A new secret is made. For 24 hours both sign, so that nothing is lost while the client changes over."),
        _("After that the new one signs alone."),
    ),
    button=_("Rotate"),
)
RANGE = Question(
    title=_("Replay a range"),
    consequences=(
        _("What was given up between these moments, of the last 30 days, is sent again: at most 5,000 at a time."),
        _("It goes out beside today's events and delays none of them."),
    ),
    button=_("Replay"),
)
DISABLING = Question(
    title=_("Disable"),
    consequences=(
        _("It hears of nothing more; what waits for it is cancelled and will not be sent later."),
        _("In version 2 what waits is given up, not cancelled: it can be replayed once the endpoint is enabled."),
        _("The log of what it was told stays, and you can enable it again."),
    ),
    button=_("Disable"),
    is_dangerous=True,
)
ENABLING = Question(
    title=_("Enable"),
    consequences=(_("It hears of what happens from now on, with the secret it had."),),
    button=_("Enable"),
)


def change_page(subscription: Subscription) -> str:
    """The path of the subscription's own page."""
    return reverse("admin:webhooks_subscription_change", args=[subscription.pk])


class SubscriptionPages(ScopedAdmin):
    """The actions and the page of the secret, for the admin of subscriptions."""

    actions_detail: Any = ["send_test_event", "rotate_secret", "replay_range", "disable", "enable"]

    def get_urls(self) -> list[URLPattern]:
        shown = path(
            "<path:object_id>/secret/",
            self.admin_site.admin_view(self.secret_page),
            name="webhooks_subscription_secret",
        )
        return [shown, *super().get_urls()]

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Leave out what would change nothing."""
        subscription = self.get_object(request, str(object_id))
        is_active = subscription is not None and subscription.is_active
        pointless = {"enable"} if is_active else {"disable", "send-test-event", "replay-range"}
        if subscription is None or not subscription.signs:
            pointless.add("replay-range")
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        return [one for one in actions if one.path not in pointless]

    @action(description=_("Send a test event"), url_path="send-test-event", permissions=["change"], icon="send")
    def send_test_event(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask, then publish to this subscription alone and lead to the page that follows the delivery."""
        subscription = self._subscription_or_404(request, object_id)
        if not subscription.is_active:
            messages.error(request, gettext("It is disabled; enable it first."))
            return HttpResponseRedirect(change_page(subscription))
        if not is_confirmed(request):
            return self._ask(request, TEST, subscription)
        delivery = outbox.send_test(subscription, "A test event, sent by an operator.")
        self.log_change(request, subscription, gettext("A test event was sent."))
        return HttpResponseRedirect(reverse("admin:webhooks_delivery_change", args=[delivery.pk]))

    @action(description=_("Rotate secret"), url_path="rotate-secret", permissions=["change"], icon="key")
    def rotate_secret(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask, then replace the secret; one that was made here is shown once."""
        subscription = self._subscription_or_404(request, object_id)
        if subscription.signs:
            return self._rotate_signing_secret(request, subscription)
        form = RotationForm(request.POST if is_confirmed(request) else None)
        if not form.is_valid():
            return self._ask(request, ROTATION, subscription, form=form)
        given = form.cleaned_data["secret"]
        with transaction.atomic():
            secret = subscriptions.rotate_secret(subscription, given)
            self.log_change(request, subscription, [{"changed": {"fields": [gettext_noop("secret")]}}])
        messages.success(request, gettext("The old secret is sent no more."))
        return self.after_secret(request, subscription, made=None if given else secret, given=given)

    def _rotate_signing_secret(self, request: HttpRequest, subscription: Subscription) -> HttpResponse:
        """Ask, then make a new one; the secret before signs beside it for a day."""
        if not is_confirmed(request):
            return self._ask(request, SIGNING_ROTATION, subscription)
        with transaction.atomic():
            secret = subscriptions.rotate_secret(subscription)
            self.log_change(request, subscription, [{"changed": {"fields": [gettext_noop("secret")]}}])
        messages.success(request, gettext("Both secrets sign for 24 hours."))
        return self.after_secret(request, subscription, made=secret, given=None)

    @action(description=_("Replay a range"), url_path="replay-range", permissions=["change"], icon="replay")
    def replay_range(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for the bounds, then send again what was given up between them."""
        subscription = self._subscription_or_404(request, object_id)
        form = RangeForm(request.POST if is_confirmed(request) else None)
        if not form.is_valid():
            return self._ask(request, RANGE, subscription, form=form)
        states = [State.DEAD, *([State.DELIVERED] if form.cleaned_data["with_delivered"] else [])]
        since, until = form.cleaned_data["since"], form.cleaned_data["until"]
        try:
            with transaction.atomic():
                rows, has_more = replays.replay_range(subscription, since=since, until=until, states=states)
                self.log_change(request, subscription, gettext("Replayed %d deliveries.") % rows)
        except ReplayNotAvailable:
            messages.error(request, gettext("It is disabled or of version 1; nothing can be replayed."))
        else:
            messages.success(request, gettext("%d deliveries are sent again.") % rows)
            if has_more:
                messages.warning(request, gettext("There are more; replay the range once more."))
        return HttpResponseRedirect(change_page(subscription))

    @action(description=_("Disable"), url_path="disable", permissions=["change"], icon="block")
    def disable(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask, then tell it nothing more."""
        subscription = self._subscription_or_404(request, object_id)
        if not is_confirmed(request):
            return self._ask(request, DISABLING, subscription)
        with transaction.atomic():
            if subscriptions.disable(subscription):
                self.log_change(request, subscription, [{"changed": {"fields": [gettext_noop("active (now: no)")]}}])
        messages.success(request, gettext("It hears of nothing more."))
        return HttpResponseRedirect(change_page(subscription))

    @action(description=_("Enable"), url_path="enable", permissions=["change"], icon="check_circle")
    def enable(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask, then let it hear again."""
        subscription = self._subscription_or_404(request, object_id)
        if not is_confirmed(request):
            return self._ask(request, ENABLING, subscription)
        try:
            with transaction.atomic():
                if subscriptions.enable(subscription):
                    self.log_change(
                        request, subscription, [{"changed": {"fields": [gettext_noop("active (now: yes)")]}}]
                    )
        except AlreadySubscribed as refused:
            messages.error(request, refused.message)
        else:
            messages.success(request, gettext("It hears of what happens from now on."))
        return HttpResponseRedirect(change_page(subscription))

    def _subscription_or_404(self, request: HttpRequest, object_id: str) -> Subscription:
        """The subscription that an action's address speaks of, among those the operator may see."""
        subscription: Subscription | None = self.get_object(request, object_id)
        if subscription is None:
            raise Http404
        return subscription

    def _ask(
        self, request: HttpRequest, question: Question, subscription: Subscription, form: Form | None = None
    ) -> HttpResponse:
        return ask(
            self,
            request,
            question,
            way_back=change_page(subscription),
            subject=subscription,
            named=[subscription.company, subscription.url],
            form=form,
        )

    def after_secret(
        self, request: HttpRequest, subscription: Subscription, *, made: str | None, given: str | None
    ) -> HttpResponse:
        """Lead to the page that shows `made` this once; warn of a short one that was `given`."""
        if given is not None and len(given) < subscriptions.SHORT_SECRET_LENGTH:
            text = gettext("The secret has fewer than %d characters; it can be guessed.")
            messages.warning(request, text % subscriptions.SHORT_SECRET_LENGTH)
        if made is None:
            return HttpResponseRedirect(change_page(subscription))
        page = reverse("admin:webhooks_subscription_secret", args=[subscription.pk])
        response = HttpResponseRedirect(page)
        shown_once.hand_over(request, response, made, page=page)
        return response

    def secret_page(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The new secret, if this is the first look at it; the operator who made it is the one who holds its key.

        Open to whoever may register or rotate.
        """
        if not (self.has_change_permission(request) or self.has_add_permission(request)):
            raise PermissionDenied
        if request.method != "GET":
            return HttpResponseNotAllowed(["GET"])
        subscription = self._subscription_or_404(request, object_id)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": subscription,
            "title": gettext("Webhook secret"),
            "subscription": subscription,
            "secret": shown_once.take(request),
            "way_back": change_page(subscription),
        }
        response = TemplateResponse(request, "webhooks/secret.html", context)
        shown_once.forget(request, response)
        return response
