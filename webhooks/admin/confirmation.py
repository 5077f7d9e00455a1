"""The page between an operator's click on a subscription and what it does."""

from django import forms
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.admin import ModelAdmin

from companies.operators.confirmation import CONFIRMED, Question, is_confirmed
from webhooks.models import Subscription

__all__ = ["Question", "ask", "change_page", "is_confirmed", "subscription_or_404"]


def change_page(subscription: Subscription) -> str:
    """The path of the subscription's own page."""
    return reverse("admin:webhooks_subscription_change", args=[subscription.pk])


def subscription_or_404(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> Subscription:
    """The subscription that an action's address speaks of, among those the operator may see."""
    subscription: Subscription | None = model_admin.get_object(request, object_id)
    if subscription is None:
        raise Http404
    return subscription


def ask(
    model_admin: ModelAdmin,
    request: HttpRequest,
    question: Question,
    subscription: Subscription,
    *,
    form: forms.Form | None = None,
) -> TemplateResponse:
    """Ask. The answer is posted to the same address, with the field `CONFIRMED` and those of `form`."""
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "original": subscription,
        "title": question.title,
        "question": question,
        "subscription": subscription,
        "form": form,
        "way_back": change_page(subscription),
        "confirmed": CONFIRMED,
    }
    return TemplateResponse(request, "webhooks/confirmation.html", context)
