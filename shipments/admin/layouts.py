"""The layouts of companies' workbooks: the list, and the page on which an operator says what their columns are."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from base.admin.activity import act_in_words, decode_params, log_act
from base.admin.autocompletion import is_key
from base.admin.confirmed_action import Grouped
from base.admin.list_filters import ChoiceFilter
from base.admin.lists import badge
from base.admin.pages import AdminPage, FormPage
from base.errors import ValidationFailed
from companies.models import Company
from shipments.activity import PREVIEWED
from shipments.admin.columns import amount, column, time_column
from shipments.admin.entry import describe_refusal
from shipments.admin.filters import CompanyFilter, CountryFilter
from shipments.admin.layout_forms import ChangedForm, LayoutForm, NewLayoutForm, SampleForm
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.admin.understanding import field_name, question_in_words
from shipments.errors import LayoutAnswered, ParserBusy
from shipments.files.storage import file_store
from shipments.intake.asked_guides import correct_guides
from shipments.intake.drafts import add_draft
from shipments.intake.ingest import to_columns
from shipments.intake.trial import Trial, try_workbook
from shipments.layouts.answering import answer_layout, confirm, read_answers, restore, stamp_of
from shipments.layouts.asked_values import differences
from shipments.layouts.changes import accept_values, set_apart, take_headings
from shipments.layouts.reading import Choice, choose, layouts_of, record, told_of
from shipments.layouts.waiting import take_over
from shipments.manifests.manifest import FlightFields
from shipments.manifests.sheets.answers import NOTHING_TOLD, Told
from shipments.manifests.sheets.layouts import derive_layout, samples_of
from shipments.models import FileKind, Layout, Manifest, ManifestDraft, ManifestFile
from shipments.trouble import reports_missing_files
from shipments.wording.refusals import ANY, REFUSALS
from shipments.wording.stored import render_for_operator

_SHOWN_GUIDES = 5
_SHOWN_ACTS, _SEARCHED_ACTS = 5, 50
_SHOWN_ANSWERERS = 3

_STRENGTHS: Mapping[str, tuple[str | Promise, str]] = {
    "told": (_("answered"), "success"),
    "sure": (_("sure"), "success"),
    "likely": (_("likely"), "info"),
    "doubtful": (_("in doubt"), "warning"),
    "no": (_("kept"), "muted"),
}


class StateFilter(ChoiceFilter):
    """Filter by whether a person still has to answer."""

    title = _("state")
    parameter_name = "state"
    options = [("waiting", _("To answer")), ("confirmed", _("Confirmed")), ("open", _("Not confirmed"))]

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Any]:  # noqa: ANN401, ARG002  # as its base
        if value == "waiting":
            return cast("QuerySet[Any]", rows.waiting())
        return cast("QuerySet[Any]", rows.filter(confirmed_at__isnull=value == "open"))


@admin.register(Layout)
class LayoutAdmin(ReadOnlyAdmin):
    """Layouts, the last seen first. The page of one is `LayoutPage`."""

    nothing_yet = _("No layout yet")
    how_it_begins = _(
        "A client's first workbook creates a layout: its columns, and what each was read as. Before a client sends "
        "anything, you can upload a sample here; no guides are created."
    )
    first_steps = [(_("Upload a sample"), "admin:shipments_layout_sample", "shipments.change_layout")]
    list_display = ["company", "country", "shown_headings", "shown_questions", "shown_state", "shown_seen"]
    list_display_links = ["company", "country"]
    list_select_related = ["company", "confirmed_by"]
    list_filter = [StateFilter, CompanyFilter, CountryFilter]

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:  # noqa: ANN401  # Django's signature
        """Offer clients alone: couriers have none."""
        if db_field.name == "company":
            return Company.objects.visible_to(request.user).clients()
        return super().get_field_queryset(db, db_field, request)

    def get_urls(self) -> list[URLPattern]:
        def view(page: type[AdminPage]) -> Any:  # noqa: ANN401  # a view
            return self.admin_site.admin_view(reports_missing_files(page.as_view()))

        own = path("<path:object_id>/change/", view(LayoutPage), name="shipments_layout_change")
        sample = path("sample/", view(NewLayoutPage), name="shipments_layout_sample")
        return [sample, own, *(each for each in super().get_urls() if each.name != own.name)]

    shown_headings = column(_("columns"), lambda layout: len(layout.columns), is_number=True)
    shown_questions = column(_("questions"), lambda layout: len(layout.questions) or "", is_number=True)
    shown_seen = time_column(_("last seen"), "last_seen_at")
    shown_state = column(
        _("state"),
        lambda layout: (
            badge(_("Confirmed"), "success") if layout.confirmed_at else badge(_("Not confirmed"), "warning")
        ),
    )


class Source(NamedTuple):
    """The workbook that the page shows. draft: None for the file of a manifest."""

    name: str
    title: str
    flight: FlightFields
    draft: ManifestDraft | None = None


class Row(NamedTuple):
    """A column on the page. question: why it is in doubt, in words."""

    form: Any
    field: str
    strength: tuple[str | Promise, str]
    samples: Sequence[str]
    question: str


class LayoutPage(AdminPage):
    """What the columns of a layout are, read from its newest workbook by what is said on the page."""

    permission_required = "shipments.view_layout"
    template_name = "shipments/layouts/page.html"

    @cached_property
    def layout(self) -> Layout:
        rows = Layout.objects.visible_to(self.request.user).select_related("company", "confirmed_by")
        try:
            return get_object_or_404(rows.prefetch_related("answers__answered_by"), pk=self.kwargs["object_id"])
        except ValidationError:  # no UUID
            raise Http404 from None

    @cached_property
    def source(self) -> Source | None:
        """The operator's own sample, else the newest workbook: a refused one that waits, or an accepted one."""
        user = cast("User", self.request.user)
        if not user.has_perm("shipments.view_guide"):
            return None
        drafts = ManifestDraft.objects.unconfirmed().filter(Q(operator=None) | Q(operator=user), layout=self.layout)
        draft = drafts.order_by(F("operator").desc(nulls_last=True), "-created_at").first()
        manifests = Manifest.objects.visible_to(user).filter(layout=self.layout)
        files = ManifestFile.objects.filter(manifest__in=manifests, kind=FileKind.MANIFEST)
        file = files.select_related("manifest__flight").order_by("-manifest__created_at").first()
        if draft and (draft.operator_id or file is None or file.manifest.created_at < draft.created_at):
            title = _("The sample") if draft.operator_id else _("A refused workbook that is waiting")
            return Source(str(draft.manifest_file.name), str(title), draft.flight_fields(), draft)
        if file is None:
            return None
        flight = FlightFields(destination_airport=file.manifest.flight.destination_airport)
        return Source(str(file.file.name), f"MAWB {file.manifest.mawb}", flight)

    def get(self, *_args: object, **_named: object) -> HttpResponse:
        return self._page(LayoutForm(self.layout))

    def post(self, request: HttpRequest, *_args: object, **_named: object) -> HttpResponseBase:
        if not request.user.has_perm("shipments.change_layout"):
            raise PermissionDenied
        layout = self.layout  # 404 before anything else
        if "HX-Request" in request.headers:
            form = LayoutForm(layout, request.POST)
            context = self._read(form, self._read_told(form))
            return self.render_to_response({"is_part": True, **context, "problems": form.problems()})
        return self.acts.get(request.POST.get("do", ""), LayoutPage._save)(self)

    def get_template_names(self) -> list[str]:
        return ["shipments/layouts/part.html" if "HX-Request" in self.request.headers else self.template_name]

    # --- what the buttons do ------------------------------------------------------------------------------------------

    @property
    def user(self) -> User:
        return cast("User", self.request.user)

    def _save(self) -> HttpResponse:
        """Store what is said, and confirm the layout if that was the button."""
        form = LayoutForm(self.layout, self.request.POST)
        is_confirmed = self.request.POST.get("do") == "confirm"
        try:
            if not form.is_valid():
                return self._page(form, status=400)
            with transaction.atomic():
                answer_layout(self.layout, form.body(), self.user, seen=self.request.POST.get("seen", "") or "-")
                if is_confirmed:
                    confirm(self.layout, self.user)
        except ValidationFailed as refused:
            form.blame(refused)
            return self._page(form, status=400)
        except LayoutAnswered:
            del self.layout
            who = max(self.layout.answers.all(), key=lambda each: each.answered_at, default=None)
            name = str(who.answered_by or self.layout.company) if who else gettext("Somebody")
            text = gettext(
                "%s has saved answers since you opened this page. It now shows those answers; yours were not saved."
            )
            messages.warning(self.request, text % name)
            return self._page(LayoutForm(self.layout), status=409)
        said = gettext("The layout is confirmed.") if is_confirmed else gettext("The answers are saved.")
        return self._redirect(said)

    def _rename(self) -> HttpResponse:
        form = ChangedForm(self.layout, self.request.POST)
        if not form.is_valid():
            return self._page(LayoutForm(self.layout), changed_form=form, status=400)
        take_headings(self.layout, form.cleaned_data, self.user)
        return self._redirect(gettext("The layout now has the new headings."))

    def _set_apart(self) -> HttpResponse:
        if not self.layout.changed_columns:
            return self._redirect()
        apart = set_apart(self.layout, self.user)
        waiting = self.layout.drafts.filter(operator=None, manifest=None, refusal="workbook_format_changed")
        waiting.update(layout=apart)
        messages.success(self.request, gettext("This is now a separate layout. Say what its columns are."))
        return HttpResponseRedirect(reverse("admin:shipments_layout_change", args=[apart.pk]))

    def _accept(self) -> HttpResponse:
        accept_values(self.layout, self.user)
        return self._redirect(gettext("From now on, these values count as usual."))

    def _list_answerers(self) -> Mapping[str, datetime]:
        """Who has answered, and when last; the latest first."""
        answers = sorted(self.layout.answers.all(), key=attrgetter("answered_at"))
        last = {str(each.answered_by or gettext("the client or a command")): each.answered_at for each in answers}
        return dict(sorted(last.items(), key=itemgetter(1), reverse=True))

    def _list_changes(self) -> list[LogEntry]:
        """The newest changes of what was said; each can be taken back."""
        entries = LogEntry.objects.filter(content_type__model="layout", object_id=str(self.layout.pk))
        newest = entries.select_related("user").order_by("-action_time", "-pk")[:_SEARCHED_ACTS]
        return [each for each in newest if "before" in (decode_params(each.change_message) or {})][:_SHOWN_ACTS]

    def _restore(self) -> HttpResponse:
        asked = self.request.POST.get("entry")
        entry = next((each for each in self._list_changes() if str(each.pk) == asked), None)
        if entry is None:
            return self._redirect()
        try:
            restore(self.layout, entry, self.user)
        except ValidationFailed:
            messages.warning(self.request, gettext("Those answers do not fit today's columns."))
            return self._redirect()
        return self._redirect(gettext("The answers from before that change are back."))

    def _correct(self) -> HttpResponse:
        done = correct_guides(self.layout, self.user)
        said = ngettext("%s guide was corrected.", "%s guides were corrected.", done.corrected) % Grouped(
            done.corrected
        )
        more = "" if done.is_finished else " " + gettext("There are more: press the button again.")
        return self._redirect(said + more)

    def _create(self) -> HttpResponse:
        """Make a refused workbook a draft of the operator's own, and lead to its preview."""
        if not self.user.has_perm("shipments.change_manifest"):
            raise PermissionDenied
        key = self.request.POST.get("draft", "")
        draft = self.layout.drafts.filter(pk=key).first() if is_key(ManifestDraft, key) else None
        if draft is None or not take_over(draft, self.user):
            messages.warning(self.request, gettext("Somebody else is already creating a manifest from this workbook."))
            return self._redirect()
        return HttpResponseRedirect(reverse("enter-manifest-preview", args=[draft.pk]))

    def _sample(self) -> HttpResponse:
        form = SampleForm(self.request.POST, self.request.FILES)
        if not form.is_valid():
            return self._page(LayoutForm(self.layout), sample_form=form, status=400)
        file = form.cleaned_data["manifest_file"]
        add_draft(self.user, self.layout.company, file, None, {}, is_json=False, layout=self.layout)
        return self._redirect()

    def _redirect(self, said: str = "") -> HttpResponse:
        if said:
            messages.success(self.request, said)
        return HttpResponseRedirect(self.request.path)

    # --- what the page shows ------------------------------------------------------------------------------------------

    def _read_told(self, form: LayoutForm) -> Told | None:
        """Return what the form says; None, and it shows why, where it says what cannot be."""
        if not form.is_valid():
            return None
        try:
            answers = read_answers(self.layout, form.body())
        except ValidationFailed as refused:
            form.blame(refused)
            return None
        return told_of(self.layout, self._others(), answers)

    def _others(self) -> Sequence[Layout]:
        return [each for each in layouts_of(self.layout.company) if each.pk != self.layout.pk]

    def _page(self, form: LayoutForm, *, status: int = 200, **more: Any) -> HttpResponse:  # noqa: ANN401  # of the context
        layout, manifests = self.layout, Manifest.objects.visible_to(self.user)
        context = self._read(form, told_of(layout, self._others()))
        if context.get("guides"):
            params = {"company": str(layout.company), "guides": len(context["guides"])}
            log_act(self.request, layout, PREVIEWED, **params)
        last = manifests.filter(layout=layout).only("notices", "mawb").order_by("-created_at").first()
        unlike = [each for each in (last.notices if last else []) if each["code"] == "values_unlike_format"]
        differing = differences(layout) if layout.confirmed_at else None
        waiting = ManifestDraft.objects.waiting().filter(layout=layout).order_by("-created_at")
        may_create = layout.confirmed_at and self.user.has_perm("shipments.change_manifest")
        found = self.get_context_data(
            title=f"{layout.company} · {layout.get_country_display()}",
            stamp=stamp_of(layout),
            may_answer=self.user.has_perm("shipments.change_layout"),
            answered=list(self._list_answerers().items())[:_SHOWN_ANSWERERS],
            said_before=[(each, act_in_words(each)) for each in self._list_changes()],
            waiting=[(each, REFUSALS.get(each.refusal, ANY).what) for each in waiting],
            may_create=may_create,
            differences=differing,
            differing=[
                (each.hawb, [(field_name(name), value) for name, value in each.fields.items()])
                for each in (differing.first[:_SHOWN_GUIDES] if differing else ())
            ],
            unlike=[render_for_operator(each, field_name, is_created=True) for each in unlike]
            if layout.figures
            else [],
            **{"sample_form": SampleForm(), "changed_form": ChangedForm(layout), **context, **more},
        )
        return self.render_to_response(found, status=status)

    def _read(self, form: LayoutForm, told: Told | None) -> dict[str, Any]:
        """Return the context of the columns and of the guides as they would be. told: None: the form cannot be read."""
        trial, busy = Trial(), False
        source = self.source
        if source and told is not None:
            try:
                with file_store().local_copy(source.name) as file:
                    trial = try_workbook(self.layout.company, file, source.flight, is_new=False, told=told)
            except ParserBusy:
                busy = True
        parsed = trial.read.parsed if trial.read else None
        manifest = Manifest(**to_columns(parsed)) if parsed else None
        return {
            "layout": self.layout,
            "answers": form,
            "source": source,
            "rows": self._rows(form, trial),
            "is_busy": busy,
            "refusals": [describe_refusal(each) for each in trial.refusals],
            "manifest": manifest,
            "weight_kg": amount(manifest.total_weight_kg) if manifest else "",
            "guides": parsed.guides[:_SHOWN_GUIDES] if parsed else (),
        }

    def _rows(self, form: LayoutForm, trial: Trial) -> list[Row]:
        """Return the columns, those in doubt first."""
        seen = derive_layout(trial.survey) if trial.survey else None
        here = {each.name: each for each in seen.columns} if seen else {}
        samples = samples_of(trial.survey) if trial.survey else {}
        questions: Any = seen.questions if seen else self.layout.questions
        asked = {each["column"]: question_in_words(question) for question in questions for each in question["columns"]}
        shapes = {each["name"]: [each["shape"]] if each["shape"] else [] for each in self.layout.columns}
        rows = []
        for each in form.columns:
            read, column = here.get(each.name), each.column
            field, strength = (read.field, read.strength) if read else (column["field"], column["strength"])
            question = asked.get(read.column if read else column["column"], "")
            if seen and not read:
                question = gettext("Not in the workbook that is shown")
            values = samples.get(each.name, shapes[each.name])
            rows.append(
                Row(
                    each,
                    field_name(field) if field else "",
                    _STRENGTHS.get(strength, _STRENGTHS["no"]),
                    values,
                    question,
                )
            )
        was_asked = {each["column"] for question in self.layout.questions for each in question["columns"]}
        return sorted(rows, key=lambda row: row.form.column["column"] not in was_asked)

    acts: ClassVar[Mapping[str, Callable[["LayoutPage"], HttpResponse]]] = {
        "accept": _accept,
        "apart": _set_apart,
        "correct": _correct,
        "create": _create,
        "rename": _rename,
        "restore": _restore,
        "sample": _sample,
    }
    """Value of the pressed button -> what it does; any other saves."""


class NewLayoutPage(FormPage):
    """Uploading a sample of a client that has sent nothing yet. It makes a layout, and no manifest."""

    permission_required = "shipments.change_layout"
    template_name = "shipments/layouts/sample.html"
    title = _("Upload a sample")
    form_class = NewLayoutForm

    def get_form_kwargs(self) -> dict[str, Any]:
        initial = {"company": self.request.GET.get("company", "")}
        return {"user": self.request.user, **super().get_form_kwargs(), "initial": initial}

    def save(self, form: NewLayoutForm) -> HttpResponse:
        company, country = form.cleaned_data["company"], form.cleaned_data["country"]
        file = form.cleaned_data["manifest_file"]
        trial = try_workbook(company, Path(file.temporary_file_path()), FlightFields(), is_new=False, told=NOTHING_TOLD)
        seen = derive_layout(trial.survey) if trial.survey else None
        if seen is None:
            form.add_error("manifest_file", gettext("No table of guides was found in it."))
            return self.form_invalid(form)
        choice = choose(layouts_of(company), [seen.names()], country)
        layout = choice.layout
        if layout is None or choice.is_changed:
            layout = record(company, country, seen, Choice())
        add_draft(cast("User", self.request.user), company, file, None, {}, is_json=False, layout=layout)
        return HttpResponseRedirect(reverse("admin:shipments_layout_change", args=[layout.pk]))
