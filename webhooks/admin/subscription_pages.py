"""Actions on a subscription's page: test, rotate the secret, replay, disable and enable."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.dataclasses import UnfoldAction
from unfold.decorators import action

from companies.admin_base import shown_once
from companies.admin_base.activity import ActKind, act, log_act
from companies.admin_base.confirmation import Question, ask, is_confirmed
from companies.admin_base.scoped_admin import ScopedAdmin
from webhooks import outbox, replays, subscriptions
from webhooks.admin.advice import to_send_again_in_words
from webhooks.admin.forms import RangeForm, RotationForm, SendAgainForm
from webhooks.errors import AlreadySubscribed, ReplayNotAvailable
from webhooks.models import State, Subscription

RANGE_REPLAYED = act("range_replayed", ActKind.SENT, _("Replayed deliveries: %(deliveries)s."))
TEST_SENT = act("test_sent", ActKind.SENT, _("A test event was sent."))

TEST = Question(
    title=_("Send a test event"),
    consequences=(
        _("One webhook.test event is sent to the endpoint, like any other event."),
        _("The next page shows the result."),
    ),
    button=_("Send"),
)
ROTATION = Question(
    title=_("Rotate the secret"),
    consequences=(
        _("The current secret stops being sent immediately, without a grace period."),
        _("Until the client's endpoint has the new one, it will reject events, and these are lost."),
    ),
    button=_("Rotate"),
    is_dangerous=True,
)
SIGNING_ROTATION = Question(
    title=_("Rotate the secret"),
    consequences=(
        _("A new secret is generated. For 24 hours both sign, so that nothing is lost while the client switches."),
        _("After that, only the new one signs."),
    ),
    button=_("Rotate"),
)
RANGE = Question(
    title=_("Replay a range"),
    consequences=(
        _("Deliveries of the last 30 days that were given up in this range are sent again, at most 5,000 at once."),
        _("Current events are not delayed."),
    ),
    button=_("Replay"),
)
SEND_AGAIN = _("Send again")
HOW_AGAIN = (
    _("They are sent now, at most 5,000 at once, with the same ids and bodies and up to ten attempts."),
    _("An endpoint that still fails gets two at a time, until one succeeds. Current events are not delayed."),
)
NOTHING_AGAIN = Question(SEND_AGAIN, (_("Nothing can be sent again now: what is due already is sent by itself."),))
DISABLING = Question(
    title=_("Disable"),
    consequences=(
        _("No more events are sent. Waiting deliveries are cancelled and will not be sent later."),
        _("The delivery log stays, and you can enable the subscription again."),
    ),
    button=_("Disable"),
    is_dangerous=True,
)
SIGNED_DISABLING = Question(
    title=_("Disable"),
    consequences=(
        _("No more events are sent. Waiting deliveries are given up and can be replayed once it is enabled."),
        _("The delivery log stays, and you can enable the subscription again."),
    ),
    button=_("Disable"),
    is_dangerous=True,
)
ENABLING = Question(
    title=_("Enable"),
    consequences=(_("New events are sent, with the same secret as before."),),
    button=_("Enable"),
)
SIGNED_ENABLING = Question(
    title=_("Enable"),
    consequences=(
        _("New events are sent, with the same secret as before."),
        _("Deliveries that were given up are not sent: replay them, or leave that to the client."),
    ),
    button=_("Enable"),
)


def change_page(subscription: Subscription) -> str:
    """Return the path of the subscription's page."""
    return reverse("admin:webhooks_subscription_change", args=[subscription.pk])


class SubscriptionPages(ScopedAdmin):
    """The actions and the secret's page, for the admin of subscriptions."""

    actions_detail: Any = ["send_test_event", "rotate_secret", "send_again", "replay_range", "disable", "enable"]

    def get_urls(self) -> list[URLPattern]:
        shown = path(
            "<path:object_id>/secret/",
            self.admin_site.admin_view(self.secret_page),
            name="webhooks_subscription_secret",
        )
        return [shown, *super().get_urls()]

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Omit actions that would change nothing."""
        subscription = self.get_object(request, str(object_id))
        is_active = subscription is not None and subscription.is_active
        pointless = {"enable"} if is_active else {"disable", "send-test-event", "replay-range"}
        if subscription is None or not subscription.signs:
            pointless.add("replay-range")
        pointless.add("send-again")  # a line of the page, with its numbers
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        return [one for one in actions if one.path not in pointless]

    @action(description=_("Send a test event"), url_path="send-test-event", permissions=["change"], icon="send")
    def send_test_event(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then publish to this subscription only and redirect to the delivery's page."""
        subscription = self._subscription_or_404(request, object_id)
        if not subscription.is_active:
            messages.error(request, gettext("The subscription is disabled; enable it first."))
            return HttpResponseRedirect(change_page(subscription))
        if not is_confirmed(request):
            return self._ask(request, TEST, subscription)
        delivery = outbox.send_test(subscription, "A test event, sent by an operator.")
        log_act(request, subscription, TEST_SENT)
        return HttpResponseRedirect(reverse("admin:webhooks_delivery_change", args=[delivery.pk]))

    @action(description=_("Rotate secret"), url_path="rotate-secret", permissions=["change"], icon="key")
    def rotate_secret(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then replace the secret; a generated one is shown once."""
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
        messages.success(request, gettext("The old secret is no longer sent."))
        return self.after_secret(request, subscription, made=None if given else secret, given=given)

    def _rotate_signing_secret(self, request: HttpRequest, subscription: Subscription) -> HttpResponse:
        """Ask for confirmation, then generate a secret; the previous one signs too for a day."""
        if not is_confirmed(request):
            return self._ask(request, SIGNING_ROTATION, subscription)
        with transaction.atomic():
            secret = subscriptions.rotate_secret(subscription)
            self.log_change(request, subscription, [{"changed": {"fields": [gettext_noop("secret")]}}])
        messages.success(request, gettext("Both secrets sign for 24 hours."))
        return self.after_secret(request, subscription, made=secret, given=None)

    @action(description=SEND_AGAIN, url_path="send-again", permissions=["change"], icon="forward_to_inbox")
    def send_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Say how many deliveries wait for another attempt, then send them now."""
        subscription = self._subscription_or_404(request, object_id)
        if not (numbers := to_send_again_in_words(subscription)):
            return self._ask(request, NOTHING_AGAIN, subscription)
        form = SendAgainForm(request.POST if is_confirmed(request) else None)
        if not form.is_valid():
            return self._ask(request, Question(SEND_AGAIN, (*numbers, *HOW_AGAIN), SEND_AGAIN), subscription, form=form)
        return self._resend(
            request, subscription, lambda: replays.send_again(subscription, with_dead=form.cleaned_data["with_dead"])
        )

    @action(description=_("Replay a range"), url_path="replay-range", permissions=["change"], icon="replay")
    def replay_range(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a range of time, then resend what was given up in it."""
        subscription = self._subscription_or_404(request, object_id)
        form = RangeForm(request.POST if is_confirmed(request) else None)
        if not form.is_valid():
            return self._ask(request, RANGE, subscription, form=form)
        states = [State.DEAD, *([State.DELIVERED] if form.cleaned_data["with_delivered"] else [])]
        since, until = form.cleaned_data["since"], form.cleaned_data["until"]
        return self._resend(
            request,
            subscription,
            lambda: replays.replay_range(subscription, since=since, until=until, states=states),
        )

    def _resend(
        self, request: HttpRequest, subscription: Subscription, resend: Callable[[], tuple[int, bool]]
    ) -> HttpResponse:
        """Send deliveries again, log it, and say how many."""
        try:
            with transaction.atomic():
                rows, has_more = resend()
                log_act(request, subscription, RANGE_REPLAYED, deliveries=rows)
        except ReplayNotAvailable:
            messages.error(request, gettext("Nothing can be replayed: the subscription is disabled or of version 1."))
        else:
            text = ngettext("%s delivery will be sent again.", "%s deliveries will be sent again.", rows)
            messages.success(request, text % number_format(rows, force_grouping=True))
            if has_more:
                messages.warning(request, gettext("There are more: do the same again."))
        return HttpResponseRedirect(change_page(subscription))

    @action(description=_("Disable"), url_path="disable", permissions=["change"], icon="block")
    def disable(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then disable it."""
        subscription = self._subscription_or_404(request, object_id)
        if not is_confirmed(request):
            return self._ask(request, SIGNED_DISABLING if subscription.signs else DISABLING, subscription)
        with transaction.atomic():
            if subscriptions.disable(subscription):
                self.log_change(request, subscription, [{"changed": {"fields": [gettext_noop("active (now: no)")]}}])
        messages.success(request, gettext("The subscription is disabled."))
        return HttpResponseRedirect(change_page(subscription))

    @action(description=_("Enable"), url_path="enable", permissions=["change"], icon="check_circle")
    def enable(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then enable it."""
        subscription = self._subscription_or_404(request, object_id)
        if not is_confirmed(request):
            return self._ask(request, SIGNED_ENABLING if subscription.signs else ENABLING, subscription)
        try:
            with transaction.atomic():
                if subscriptions.enable(subscription):
                    self.log_change(
                        request, subscription, [{"changed": {"fields": [gettext_noop("active (now: yes)")]}}]
                    )
        except AlreadySubscribed as refused:
            messages.error(request, refused.message)
        else:
            messages.success(request, gettext("The subscription is enabled."))
        return HttpResponseRedirect(change_page(subscription))

    def _subscription_or_404(self, request: HttpRequest, object_id: str) -> Subscription:
        """Return the subscription in an action's URL, if the operator may see it."""
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
            named=[subscription.company, subscription.shown_url],
            form=form,
        )

    def after_secret(
        self, request: HttpRequest, subscription: Subscription, *, made: str | None, given: str | None
    ) -> HttpResponse:
        """Redirect to the page that shows the secret `made` once; warn if the one `given` is short."""
        if given is not None and len(given) < subscriptions.SHORT_SECRET_LENGTH:
            text = gettext("The secret has fewer than %d characters, so it could be guessed.")
            messages.warning(request, text % subscriptions.SHORT_SECRET_LENGTH)
        if made is None:
            return HttpResponseRedirect(change_page(subscription))
        page = reverse("admin:webhooks_subscription_secret", args=[subscription.pk])
        response = HttpResponseRedirect(page)
        shown_once.hand_over(request, response, made, page=page)
        return response

    def secret_page(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the new secret the first time this page is opened; only the operator who created it has its key.

        For operators who may register or rotate.
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
