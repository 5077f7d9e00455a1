"""What is above the list of workbook formats: the buttons, and the operator's own drafts."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django import template

from shipments.models import FormatDraft

register = template.Library()


class AroundList(NamedTuple):
    """may_teach: whether the operator may add formats. query: keeps the company that the list is filtered by."""

    may_teach: bool
    query: str
    drafts: list[FormatDraft]


@register.simple_tag(takes_context=True)
def format_buttons(context: template.Context) -> AroundList:
    request: Any = context["request"]
    may_teach = request.user.has_perms(["shipments.add_workbookformat", "shipments.change_workbookformat"])
    if not may_teach:
        return AroundList(may_teach=False, query="", drafts=[])
    company = request.GET.get("company", "")
    drafts = FormatDraft.objects.of(request.user).select_related("company").order_by("-changed_at")
    return AroundList(
        may_teach=True, query=f"?{urlencode({'company': company})}" if company else "", drafts=list(drafts[:20])
    )
