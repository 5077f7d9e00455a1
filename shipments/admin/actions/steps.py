"""A step of the desk: what will be done, to what, a form where something has to be told, and the way back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.forms import Form
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from unfold.admin import ModelAdmin

from companies.errors import DomainError
from shipments.admin.actions.selections import Selection

STEP = "step"
"""The form field that tells which of a page's buttons was pressed; absent when the page is opened."""
RUN = "run"


@dataclass(frozen=True, slots=True)
class Step:
    """What the page says.

    title: what is about to be done. explanations: one sentence each. button: the verb; empty when it cannot be done.
    is_dangerous: paints the button red. pressed: what the button sends as `STEP`.
    """

    title: str | Promise
    explanations: Sequence[str | Promise] = field(default_factory=tuple)
    button: str | Promise = ""
    is_dangerous: bool = False
    pressed: str = RUN


def is_pressed(request: HttpRequest, step: str = RUN) -> bool:
    """Whether this request comes from the button that sends `step`."""
    return request.method == "POST" and request.POST.get(STEP) == step


def show_step(
    model_admin: ModelAdmin,
    request: HttpRequest,
    step: Step,
    selection: Selection,
    **more: Any,  # noqa: ANN401  # a template's context
) -> TemplateResponse:
    """The page of a step. more: `form`, and what else its template shows; `template` where it has its own."""
    template = more.pop("template", "admin/shipments/step.html")
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "object": selection.subject,  # for the heading: the page's way up
        "title": step.title,
        "step": step,
        "step_field": STEP,
        "selection": selection,
        **more,
    }
    response = TemplateResponse(request, template, context)
    response["Cache-Control"] = "no-store"
    return response


def blame(form: Form, refused: DomainError) -> None:
    """Show a refusal where it belongs: beside the fields it names, or above the form."""
    for name, messages in refused.details.items():
        form.add_error(name if name in form.fields else None, messages)
    if not refused.details:
        form.add_error(None, refused.message)
