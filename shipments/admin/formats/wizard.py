"""Teaching a workbook: the pages from a sample to a version of a format, and two shorter ways to a format.

The draft waits beside its sample in a row of the operator's own. What may be saved and used, `shipments/formats`
decides.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse, reverse_lazy
from django.utils import timezone
from django.utils.functional import Promise, cached_property
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from companies.admin_base.activity import log_act
from companies.admin_base.admin_pages import FormPage
from companies.admin_base.spreadsheets import CSV_CONTENT_TYPE, XLSX_CONTENT_TYPE, csv_chunks
from companies.country_names import country_name
from companies.errors import DomainError
from companies.models import Company
from companies.scope import scope_of
from shipments.activity import (
    PAST_COMPARED,
    PAST_READ,
    SAMPLE_DOWNLOADED,
    SAMPLE_EXPORTED,
    SAMPLE_READ,
    SAMPLE_UPLOADED,
)
from shipments.admin.formats import format_page
from shipments.admin.formats.column_cards import cards_of, needs, problems_of
from shipments.admin.formats.forms import (
    LATER,
    NOW,
    FormatFileForm,
    HouseForm,
    PublishingForm,
    SampleForm,
    SavingForm,
    WaybillForm,
)
from shipments.admin.formats.place_lines import CLOCKS, HeadingForm, Look, apply_lines, lines_of
from shipments.admin.formats.readings import (
    SampleReading,
    csv_of,
    parse_sample,
    read_sample,
    reading_context,
    refusal_in_words,
)
from shipments.errors import FormatConflict, HeadingsDiffer, KeptTestsDiffer, ParserBusy, WorkbookUnreadable
from shipments.files.storage import file_store
from shipments.formats import drafting, publishing
from shipments.formats.drafting import change_draft, content_at, place_of, sample_of, sample_path, usual_place
from shipments.formats.format_files import import_format, use_house
from shipments.formats.kept_tests import Learned, learned
from shipments.formats.past_workbooks import past_workbooks
from shipments.intake import trial
from shipments.manifests.cells import text_of
from shipments.manifests.mapped.made_up import workbook_of
from shipments.manifests.mapped.sample import sample_at
from shipments.manifests.mapped.spec import MAX_FILE_BYTES, FormatInUse, FormatSpec, load
from shipments.models import FileKind, FormatDraft, FormatVersion, Manifest, WorkbookFormat
from shipments.trouble import reports_missing_files, trouble_page

MOST_COLUMNS = 120
"""The most columns that the pages show, within the most fields that a form may have."""

KEEP = "keep"
"""The name of the button that keeps the draft and goes back to the list."""

_NAME = "shipments_workbookformat"
_LIST = reverse_lazy(f"admin:{_NAME}_changelist")
_SHOWN_TEST_ROWS, _SHOWN_TEST_COLUMNS = 15, 30


def page_of(name: str, draft: FormatDraft) -> str:
    """The address of a page of a draft."""
    return reverse(f"admin:{_NAME}_{name}", args=[draft.pk])


class TeachingPage(FormPage):
    """A page for those who may teach formats."""

    permission_required = ("shipments.add_workbookformat", "shipments.change_workbookformat")
    extra_context = {"opts": WorkbookFormat._meta, "list_url": _LIST}  # Django's

    def refused(self, form: Any, refused: DomainError) -> HttpResponse:  # noqa: ANN401  # the form of each page
        """Show the refusal in the operator's words; ask where a person may go on all the same."""
        if not (isinstance(form, PublishingForm) and form.blame(refused)):
            form.add_error("file" if "file" in form.fields else None, refusal_in_words(refused))
        return self.form_invalid(form)

    def to_format(self, form: WorkbookFormat, text: str) -> HttpResponse:
        """Go to the page of a format."""
        messages.success(self.request, text)
        return HttpResponseRedirect(reverse(f"admin:{_NAME}_change", args=[form.pk]))


class NewFormatPage(TeachingPage):
    """A page on which a company is chosen."""

    template_name = "shipments/formats/binding.html"
    text: str | Promise = ""
    button: str | Promise = ""

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "operator": self.request.user}

    def get_initial(self) -> dict[str, Any]:
        """The company that the list was filtered by, and its country if it has only one."""
        code = self.request.GET.get("company", "")
        company = Company.objects.governed_by(self.request.user).filter(client_code=code).first()
        countries = company.allowed_countries if company else []
        return {"company": company, "country": countries[0] if len(countries) == 1 else None}


class HousePage(NewFormatPage):
    """Binding the house template to a company."""

    title, form_class, button = _("Use the house template"), HouseForm, _("Use from now on")
    text = _(
        "The client fills in our own template; its workbooks are read from now on. The template is downloaded from the "
        "sidebar."
    )

    def saved(self, form: HouseForm) -> HttpResponse:
        company, country = form.cleaned_data["company"], form.cleaned_data["country"]
        found = use_house(company, country, actor=self.request.user.get_username())
        return self.to_format(found, gettext("The house template is in use for %s.") % company.name)


class ImportPage(NewFormatPage):
    """Saving the format of a file. It is not used until it is published."""

    title, form_class, button = _("Import a format"), FormatFileForm, _("Import")
    text = _("The format is saved without being used; its kept tests are run when you choose to use it.")

    def saved(self, form: FormatFileForm) -> HttpResponse:
        content = form.cleaned_data["file"].read(MAX_FILE_BYTES + 1)
        if not scope_of(self.request.user).covers([load(content)[0].country]):
            raise FormatConflict(gettext("The format is for a country outside yours."))
        saved = import_format(
            form.cleaned_data["company"],
            content,
            actor=self.request.user.get_username(),
            despite_headings=form.is_despite(HeadingsDiffer),
        )
        text = gettext("The format is saved. It is not used until a version is chosen.")
        return self.to_format(saved.version.format, text)


class SamplePage(NewFormatPage):
    """The first page, of a new format or, with an `object_id`, of a new version."""

    title, form_class, button = _("Upload a sample workbook"), SampleForm, _("Next: where things are")
    template_name = "shipments/formats/sample.html"

    @cached_property
    def known(self) -> WorkbookFormat | None:
        key = self.kwargs.get("object_id")
        return format_page.format_or_404(self.request, key) if key else None

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "known": self.known}

    def saved(self, form: SampleForm) -> HttpResponse:
        values, known = form.cleaned_data, self.known
        company, country = (known.company, known.country) if known else (values["company"], values["country"])
        draft = drafting.begin_draft(cast("User", self.request.user), company, country, values["file"], form=known)
        log_act(self.request, company, SAMPLE_UPLOADED)
        return HttpResponseRedirect(page_of("where", draft))


class Step(TeachingPage):
    """A page of the operator's own draft. step: its place in the bar. needs: pages that have to be done before."""

    step = ""
    needs: Sequence[str] = ("where",)
    clocks = CLOCKS

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's
        if not self.has_permission():
            return self.handle_no_permission()
        own = FormatDraft.objects.of(request.user).select_related("company", "format__in_use")
        self.draft = get_object_or_404(own, pk=kwargs["draft_id"])
        done = {"where": self.draft.header_row, "columns": self.spec, "reading": self.draft.checked}
        if lacking := next((name for name in self.needs if not done[name]), ""):
            return HttpResponseRedirect(page_of(lacking, self.draft))
        try:
            return super().dispatch(request, *args, **kwargs)
        except (ParserBusy, WorkbookUnreadable) as refused:
            status = 503 if isinstance(refused, ParserBusy) else 400
            title = gettext("The sample cannot be read now")
            return trouble_page(request, title, refusal_in_words(refused), status=status)

    @cached_property
    def spec(self) -> Any:  # noqa: ANN401  # a FormatSpec on the pages that need the columns
        return drafting.spec_of_draft(self.draft)

    def get_template_names(self) -> list[str]:
        return [self.template_name or f"shipments/formats/{self.step}.html"]

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        here = [*_STEPS].index(self.step)
        steps = [(page.title, page_of(name, self.draft)) for name, page in _STEPS.items()]
        back = steps[here - 1][1] if here else ""
        newer = publishing.newer_than(self.draft)
        bar = {"steps": steps, "here": here, "back_url": back}
        return super().get_context_data(draft=self.draft, newer=newer, **bar, **context)

    def onward(self) -> HttpResponse:
        """Go to the next page, or to the list where the draft waits."""
        if KEEP in self.request.POST:
            messages.success(self.request, gettext("The draft is kept for a day."))
            return HttpResponseRedirect(str(_LIST))
        names = [*_STEPS]
        return HttpResponseRedirect(page_of(names[names.index(self.step) + 1], self.draft))


class WherePage(Step):
    """The row of the headings, and a line for each value of the waybill and the flight."""

    step, title, needs = "where", _("Where things are"), ()

    def get(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        asked = HeadingForm(request.GET)
        with sample_of(self.draft) as book:
            sheet = request.GET.get("sheet")
            look = Look(book, asked.place() or usual_place(self.draft, book, sheet), sheet)
        return self._shown(look, lines_of(self.draft, look))

    def post(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        posted = HeadingForm(request.POST)
        place = posted.place()
        if place and posted.cleaned_data["shown"] != place.key:  # the lines were shown for other headings
            messages.info(request, gettext("These are other headings: check the lines below the rows."))
            query = {"sheet": place.sheet, "row": place.row, **({"is_two_rows": "on"} if place.rows == 2 else {})}
            return HttpResponseRedirect(f"{page_of('where', self.draft)}?{urlencode(query)}")
        with sample_of(self.draft) as book:
            look = Look(book, place or usual_place(self.draft, book))
            lines = lines_of(self.draft, look, request.POST)
            if look.place is None or look.sample is None:
                return self._shown(look, lines, gettext("Choose the row of the headings: it needs at least one text."))
            if len(look.sample.headings) > MOST_COLUMNS:
                text = gettext("The sheet has more than %(most)d columns. Delete those without use.")
                return self._shown(look, lines, text % {"most": MOST_COLUMNS})
            valid = [line for line in lines if line.is_valid()]
            if len(valid) < len(lines) and KEEP not in request.POST:
                return self._shown(look, lines)
            content = content_at(self.draft, book, look.place)
        apply_lines(content, valid, look.sample.headings)
        change_draft(self.draft, sheet=look.place.sheet, header_row=look.place.row, content=content)
        return self.onward()

    def _shown(self, look: Look, lines: Sequence[Any], problem: str = "") -> HttpResponse:
        context = self.get_context_data(look=look, lines=lines, problem=problem, form=None)
        return self.render_to_response(context, status=400 if problem or any(line.errors for line in lines) else 200)


class ColumnsPage(Step):
    """The columns of a sample, a card each. htmx sends each choice, and takes its card and the panel of needs."""

    step, title = "columns", _("Columns")

    def get(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        data = request.POST if request.method == "POST" else None
        with sample_of(self.draft) as book:
            sample = sample_at(book, place_of(self.draft))
            if sample is None or len(sample.headings) != len(self.draft.content["columns"]):
                return HttpResponseRedirect(page_of("where", self.draft))
            cards = cards_of(self.draft, book, sample, data)
            if data is None:
                return self._shown(cards)
            invalid = [card for card in cards if not card.is_valid()]
            content = {**self.draft.content, "columns": [card.chosen() for card in cards]}
            problems = problems_of(content, cards)
            is_asked = any(card.lacks_meanings() for card in cards)
            change_draft(self.draft, content=content)
            if request.headers.get("HX-Request"):
                return self._shown(cards_of(self.draft, book, sample))
        if KEEP in request.POST or not (invalid or problems or is_asked):
            return self.onward()
        if invalid or problems:
            return self._shown(cards, problems)
        messages.info(request, gettext("Choose what each value of the tables means."))
        return HttpResponseRedirect(page_of("columns", self.draft))

    post = get

    def _shown(self, cards: Sequence[Any], problems: Sequence[str] = ()) -> HttpResponse:
        wanted = needs(self.draft.content)
        context = self.get_context_data(
            cards=cards,
            needs=wanted,
            missing=sum(not need.headings for need in wanted),
            country=country_name(self.draft.country),
            problems=problems,
            form=None,
        )
        return self.render_to_response(context, status=400 if problems else 200)


class ReadingPage(Step):
    """How the sample would be read: what is compared with the waybill before a format is saved."""

    step, title, form_class, needs = "reading", _("How it would be read"), WaybillForm, ("where", "columns")

    @cached_property
    def read(self) -> SampleReading:
        with sample_path(self.draft) as sample:
            return read_sample(self.draft.company, self.spec, sample)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        return self.onward() if KEEP in request.POST else super().post(request, *args, **kwargs)

    def get_initial(self) -> dict[str, Any]:
        return dict.fromkeys(self.draft.checked, True)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "totals": self.read.totals}

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        if self.request.method != "POST":
            log_act(self.request, self.draft.company, SAMPLE_READ)
        return super().get_context_data(**reading_context(self.request, self.read), **context)

    def saved(self, form: WaybillForm) -> HttpResponse:
        if self.read.parsed is None:
            return self.render_to_response(self.get_context_data(form=form), status=400)
        totals = self.read.totals
        checked = {"guides": totals.guides, "weight_kg": str(totals.weight_kg), "fob_usd": str(totals.fob_usd)}
        change_draft(self.draft, checked=checked)
        return self.onward()


class ReadingCsv(ReadingPage):
    """Every row as CSV."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponseBase:  # type: ignore[override]  # noqa: ANN401  # a stream
        headings, lines = csv_of(self.read)
        log_act(request, self.draft.company, SAMPLE_EXPORTED)
        chunks = csv_chunks(headings, lines, separator=";" if get_language() == "es" else ",")
        headers = {"Content-Disposition": 'attachment; filename="reading.csv"', "Cache-Control": "no-store"}
        return StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE, headers=headers)


class Annotated(ReadingPage):
    """The sample with each problem at its cell."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        with sample_path(self.draft) as sample:
            known = [FormatInUse(0, self.spec.name, 0, self.spec)]
            content = trial.annotated_copy(self.draft.company, sample, known=known)
        log_act(request, self.draft.company, SAMPLE_DOWNLOADED)
        headers = {"Content-Disposition": 'attachment; filename="annotated.xlsx"', "Cache-Control": "no-store"}
        return HttpResponse(content, content_type=XLSX_CONTENT_TYPE, headers=headers)


class PastPage(Step):
    """The company's past workbooks, read by the draft, beside what was ingested from them."""

    step, title, needs = "past", _("Past workbooks"), ("where", "columns", "reading")

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        log_act(self.request, self.draft.company, PAST_COMPARED)
        return super().get_context_data(past=past_workbooks(self.draft.company, self.spec), **context)

    def saved(self, form: Any) -> HttpResponse:  # noqa: ANN401, ARG002  # nothing is entered
        return self.onward()


class PastReading(Step):
    """One of them, row by row."""

    step, title, needs = "past", _("Past workbooks"), ("where", "columns")
    template_name = "shipments/formats/past_reading.html"
    http_method_names = ["get", "head"]

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        manifests = Manifest.objects.visible_to(self.request.user)
        own = manifests.filter(company=self.draft.company, country=self.draft.country)
        manifest = get_object_or_404(own, pk=self.kwargs["manifest_id"])
        file = manifest.files.filter(kind=FileKind.MANIFEST).first()
        if file is None:
            raise Http404
        with file_store().local_copy(str(file.file.name)) as workbook:
            read = read_sample(self.draft.company, self.spec, workbook)
        log_act(self.request, self.draft.company, PAST_READ)
        return super().get_context_data(**reading_context(self.request, read), manifest=manifest, **context)


class SavePage(Step):
    """What is saved, and whether it is used."""

    step, title, form_class, needs = "save", _("Save"), SavingForm, ("where", "columns", "reading")

    def get_initial(self) -> dict[str, Any]:
        return {"name": self.draft.content["name"]}

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "draft": self.draft}

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        test = self.learned.test  # read here, where a busy parser is reported
        return super().get_context_data(test_rows=_shown_rows(test["grid"]) if test else [], **context)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        if KEEP not in request.POST:
            return super().post(request, *args, **kwargs)
        form = self.get_form()
        if form.is_valid() and (name := form.cleaned_data.get("name")):
            checked = self.draft.checked  # a name changes nothing that was compared
            change_draft(self.draft, content={**self.draft.content, "name": name})
            change_draft(self.draft, checked=checked)
        return self.onward()

    @cached_property
    def learned(self) -> Learned:
        """The test that will be kept, and the sample's profile."""
        taken = self.draft.format.tests.values_list("name", flat=True) if self.draft.format else ()
        name = gettext("sample of %s") % timezone.localdate().isoformat()
        with sample_path(self.draft) as sample:
            return learned(self.spec, sample, name, set(taken))

    def saved(self, form: SavingForm) -> HttpResponse:
        version = self._version(form, self.spec)
        drafting.end_draft(self.draft)
        text = gettext("Version %(number)s of “%(name)s” is saved and in use.")
        if form.cleaned_data["use"] == LATER:
            text = gettext("Version %(number)s of “%(name)s” is saved. It is not used yet.")
        if not version.format.tests.exists():
            messages.warning(self.request, gettext("No test of the sample could be kept with it."))
        return self.to_format(version.format, text % {"number": version.number, "name": version.format.name})

    def _version(self, form: SavingForm, spec: FormatSpec) -> FormatVersion:
        """Save the version, and use it if it shall be used; both or nothing."""
        with sample_path(self.draft) as sample:
            reading = parse_sample(self.draft.company, spec, sample)
        if reading.parsed is None:
            raise reading.refusal or FormatConflict
        values, found, actor = form.cleaned_data, self.learned, self.request.user.get_username()
        with transaction.atomic():
            saved = publishing.save_version(
                self.draft.company,
                replace(spec, name=values.get("name") or spec.name, profile=dict(found.profile)),
                actor=actor,
                note=values["note"],
                tests=[found.test] if found.test else [],
                began_from=self.draft.began_from if self.draft.format else 0,
                despite_headings=form.is_despite(HeadingsDiffer),
            )
            if values["use"] == NOW:
                despite = form.is_despite(KeptTestsDiffer)
                return publishing.publish(
                    saved.version.format, saved.version.number, actor=actor, despite_tests=despite
                )
            return saved.version


def _shown_rows(grid: Sequence[Sequence[Any]]) -> list[list[str]]:
    cut = _SHOWN_TEST_COLUMNS
    rows = [[text_of(cell) for cell in cells[:cut]] for _number, cells in workbook_of(grid).sheets[0].rows]
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows if any(row)][:_SHOWN_TEST_ROWS]


class DiscardPage(Step):
    """Deleting the draft and its sample."""

    needs = ()
    http_method_names = ["post"]

    def post(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        drafting.end_draft(self.draft)
        messages.success(request, gettext("The draft and its sample are deleted."))
        return HttpResponseRedirect(str(_LIST))


_STEPS: Mapping[str, type[Step]] = {
    page.step: page for page in (WherePage, ColumnsPage, ReadingPage, PastPage, SavePage)
}

_PAGES: Mapping[str, tuple[str, Callable[..., HttpResponseBase]]] = {
    "house/": ("house", HousePage.as_view()),
    "import/": ("import", ImportPage.as_view()),
    "new/": ("new", SamplePage.as_view()),
    "<uuid:object_id>/sample/": ("sample", SamplePage.as_view()),
    "<uuid:object_id>/v<int:number>.json": ("download", format_page.download),
    "<uuid:object_id>/empty.xlsx": ("empty", format_page.empty),
    "<uuid:object_id>/alarms/<int:alarm_id>/": ("accept", format_page.accept),
    "drafts/<uuid:draft_id>/reading.csv": ("reading_csv", ReadingCsv.as_view()),
    "drafts/<uuid:draft_id>/annotated.xlsx": ("annotated", Annotated.as_view()),
    "drafts/<uuid:draft_id>/past/<uuid:manifest_id>/": ("past_reading", PastReading.as_view()),
    "drafts/<uuid:draft_id>/discard/": ("discard", DiscardPage.as_view()),
    **{f"drafts/<uuid:draft_id>/{name}/": (name, page.as_view()) for name, page in _STEPS.items()},
}


def format_urls() -> list[URLPattern]:
    """The patterns below the list of formats, for staff only; each page checks the permission."""
    inside = admin.site.admin_view
    return [
        path(route, inside(reports_missing_files(view)), name=f"{_NAME}_{name}")
        for route, (name, view) in _PAGES.items()
    ]
