"""Where things are in a sample: the row of the headings, the waybill, the destination and the flight."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from openpyxl.utils import get_column_letter

from shipments.admin.formats.draft_access import FORMATS, address, draft_page, render
from shipments.admin.formats.place_lines import LineForm, apply_lines, initial_line
from shipments.admin.formats.sample_page import may_be_called
from shipments.formats.drafting import change_draft, sample_of
from shipments.formats.format_files import spec_of
from shipments.manifests.cells import Workbook, text_of
from shipments.manifests.mapped.carrying import carried_over
from shipments.manifests.mapped.guess import draft as guessed
from shipments.manifests.mapped.sample import (
    LABELLED_FIELDS,
    HeadingPlace,
    LabelledCell,
    SampleTable,
    find_headings,
    first_rows,
    labelled_cells,
    sample_at,
)
from shipments.models import FormatDraft

SHOWN_ROWS, SHOWN_COLUMNS = 30, 60
MOST_SHEETS = 20
"""The most hidden sheets that are named."""
MOST_COLUMNS = 120
"""The most columns that the pages show, within the most fields that a form may have."""
_LONGEST_CELL = 40

KEEP = "keep"
"""The name of the button that keeps the draft and goes back to the list."""


class HeadingForm(forms.Form):
    """Where the headings are, as posted and as the lines were shown for."""

    sheet = forms.CharField()
    row = forms.IntegerField(min_value=1)
    is_two_rows = forms.BooleanField(required=False)
    shown = forms.CharField(required=False)

    def place(self) -> HeadingPlace | None:
        """The place; None if the form is incomplete."""
        if not self.is_valid():
            return None
        values = self.cleaned_data
        return HeadingPlace(values["sheet"], values["row"], 2 if values["is_two_rows"] else 1)


@dataclass(frozen=True, slots=True)
class _Look:
    """What the page shows of the sample."""

    sheets: Sequence[str]
    hidden: Sequence[str]
    sheet: str
    place: HeadingPlace | None
    sample: SampleTable | None
    labels: Sequence[LabelledCell]
    grid: Sequence[tuple[int, Sequence[str]]]


@may_be_called
@draft_page("where")
def where(request: HttpRequest, draft: FormatDraft) -> HttpResponse:
    """Show the first rows of a sheet and the lines below, or save what was chosen."""
    posted = HeadingForm(request.POST if request.method == "POST" else request.GET)
    place = posted.place()
    if request.method == "POST" and place and posted.cleaned_data["shown"] != _key(place):
        return _look_again(request, draft, place)  # the lines were shown for other headings
    with sample_of(draft) as book:
        look = _look(book, place or _usual_place(request, draft, book), request.GET.get("sheet"))
        lines = _lines(request, draft, look)
        if request.method == "POST" and look.sample:
            if len(look.sample.headings) > MOST_COLUMNS:
                text = gettext("The sheet has more than %(most)d columns. Delete those without use.")
                return _page(request, draft, look, lines, problem=text % {"most": MOST_COLUMNS})
            if not [line for line in lines if not line.is_valid()] or KEEP in request.POST:
                return _saved(request, draft, book, look, lines)
    problem = ""
    if request.method == "POST" and not look.sample:
        problem = gettext("Choose the row of the headings: it needs at least one text.")
    return _page(request, draft, look, lines, problem=problem)


def _key(place: HeadingPlace) -> str:
    return f"{place.row}/{place.rows}/{place.sheet}"


def _look_again(request: HttpRequest, draft: FormatDraft, place: HeadingPlace) -> HttpResponse:
    messages.info(request, gettext("These are other headings: check the lines below the rows."))
    query = {"sheet": place.sheet, "row": place.row, **({"is_two_rows": "on"} if place.rows == 2 else {})}
    return HttpResponseRedirect(f"{address('where', draft)}?{urlencode(query)}")


def _usual_place(request: HttpRequest, draft: FormatDraft, book: Workbook) -> HeadingPlace | None:
    """The draft's own place, else the likeliest one, on the sheet that was asked for."""
    wanted = request.GET.get("sheet")
    if draft.header_row and wanted in {None, draft.sheet}:
        return place_of(draft)
    if wanted is None:
        return find_headings(book)
    return find_headings(replace(book, sheets=tuple(sheet for sheet in book.sheets if sheet.name == wanted)))


def place_of(draft: FormatDraft) -> HeadingPlace:
    """Where the draft's headings are."""
    return HeadingPlace(draft.sheet, draft.header_row, draft.content.get("header_rows", 1))


def _look(book: Workbook, place: HeadingPlace | None, wanted: str | None) -> _Look:
    names = [sheet.name for sheet in book.sheets]
    shown = place.sheet if place else wanted if wanted in names else next(iter(names), "")
    sheet = next((each for each in book.sheets if each.name == shown), None)
    rows = first_rows(sheet, 2 * SHOWN_ROWS) if sheet else []
    last = max(SHOWN_ROWS, sum(number <= place.row for number, _cells in rows) if place else 0)
    width = min(max((len(cells) for _number, cells in rows[:last]), default=0), SHOWN_COLUMNS)
    grid = [
        (number, [text_of(cell)[:_LONGEST_CELL] for cell in (*cells[:width], *(None,) * (width - len(cells)))])
        for number, cells in rows[:last]
    ]
    sample = sample_at(book, place) if place else None
    return _Look(
        names, book.hidden[:MOST_SHEETS], shown, place, sample, labelled_cells(book, place) if place else [], grid
    )


def _lines(request: HttpRequest, draft: FormatDraft, look: _Look) -> list[LineForm]:
    if look.place is None or look.sample is None:
        return []
    headings, values = look.sample.headings, _values(look.sample)
    content = draft.content if draft.header_row else _first_content(draft)
    data = request.POST if request.method == "POST" else None
    return [
        LineForm(
            name, draft.country, look.labels, headings, values, data,
            initial_line(name, content, look.labels, headings),
        )
        for name in LABELLED_FIELDS
    ]  # fmt: skip


def _first_content(draft: FormatDraft) -> Mapping[str, Any]:
    """The content of a draft whose headings are not confirmed: that of the format that it changes."""
    version = draft.format.in_use if draft.format else None
    return dict(version.spec if version else draft.content)


def _values(sample: SampleTable) -> Mapping[int, Sequence[Any]]:
    return {each.column: sample.values(each.column) for each in sample.headings}


def _saved(
    request: HttpRequest, draft: FormatDraft, book: Workbook, look: _Look, lines: Sequence[LineForm]
) -> HttpResponse:
    """Save the lines; under headings that the draft did not have yet, its columns begin anew."""
    place, sample = look.place, look.sample
    if place is None or sample is None:
        raise ValueError("a draft is saved with its headings")
    content = {**draft.content, "columns": [dict(column) for column in draft.content["columns"]]}
    if not draft.header_row or place != place_of(draft):
        new, _guesses = guessed(book, draft.country, draft.content["name"], place)
        version = draft.format.in_use if draft.format else None
        content = carried_over(new, spec_of(version)) if version else new
    apply_lines(content, [line for line in lines if line.is_valid()], sample.headings)
    change_draft(draft, sheet=place.sheet, header_row=place.row, content=content)
    return kept(request) if KEEP in request.POST else HttpResponseRedirect(address("columns", draft))


def kept(request: HttpRequest) -> HttpResponse:
    """Go back to the list; the draft stays for a day."""
    messages.success(request, gettext("The draft is kept for a day."))
    return HttpResponseRedirect(reverse(FORMATS))


def _page(
    request: HttpRequest,
    draft: FormatDraft,
    look: _Look,
    lines: Sequence[LineForm],
    *,
    problem: str = "",
) -> HttpResponse:
    width = len(look.grid[0][1]) if look.grid else 0
    context = {
        "look": look,
        "letters": [get_column_letter(number + 1) for number in range(width)],
        "lines": lines,
        "is_two_rows": bool(look.place and look.place.rows == 2),
        "header_row": look.place.row if look.place else 0,
        "shown": _key(look.place) if look.place else "",
        "above_row": look.place.row - 1 if look.place and look.place.rows == 2 else 0,
        "problem": problem,
    }
    return render(
        request, draft, "where", context, status=400 if problem or any(line.errors for line in lines) else 200
    )
