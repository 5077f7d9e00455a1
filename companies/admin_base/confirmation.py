"""The page between an operator's click and what it does: what will happen, to what, and the way back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from unfold.admin import ModelAdmin

from companies.models import Company

STEP = "step"
"""The form field that says which of a page's buttons was pressed; absent when the page is opened."""
RUN = "run"
FURTHER = "further"
"""Sent by the second button, which also goes on to the next object."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the operator confirms.

    title: what is about to be done. consequences: one sentence each. button: the verb; empty when it cannot be done.
    is_dangerous: paints the button red. pressed: what the button sends as `STEP`.
    """

    title: str | Promise
    consequences: Sequence[str | Promise] = ()
    button: str | Promise = ""
    is_dangerous: bool = False
    pressed: str = RUN


def company_or_404(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> Company:
    """Return the company that an action's URL refers to, if the operator may see it."""
    company: Company | None = model_admin.get_object(request, object_id)
    if company is None:
        raise Http404
    return company


def is_confirmed(request: HttpRequest, step: str = RUN) -> bool:
    """Whether this request comes from the button that sends `step`."""
    return request.method == "POST" and request.POST.get(STEP) == step


def ask(
    model_admin: ModelAdmin,
    request: HttpRequest,
    question: Question,
    *,
    way_back: str,
    subject: Model | None = None,
    named: Mapping[str, Any] | None = None,
    fields: Mapping[str, Sequence[str]] | None = None,
    template: str = "companies/confirmation.html",
    **more: Any,  # noqa: ANN401  # a template's context
) -> TemplateResponse:
    """Ask. The answer is posted to the same address, with `fields`, the template's `form`, and `STEP`.

    way_back: where "no" leads. subject: the one object that it is about, for the page's heading. named: what the page
    names, one line each; `subject` when it is left out. fields: what the address needs to find its objects again.
    more: `form`, if input is required, `further`, the label of a second button that goes on to the next object, and the
    context of a custom `template`.
    """
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "original": subject,
        "title": question.title,
        "question": question,
        "step": question.pressed,
        "named": named or {"rows": [(subject, ())] if subject else [], "more": 0},
        "way_back": way_back,
        "fields": fields or {},
        **more,
    }
    response = TemplateResponse(request, template, context)
    response["Cache-Control"] = "no-store"
    return response
