"""Who may teach a workbook, the frame of the pages with its step bar, and refusals in the operator's words."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast
from uuid import UUID

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from companies.errors import DomainError
from companies.models import Company
from shipments.errors import (
    DestinationUnresolved,
    GuidesLeftUnread,
    ManifestTooLarge,
    MawbNotFoundInFile,
    NoParserForFormat,
    NoRowsParsed,
    ParserBusy,
    WorkbookFormatChanged,
    WorkbookUnreadable,
)
from shipments.models import FormatDraft, WorkbookFormat
from shipments.trouble import reports_missing_files, trouble_page

FORMATS = "admin:shipments_workbookformat_changelist"
_ADDRESS = "admin:shipments_workbookformat"

_STEPS: Sequence[tuple[str, str | Promise]] = (
    ("where", _("Where things are")),
    ("columns", _("Columns")),
    ("reading", _("How it would be read")),
    ("past", _("Past workbooks")),
    ("save", _("Save")),
)

_REFUSALS: Mapping[type[DomainError], str | Promise] = {
    WorkbookUnreadable: _(
        "The file cannot be read as a workbook. Open it in Excel or LibreOffice, save it as .xlsx, and upload it again."
    ),
    ParserBusy: _("Too many workbooks are being read at once; try again in a moment."),
    MawbNotFoundInFile: _("No MAWB was found. Choose where it is under “Where things are”."),
    NoRowsParsed: _("No row under the headings could be read as a guide. Check which column is the HAWB."),
    GuidesLeftUnread: _("Guides were found outside the headings that the format reads, such as on another sheet."),
    ManifestTooLarge: _("The sample has more rows or columns than a manifest may have."),
    DestinationUnresolved: _("The destination is not clear. Choose it under “Where things are”."),
    NoParserForFormat: _("The sample names a destination in another country, so this format would not read it."),
    WorkbookFormatChanged: _("A heading is repeated, or another column changes the meaning of one that is read."),
}

_Arguments = ParamSpec("_Arguments")


def address(name: str, draft: FormatDraft) -> str:
    """The URL of a page of a draft."""
    return reverse(f"{_ADDRESS}_{name}", args=[draft.pk])


def require_teacher(request: HttpRequest) -> User:
    """Return the operator, if the operator may add and change formats. Raises `PermissionDenied`."""
    if not request.user.has_perms(["shipments.add_workbookformat", "shipments.change_workbookformat"]):
        raise PermissionDenied
    return cast("User", request.user)


def format_or_404(request: HttpRequest, format_id: UUID | str) -> WorkbookFormat:
    """Return a format of a company that the operator may change. Raises `PermissionDenied` and `Http404`."""
    operator = require_teacher(request)
    found = WorkbookFormat.objects.visible_to(operator).filter(pk=format_id).select_related("company", "in_use").first()
    if found is None:
        raise Http404
    if not Company.objects.governed_by(operator).filter(pk=found.company_id).exists():
        raise PermissionDenied
    return found


def draft_page(
    step: str,
) -> Callable[
    [Callable[Concatenate[HttpRequest, FormatDraft, _Arguments], HttpResponseBase]],
    Callable[..., HttpResponseBase],
]:
    """Decorate the view of a page of a draft: it gets the operator's own draft, or the answer is 404.

    step: the page's name in the step bar; pages after the first need the row of headings.
    """

    def decorate(
        view: Callable[Concatenate[HttpRequest, FormatDraft, _Arguments], HttpResponseBase],
    ) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def inner(
            request: HttpRequest, draft_id: UUID, *arguments: _Arguments.args, **named: _Arguments.kwargs
        ) -> HttpResponseBase:
            draft = FormatDraft.objects.of(require_teacher(request)).select_related("company").filter(pk=draft_id)
            found = draft.first()
            if found is None:
                raise Http404
            if step != "where" and not found.header_row:
                return HttpResponseRedirect(address("where", found))
            try:
                return view(request, found, *arguments, **named)
            except (ParserBusy, WorkbookUnreadable) as refused:
                status = 503 if isinstance(refused, ParserBusy) else 400
                return trouble_page(
                    request, gettext("The sample cannot be read now"), refusal_in_words(refused), status=status
                )

        return reports_missing_files(inner)

    return decorate


def render(
    request: HttpRequest,
    draft: FormatDraft,
    step: str,
    context: Mapping[str, Any],
    *,
    template: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render a page of a draft in its frame. template: `step`'s own by default."""
    names = [name for name, _title in _STEPS]
    here = names.index(step)
    steps = [
        {
            "title": title,
            "state": "done" if position < here else "here" if position == here else "open",
            "link": address(name, draft) if position < here else "",
        }
        for position, (name, title) in enumerate(_STEPS)
    ]
    frame = {
        **admin.site.each_context(request),
        "opts": WorkbookFormat._meta,
        "title": dict(_STEPS)[step],
        "draft": draft,
        "steps": steps,
        "step": step,
        "newer": newer_version(draft),
        "list_url": reverse(FORMATS),
        "back_url": address(names[here - 1], draft) if here else "",
        **context,
    }
    response = TemplateResponse(request, template or f"shipments/formats/{step}.html", frame, status=status)
    response["Cache-Control"] = "no-store"
    return response


def newer_version(draft: FormatDraft) -> Any:  # noqa: ANN401  # a version, or None
    """The version that somebody saved after the draft began; None without one."""
    newest = draft.format.versions.first() if draft.format else None
    return newest if newest and newest.number != draft.began_from else None


def refusal_in_words(refused: DomainError) -> str:
    """Why a workbook cannot be read, in the operator's language."""
    sentence = next((text for kind, text in _REFUSALS.items() if isinstance(refused, kind)), None)
    return str(sentence) if sentence else str(refused.message)
