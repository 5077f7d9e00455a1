"""Teaching a workbook: the pages from a sample to a version of a format, and two shorter ways to a format.

The draft waits beside its sample in a row of the operator's own. What may be saved and used, `shipments/formats`
decides.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.functional import cached_property
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace
from openpyxl.utils import get_column_letter

from companies.admin_base.activity import log_act
from companies.admin_base.spreadsheets import CSV_CONTENT_TYPE, XLSX_CONTENT_TYPE, csv_chunks
from shipments.activity import PAST_COMPARED, PAST_READ, SAMPLE_DOWNLOADED, SAMPLE_EXPORTED, SAMPLE_READ
from shipments.admin.field_labels import field_label
from shipments.admin.formats import format_page
from shipments.admin.formats.column_cards import CARDS
from shipments.admin.formats.forms import LATER, NOW, SavingForm
from shipments.admin.formats.new_format import LIST, NAME, HousePage, ImportPage, SamplePage, TeachingPage, page_of
from shipments.admin.formats.place_lines import LINES, HeadingForm, places_of, shown_cells
from shipments.admin.formats.readings import SampleReading, csv_of, read_sample, reading_context, refusal_in_words
from shipments.errors import FormatInvalid, HeadingsDiffer, KeptTestsDiffer, ParserBusy, WorkbookUnreadable
from shipments.files.storage import file_store
from shipments.formats import drafting, publishing
from shipments.formats.drafting import Look, change_draft, look_at, sample_path
from shipments.formats.past_workbooks import past_uploads, past_workbooks
from shipments.intake import trial
from shipments.manifests.mapped.spec import FormatInUse, from_json
from shipments.models import FileKind, FormatDraft, Manifest
from shipments.trouble import reports_missing_files, trouble_page

KEEP = "keep"
"""The name of the button that keeps the draft and goes back to the list."""

_SHOWN_COLUMNS = 60


class Step(TeachingPage):
    """A page of the operator's own draft. step: its place in the bar; the pages before have to be done."""

    step = "where"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's
        if not self.has_permission():
            return self.handle_no_permission()
        own = FormatDraft.objects.of(request.user).select_related("company", "format__in_use")
        self.draft = get_object_or_404(own, pk=kwargs["draft_id"])
        done = {"where": self.draft.header_row, "columns": self.spec, self.step: True}
        first = next(name for name in _STEPS if not done[name] or name == self.step)
        if first != self.step:
            return HttpResponseRedirect(page_of(first, self.draft))
        try:
            return super().dispatch(request, *args, **kwargs)
        except (ParserBusy, WorkbookUnreadable) as refused:
            status = 503 if isinstance(refused, ParserBusy) else 400
            title = gettext("The sample cannot be read now")
            return trouble_page(request, title, refusal_in_words(refused), status=status)

    @cached_property
    def spec(self) -> Any:  # noqa: ANN401  # a FormatSpec on the pages that need the columns
        try:
            return from_json(self.draft.content)
        except FormatInvalid:  # it is incomplete
            return None

    def get_template_names(self) -> list[str]:
        return [self.template_name or f"shipments/formats/{self.step}.html"]

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        here = [*_STEPS].index(self.step)
        steps = [(page.title, page_of(name, self.draft)) for name, page in _STEPS.items()]
        bar = {"steps": steps, "here": here, "back_url": steps[here - 1][1] if here else ""}
        return super().get_context_data(draft=self.draft, newer=publishing.newer_than(self.draft), **bar, **context)

    def render_to_response(self, context: dict[str, Any], **options: Any) -> TemplateResponse:  # noqa: ANN401  # Django's
        """Render the page. On the first view, unanswered questions are not shown as errors."""
        if self.request.method != "POST" or "HX-Request" in self.request.headers:
            options.setdefault("status", 200)
        return super().render_to_response(context, **options)

    def post(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        form = self.get_form()
        if KEEP in request.POST:
            self.keep(form)
            messages.success(request, gettext("The draft is kept for a day."))
            return HttpResponseRedirect(str(LIST))
        return self.form_valid(form) if form.is_valid() else self.form_invalid(form)

    def keep(self, form: Any) -> None:  # noqa: ANN401  # the form of each page
        """Save in the draft what is valid of a form."""

    def saved(self, form: Any) -> HttpResponse:  # noqa: ANN401  # as above
        self.keep(form)
        names = [*_STEPS]
        return HttpResponseRedirect(page_of(names[names.index(self.step) + 1], self.draft))


class WherePage(Step):
    """The row of the headings, and a line for each value of the waybill and the flight."""

    title = _("Where things are")

    @cached_property
    def look(self) -> Look:
        sent = HeadingForm(self.request.POST or self.request.GET)
        return look_at(self.draft, sent.place(), self.request.GET.get("sheet"))

    def get_form(self, form_class: Any = None) -> Any:  # noqa: ANN401, ARG002  # Django's signature
        return LINES(self.draft, self.look, self.request.POST or None)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        place = self.look.place
        if place and request.POST.get("shown", "") != place.key:  # the lines were shown for other headings
            messages.info(request, gettext("These are other headings: check the lines below the rows."))
            query = {"sheet": place.sheet, "row": place.row, **({"is_two_rows": "on"} if place.rows == 2 else {})}
            return HttpResponseRedirect(f"{page_of('where', self.draft)}?{urlencode(query)}")
        return super().post(request, *args, **kwargs)

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        width = min(max((len(cells) for _number, cells in self.look.rows), default=0), _SHOWN_COLUMNS)
        rows = [(number, shown_cells(cells, width)) for number, cells in self.look.rows]
        letters = [get_column_letter(number) for number in range(1, width + 1)]
        place = self.look.place
        headings = HeadingForm(initial={"is_two_rows": place is not None and place.rows == 2})
        grid = {"rows": rows, "letters": letters}
        return super().get_context_data(look=self.look, grid=grid, two_rows=headings["is_two_rows"], **context)

    def keep(self, form: Any) -> None:  # noqa: ANN401  # the lines
        if not form.non_form_errors():
            change_draft(self.draft, form.content(), self.look.place)


class ColumnsPage(Step):
    """The columns of a sample, a card each. htmx sends each choice, and takes its card and the panel of needs."""

    step, title = "columns", _("Columns")

    @cached_property
    def look(self) -> Look:
        return look_at(self.draft)

    def get_form(self, form_class: Any = None) -> Any:  # noqa: ANN401, ARG002  # Django's signature
        return CARDS(self.draft, self.look, self.request.POST if self.request.method == "POST" else None)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        if "HX-Request" not in request.headers:
            return super().post(request, *args, **kwargs)
        self.keep(self.get_form())
        return self.render_to_response(self.get_context_data(form=CARDS(self.draft, look_at(self.draft))))

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        found = super().get_context_data(places=[*places_of(self.look)], **context)
        wanted = drafting.needs(found["form"].content())
        needed = [(field_label(name), headings) for name, headings in wanted.items()]
        return {**found, "needs": needed, "missing": sum(not headings for headings in wanted.values())}

    def saved(self, form: Any) -> HttpResponse:  # noqa: ANN401  # the cards
        onward = super().saved(form)
        if not form.lacks_meanings():
            return onward
        messages.info(self.request, gettext("Choose what each value of the tables means."))
        return HttpResponseRedirect(page_of("columns", self.draft))

    def keep(self, form: Any) -> None:  # noqa: ANN401  # the cards
        change_draft(self.draft, form.content())


class ReadingPage(Step):
    """How the sample would be read: what is compared with the waybill, and how the format is saved."""

    step, title, form_class = "reading", _("Check and save"), SavingForm

    @cached_property
    def read(self) -> SampleReading:
        with sample_path(self.draft) as sample:
            return read_sample(self.draft.company, self.spec, sample)

    def get_initial(self) -> dict[str, Any]:
        return {"name": self.draft.content["name"]}

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "draft": self.draft, "totals": self.read.totals}

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        if self.request.method != "POST":
            log_act(self.request, self.draft.company, SAMPLE_READ)
        past = past_uploads(self.draft.company, self.draft.country).count()
        return super().get_context_data(**reading_context(self.request, self.read), past=past, **context)

    def keep(self, form: Any) -> None:  # noqa: ANN401  # as above
        form.is_valid()
        if name := form.cleaned_data.get("name"):
            change_draft(self.draft, {**self.draft.content, "name": name})

    def saved(self, form: SavingForm) -> HttpResponse:
        if self.read.refusal:
            raise self.read.refusal
        values = form.cleaned_data
        saved = drafting.save_draft(
            self.draft,
            replace(self.spec, name=values.get("name") or self.spec.name),
            actor=self.request.user.get_username(),
            note=values["note"],
            is_used=values["use"] == NOW,
            despite_headings=form.is_despite(HeadingsDiffer),
            despite_tests=form.is_despite(KeptTestsDiffer),
        )
        text = gettext("Version %(number)s of “%(name)s” is saved and in use.")
        if values["use"] == LATER:
            text = gettext("Version %(number)s of “%(name)s” is saved. It is not used yet.")
        if saved.unread:
            why = gettext("No test of the sample is kept: made-up guides would be read differently (%s).")
            messages.warning(self.request, why % ", ".join(saved.unread))
        form_saved = saved.version.format
        return self.to_format(form_saved, text % {"number": saved.version.number, "name": form_saved.name})


class ReadingCsv(ReadingPage):
    """Every row as CSV."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponseBase:  # type: ignore[override]  # noqa: ANN401  # a stream
        headings, lines = csv_of(self.read)
        log_act(request, self.draft.company, SAMPLE_EXPORTED)
        chunks = csv_chunks(headings, lines, separator=";" if get_language() == "es" else ",")
        headers = {"Content-Disposition": 'attachment; filename="reading.csv"'}
        return StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE, headers=headers)


class Annotated(ReadingPage):
    """The sample with each problem at its cell."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        with sample_path(self.draft) as sample:
            known = [FormatInUse(0, self.spec.name, 0, self.spec)]
            content = trial.annotated_copy(self.draft.company, sample, known=known)
        log_act(request, self.draft.company, SAMPLE_DOWNLOADED)
        return format_page.attachment(content, XLSX_CONTENT_TYPE, "annotated.xlsx")


class PastPage(Step):
    """The company's past workbooks, read by the draft, beside what was ingested from them."""

    step, title, template_name = "reading", _("Past workbooks"), "shipments/formats/past.html"
    http_method_names = ["get", "head"]

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        log_act(self.request, self.draft.company, PAST_COMPARED)
        past, count = past_workbooks(self.draft.company, self.spec)
        return super().get_context_data(past=past, count=count, **context)


class PastReading(Step):
    """One of them, row by row."""

    step, title, template_name = "reading", _("Past workbooks"), "shipments/formats/past_reading.html"
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


class DiscardPage(Step):
    """Deleting the draft and its sample."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        drafting.end_draft(self.draft)
        messages.success(request, gettext("The draft and its sample are deleted."))
        return HttpResponseRedirect(str(LIST))


_STEPS: Mapping[str, type[Step]] = {page.step: page for page in (WherePage, ColumnsPage, ReadingPage)}

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
    "drafts/<uuid:draft_id>/past/": ("past", PastPage.as_view()),
    "drafts/<uuid:draft_id>/past/<uuid:manifest_id>/": ("past_reading", PastReading.as_view()),
    "drafts/<uuid:draft_id>/discard/": ("discard", DiscardPage.as_view()),
    **{f"drafts/<uuid:draft_id>/{name}/": (name, page.as_view()) for name, page in _STEPS.items()},
}


def format_urls() -> list[URLPattern]:
    """The patterns below the list of formats, for staff only; each page checks the permission."""
    inside = admin.site.admin_view
    return [
        path(route, inside(reports_missing_files(view)), name=f"{NAME}_{name}")
        for route, (name, view) in _PAGES.items()
    ]
