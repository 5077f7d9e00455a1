"""The columns of a sample, a card each, beside what the country needs."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext

from companies.country_names import country_name
from shipments.admin.field_labels import field_label
from shipments.admin.formats.column_cards import CardForm, distinct_texts
from shipments.admin.formats.draft_access import address, draft_page, render
from shipments.admin.formats.place_page import KEEP, kept, place_of
from shipments.admin.formats.sample_page import may_be_called
from shipments.errors import FormatInvalid
from shipments.formats.drafting import change_draft, sample_of
from shipments.manifests.cells import Workbook
from shipments.manifests.mapped.guess import draft as guessed
from shipments.manifests.mapped.sample import SampleTable, sample_at, texts_of_column
from shipments.manifests.mapped.spec import SHARED_FIELDS, TRANSLATED, from_json, required_fields
from shipments.models import FormatDraft

MOST_MEANINGS = 20
"""The most different texts of a column whose meanings the page asks for."""

_NAMES = ("consignee_name", "given_name", "surname")


class Need(NamedTuple):
    """What the country needs. headings: of the columns that serve it, empty while it is missing."""

    label: str
    headings: Sequence[str]


@may_be_called
@draft_page("columns")
def columns(request: HttpRequest, draft: FormatDraft) -> HttpResponse:
    """Show the cards, or save them and go on once nothing is missing."""
    with sample_of(draft) as book:
        sample = sample_at(book, place_of(draft))
        if sample is None or len(sample.headings) != len(draft.content["columns"]):
            return HttpResponseRedirect(address("where", draft))
        cards = _cards(draft, book, sample, request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return _page(request, draft, cards)
    invalid = [card for card in cards if not card.is_valid()]
    content = {**draft.content, "columns": [card.chosen() for card in cards]}
    problems = _problems(content, cards)
    is_asked = any(card.lacks_meanings() for card in cards)
    change_draft(draft, content=content)
    if KEEP in request.POST:
        return kept(request)
    if not invalid and not problems and not is_asked:
        return HttpResponseRedirect(address("reading", draft))
    if is_asked and not invalid and not problems:
        messages.info(request, gettext("Choose what each value of the tables means."))
        return HttpResponseRedirect(address("columns", draft))
    return _page(request, draft, cards, problems=problems, status=400)


def _cards(draft: FormatDraft, book: Workbook, sample: SampleTable, data: Any) -> list[CardForm]:  # noqa: ANN401  # a form's data
    place = place_of(draft)
    _content, guesses = guessed(book, draft.country, draft.content["name"], place)
    cards = []
    for heading, guess, column in zip(sample.headings, guesses, draft.content["columns"], strict=True):
        distinct: list[str] = []
        if column.get("field") in TRANSLATED:
            distinct = distinct_texts([*texts_of_column(book, place, heading.column)], MOST_MEANINGS)
        values = sample.values(heading.column)
        cards.append(CardForm(draft.country, heading, guess, column, values, distinct, data))
    return cards


def _problems(content: Mapping[str, Any], cards: Sequence[CardForm]) -> list[str]:
    """What the columns lack together, in words; marks the cards of a field that is served twice."""
    by_field: dict[str, list[CardForm]] = {}
    for card, column in zip(cards, content["columns"], strict=True):
        by_field.setdefault(column["field"] or "", []).append(card)
    by_field.pop("", None)
    for name, serving in by_field.items():
        if len(serving) > 1 and name not in SHARED_FIELDS:
            for card in serving:
                text = gettext("Several columns are read as %s. Choose one.") % field_label(name)
                card.add_error("field", text)
    for card in by_field.get("weight_kg", ()):
        if "weight_unit" not in by_field and not card.cleaned_data.get("unit"):
            card.add_error("unit", gettext("Choose the unit; the heading does not name one."))
    lacking = [need.label for need in needs(content) if not need.headings]
    problems = [gettext("No column yet for: %s.") % ", ".join(lacking)] if lacking else []
    if any(card.errors for card in cards):
        problems.append(gettext("Some columns need an answer; they are marked."))
    if not problems:
        try:
            from_json(content)
        except FormatInvalid as refused:
            problems.append(gettext("The format is not complete: %s") % refused.message)
    return problems


def needs(content: Mapping[str, Any]) -> list[Need]:
    """What the country needs, each with the headings of the columns that serve it."""
    headings: dict[str, list[str]] = {}
    for column in content["columns"]:
        headings.setdefault(column.get("field") or "", []).append(column["heading"] or f"({column.get('right_of')} +1)")
    found = []
    for name in (*required_fields(content["country"]), "consignee_name"):
        names = _NAMES if name == "consignee_name" else (name,)
        found.append(Need(field_label(name), [text for each in names for text in headings.get(each, ())]))
    return found


def _page(
    request: HttpRequest,
    draft: FormatDraft,
    cards: Sequence[CardForm],
    *,
    problems: Sequence[str] = (),
    status: int = 200,
) -> HttpResponse:
    wanted = needs(draft.content)
    context = {
        "cards": cards,
        "needs": wanted,
        "missing": sum(not need.headings for need in wanted),
        "country": country_name(draft.country),
        "problems": problems,
    }
    return render(request, draft, "columns", context, status=status)
