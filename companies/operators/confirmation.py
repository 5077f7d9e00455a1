"""The page between an operator's click and what it does: what will happen, to whom, and the way back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Model
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from unfold.admin import ModelAdmin

from companies.models import Company

CONFIRMED = "confirmed"
"""The form field that tells an answered question from one that is still to be asked."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the operator is asked.

    title: what is about to be done. consequences: one sentence each. button: the verb. is_dangerous: paints it red.
    """

    title: str | Promise
    consequences: tuple[str | Promise, ...]
    button: str | Promise
    is_dangerous: bool = True


def company_or_404(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> Company:
    """The company that an action's address speaks of, among those the operator may see."""
    company: Company | None = model_admin.get_object(request, object_id)
    if company is None:
        raise Http404
    return company


def is_confirmed(request: HttpRequest) -> bool:
    """Whether this request is the answer to the question."""
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
    """Ask. The answer is posted to the same address, with `fields` and the field `CONFIRMED`.

    subjects: what it is about. way_back: where "no" leads. fields: what the address needs to find them again.
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
