"""Saving a draft as a version of a format, used from now on or not."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace
from unfold.widgets import UnfoldAdminRadioSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from companies.errors import DomainError
from shipments.admin.formats.draft_access import address, draft_page, refusal_in_words, render
from shipments.admin.formats.place_page import KEEP, kept
from shipments.admin.formats.reading_page import spec_of_draft
from shipments.admin.formats.sample_page import may_be_called
from shipments.admin.formats.sample_reading import parse_sample
from shipments.errors import FormatConflict, HeadingsDiffer, KeptTestsDiffer
from shipments.formats.drafting import change_draft, end_draft, sample_path
from shipments.formats.kept_tests import Learned, learned
from shipments.formats.publishing import publish, save_version
from shipments.manifests.cells import text_of
from shipments.manifests.mapped.made_up import workbook_of
from shipments.manifests.mapped.spec import LONGEST_NAME, FormatSpec
from shipments.models import FormatDraft, FormatVersion, WorkbookFormat

NOW, LATER = "now", "later"

_SHOWN_TEST_ROWS, _SHOWN_COLUMNS = 15, 30


_QUESTIONS: Mapping[type[FormatConflict], tuple[str, Any, Any]] = {
    KeptTestsDiffer: (
        "despite_tests",
        _("Use it although it reads these tests differently"),
        _("They are not run again until a version passes them."),
    ),
    HeadingsDiffer: (
        "despite_headings",
        _("Save it although it is another layout"),
        _("A layout that the client uses beside the other one should be a format of its own."),
    ),
}


class PublishingForm(forms.Form):
    """A form that asks, after a refusal that a person may overrule, whether to go on all the same."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        for kind, (name, *_texts) in _QUESTIONS.items():
            if name in self.data:
                self._add_field(kind)

    def ask(self, refused: FormatConflict) -> None:
        """Report the refusal, and ask whether to go on all the same."""
        self._add_field(type(refused))
        self.add_error(None, refused.message)

    def blame(self, refused: DomainError) -> bool:
        """Ask about a refusal that a person may overrule; return whether it is one."""
        if type(refused) in _QUESTIONS:
            self.ask(cast("FormatConflict", refused))
        return type(refused) in _QUESTIONS

    def is_despite(self, kind: type[FormatConflict]) -> bool:
        """Whether the operator goes on all the same."""
        return bool(self.cleaned_data.get(_QUESTIONS[kind][0]))

    def _add_field(self, kind: type[FormatConflict]) -> None:
        name, label, help_text = _QUESTIONS[kind]
        self.fields[name] = forms.BooleanField(
            label=label, help_text=help_text, required=False, widget=UnfoldBooleanWidget
        )


class SavingForm(PublishingForm):
    """The format's name, a note on the version, and whether it is used."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, widget=UnfoldAdminTextInputWidget)
    note = forms.CharField(
        label=_("Note"),
        max_length=255,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Why this version exists. Do not name people."),
    )
    use = forms.ChoiceField(
        label=_("Use"),
        choices=[(NOW, _("Use from now on")), (LATER, _("Save without using"))],
        initial=NOW,
        widget=UnfoldAdminRadioSelectWidget,
    )


@may_be_called
@draft_page("save")
def save(request: HttpRequest, draft: FormatDraft) -> HttpResponse:
    """Show what is saved, or save it."""
    spec = spec_of_draft(draft)
    if spec is None or not draft.checked:
        return HttpResponseRedirect(address("columns" if spec is None else "reading", draft))
    form = SavingForm(request.POST if request.method == "POST" else None, initial={"name": draft.content["name"]})
    if draft.format:
        del form.fields["name"]
    if request.method == "POST" and KEEP in request.POST:
        return _kept(request, draft, form)
    if request.method == "POST" and form.is_valid() and _is_free(draft, form):
        try:
            version = _saved(draft, spec, form, request.user.get_username())
        except (KeptTestsDiffer, HeadingsDiffer) as refused:
            form.ask(refused)
        except DomainError as refused:
            form.add_error(None, refusal_in_words(refused))
        else:
            end_draft(draft)
            text = gettext("Version %(number)s of “%(name)s” is saved and in use.")
            if form.cleaned_data["use"] == LATER:
                text = gettext("Version %(number)s of “%(name)s” is saved. It is not used yet.")
            messages.success(request, text % {"number": version.number, "name": version.format.name})
            if not version.format.tests.exists():
                messages.warning(request, gettext("No test of the sample could be kept with it."))
            return HttpResponseRedirect(reverse("admin:shipments_workbookformat_change", args=[version.format_id]))
    found = _learned(draft, spec)
    rows = _shown_rows(found.test["grid"]) if found.test else []
    context = {"form": form, "spec": spec, "test_rows": rows, "unread": found.unread}
    return render(request, draft, "save", context, status=400 if form.errors else 200)


def _learned(draft: FormatDraft, spec: FormatSpec) -> Learned:
    """The test that will be kept, and the sample's profile."""
    taken = draft.format.tests.values_list("name", flat=True) if draft.format else ()
    with sample_path(draft) as path:
        return learned(spec, path, gettext("sample of %s") % timezone.localdate().isoformat(), set(taken))


def _shown_rows(grid: Sequence[Sequence[Any]]) -> list[list[str]]:
    rows = [[text_of(cell) for cell in cells[:_SHOWN_COLUMNS]] for _number, cells in workbook_of(grid).sheets[0].rows]
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows if any(row)][:_SHOWN_TEST_ROWS]


def _is_free(draft: FormatDraft, form: SavingForm) -> bool:
    """Whether the name of a new format is free; otherwise the form says so."""
    if draft.format or not WorkbookFormat.objects.of(draft.company).filter(name=form.cleaned_data["name"]).exists():
        return True
    text = gettext("The company has a format of this name. Choose another, or start a new sample from its page.")
    form.add_error("name", text)
    return False


def _kept(request: HttpRequest, draft: FormatDraft, form: SavingForm) -> HttpResponse:
    if form.is_valid() and (name := form.cleaned_data.get("name")):
        checked = draft.checked  # a name changes nothing that was compared
        change_draft(draft, content={**draft.content, "name": name})
        change_draft(draft, checked=checked)
    return kept(request)


def _saved(draft: FormatDraft, spec: FormatSpec, form: SavingForm, actor: str) -> FormatVersion:
    """Save the version, and use it if it shall be used; both or nothing."""
    values = form.cleaned_data
    with sample_path(draft) as path:
        reading = parse_sample(draft.company, spec, path)
    if reading.parsed is None:
        raise reading.refusal or FormatConflict
    found = _learned(draft, spec)
    spec = replace(spec, name=values.get("name") or spec.name, profile=dict(found.profile))
    with transaction.atomic():
        began_from = draft.began_from if draft.format else 0
        saved = save_version(
            draft.company,
            spec,
            actor=actor,
            note=values["note"],
            tests=[found.test] if found.test else [],
            began_from=began_from,
            despite_headings=form.is_despite(HeadingsDiffer),
        )
        if values["use"] == NOW:
            return publish(
                saved.version.format, saved.version.number, actor=actor, despite_tests=form.is_despite(KeptTestsDiffer)
            )
        return saved.version
