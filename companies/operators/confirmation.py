"""The confirmation page before an action: what will happen, to which objects, and a link back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Model
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from unfold.admin import ModelAdmin

from companies.models import Company

CONFIRMED = "confirmed"
"""The form field that marks a confirmed request."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the operator confirms.

    title: what is about to be done. consequences: one sentence each. button: its label. is_dangerous: shows it in red.
    """

    title: str | Promise
    consequences: tuple[str | Promise, ...]
    button: str | Promise
    is_dangerous: bool = True


def company_or_404(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> Company:
    """Return the company that an action's URL refers to, if the operator may see it."""
    company: Company | None = model_admin.get_object(request, object_id)
    if company is None:
        raise Http404
    return company


def is_confirmed(request: HttpRequest) -> bool:
    """Whether this request confirms the action."""
    return request.method == "POST" and CONFIRMED in request.POST


def ask(
    model_admin: ModelAdmin,
    request: HttpRequest,
    question: Question,
    subjects: Sequence[Model],
    *,
    way_back: str,
    fields: Mapping[str, str | list[str]] | None = None,
) -> TemplateResponse:
    """Return the confirmation page. It posts to the same URL, with `fields` and the field `CONFIRMED`.

    subjects: the objects concerned. way_back: where "Cancel" leads. fields: what the view needs to find them again.
    """
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "original": subjects[0] if len(subjects) == 1 else None,
        "title": question.title,
        "question": question,
        "subjects": subjects,
        "way_back": way_back,
        "fields": {name: [value] if isinstance(value, str) else value for name, value in (fields or {}).items()},
        "confirmed": CONFIRMED,
    }
    return TemplateResponse(request, "companies/confirmation.html", context)
