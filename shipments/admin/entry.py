"""Uploading a client's manifest in the admin: choose the client and the file, read the preview, confirm."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminTextInputWidget

from base.admin.activity import log_act, log_act_on
from base.admin.confirmed_action import Grouped
from base.admin.pages import AdminPage, FormPage, UploadField
from base.errors import DomainError
from companies.country_names import country_name
from companies.models import Company
from companies.scope import Viewer, scope_of
from shipments.activity import ENTERED, PREVIEW_DOWNLOADED, PREVIEWED
from shipments.admin.columns import amount, eta_text
from shipments.admin.filters import company_select
from shipments.admin.manifests import same_mawb
from shipments.admin.understanding import describe_reading
from shipments.errors import MawbAlreadyExists, ParserBusy
from shipments.files.invoices import is_pdf
from shipments.files.storage import file_store
from shipments.intake.annotated_workbook import MEDIA_TYPE
from shipments.intake.drafts import DraftGoneError, add_draft, enter, try_manifest
from shipments.intake.ingest import to_columns
from shipments.intake.posting import holds_json
from shipments.intake.trial import Trial, annotate_copy
from shipments.intake.workbook_reading import ReadWorkbook
from shipments.manifests import flights
from shipments.manifests.house.house_layouts import LAYOUTS
from shipments.manifests.manifest import GuideRow, ParsedManifest
from shipments.models import Manifest, ManifestDraft
from shipments.trouble import reports_missing_files
from shipments.wording.refusals import Text, words_for
from shipments.wording.rendering import in_words, reason_in_words
from shipments.wording.stored import render_invalid_rows

SHOWN_ROWS = 100
"""The number of guides on a page of the preview."""
_SHOWN_INVALID = 100


def urls() -> list[URLPattern]:
    def view(page: type[AdminPage]) -> Any:  # noqa: ANN401  # a view
        return admin.site.admin_view(reports_missing_files(page.as_view()))

    return [
        path("", view(EntryPage), name="enter-manifest"),
        path("<uuid:draft_id>/", view(PreviewPage), name="enter-manifest-preview"),
        path("<uuid:draft_id>/annotated.xlsx", view(AnnotatedDownload), name="enter-manifest-annotated"),
    ]


def templates_for(user: Any) -> list[tuple[str, str]]:  # noqa: ANN401  # the operator
    """Return the workbook templates of the operator's countries: each country's name, and the view of its template."""
    scope = scope_of(user)
    return [(country_name(one), f"template-{one}") for one in sorted(LAYOUTS) if scope.covers([one])]


def manifest_field(label: Any) -> UploadField:  # noqa: ANN401  # a lazy text
    return UploadField(
        label=label,
        help_text=_("The client's workbook (.xlsx, at most 20 MB), or a JSON manifest (.json, at most 10 MB)."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".xlsx,.json"}),
    )


class EntryForm(forms.Form):
    """Whose manifest it is, where it goes, and the files."""

    company = forms.ModelChoiceField(
        label=_("Client"),
        queryset=Company.objects.none(),
        to_field_name="client_code",
        widget=company_select(Manifest, _("Choose…")),
        error_messages={"invalid_choice": _("Choose a client that ships to your countries alone.")},
        help_text=_("Only clients that ship to your countries alone. The manifest is theirs, as if they had sent it."),
    )
    manifest_file = manifest_field(_("Manifest"))
    destination_airport = forms.CharField(
        label=_("Destination airport"),
        required=False,
        max_length=3,
        widget=UnfoldAdminTextInputWidget(attrs={"placeholder": "SCL"}),
        help_text=_(
            "Only if the workbook does not name it, or names a wrong one: what you enter here takes precedence."
        ),
    )
    invoice_file = UploadField(
        label=_("Invoice (PDF)"),
        required=False,
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": "application/pdf,.pdf"}),
        help_text=_("Optional. It can also be attached later."),
    )

    def __init__(self, user: Viewer, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*arguments, **named)
        companies = Company.objects.managed_by(user).clients().active().order_by("name")
        self.fields["company"].queryset = companies  # type: ignore[attr-defined]  # a ModelChoiceField

    def clean_destination_airport(self) -> str:
        text = str(self.cleaned_data["destination_airport"])
        try:
            return flights.airport(text) if text else ""
        except ValueError:
            raise forms.ValidationError(gettext("Write the IATA code of an airport, such as SCL.")) from None

    def clean_invoice_file(self) -> "UploadedFile[bytes] | None":
        invoice: UploadedFile[bytes] | None = self.cleaned_data["invoice_file"]
        if invoice and not is_pdf(invoice):
            raise forms.ValidationError(gettext("The invoice is not a PDF file."))
        return invoice

    def clean(self) -> dict[str, Any]:
        """Refuse a destination beside a JSON manifest, which it would not change."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("destination_airport") and cleaned.get("manifest_file") and self.is_json:
            self.add_error("destination_airport", gettext("A JSON manifest names its destination; leave this empty."))
        return cleaned

    @property
    def path(self) -> Path:
        return Path(self.cleaned_data["manifest_file"].temporary_file_path())

    @property
    def is_json(self) -> bool:
        """Return whether the manifest is JSON, by its beginning or its name. The form must be valid."""
        return holds_json(self.cleaned_data["manifest_file"])


class EntryPage(FormPage):
    """Shows the form, and reads the uploaded file. What is refused is not stored."""

    permission_required = "shipments.change_manifest"
    template_name = "shipments/enter_manifest.html"
    title = _("Upload a client's manifest")
    form_class = EntryForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return {"user": self.request.user, **super().get_form_kwargs()}

    def save(self, form: EntryForm) -> HttpResponse:
        """Store the draft and redirect to its preview, or show why the client would be refused."""
        chosen = form.cleaned_data
        flight = {"destination_airport": chosen["destination_airport"]}
        trial = try_manifest(chosen["company"], form.path, flights.read_flight(flight)[0], is_json=form.is_json)
        if trial.refusal:
            context = self.get_context_data(form=form, refusals=[describe_refusal(each) for each in trial.refusals])
            return self.render_to_response(context, status=_status_of(trial.refusal))
        operator = cast("User", self.request.user)
        draft = add_draft(
            operator, chosen["company"], chosen["manifest_file"], chosen["invoice_file"], flight, is_json=form.is_json
        )
        return HttpResponseRedirect(reverse("enter-manifest-preview", args=[draft.pk]))

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        context = super().get_context_data(**context)
        user = self.request.user
        shown = {"templates": templates_for(user), "is_everywhere": scope_of(user).is_everywhere}
        return {**context, **shown, "has_clients": context["form"].fields["company"].queryset.exists()}


class PreviewPage(AdminPage):
    """Shows what would be created, and creates it. A repeated click leads to what the first one created."""

    permission_required = "shipments.change_manifest"
    template_name = "shipments/enter_manifest_preview.html"
    title = _("Preview")

    @cached_property
    def draft(self) -> ManifestDraft:
        drafts = ManifestDraft.objects.visible_to(self.request.user).select_related("company", "operator")
        found: ManifestDraft = get_object_or_404(drafts, pk=self.kwargs["draft_id"])
        return found

    def dispatch(self, *args: Any, **named: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's signature
        return self._say_ended() if self.has_permission() and self.draft.ended_at else super().dispatch(*args, **named)

    def get(self, *_args: object, **_named: object) -> HttpResponse:
        return self._to_manifest() if self.draft.manifest_id else self._preview()

    def post(self, *_args: object, **_named: object) -> HttpResponse:
        if self.draft.manifest_id:
            return self._to_manifest()
        try:
            manifest = enter(self.draft)
        except (DraftGoneError, MawbAlreadyExists) as refusal:
            rows = ManifestDraft.objects.filter(pk=self.draft.pk)
            self.draft.manifest_id = rows.values_list("manifest", flat=True).first()
            if self.draft.manifest_id:
                return self._to_manifest()
            if isinstance(refusal, DraftGoneError):
                if rows.exclude(ended_at=None).exists():
                    return self._say_ended()
                raise Http404 from None
            return self._preview(refusal)
        except DomainError as refusal:
            return self._preview(refusal)
        self.draft.manifest_id = manifest.pk
        log_act(self.request, manifest, ENTERED, company=str(self.draft.company))
        guides = ngettext("%s guide was created.", "%s guides were created.", manifest.total_guides)
        messages.success(self.request, guides % Grouped(manifest.total_guides))
        return self._to_manifest()

    def _say_ended(self) -> HttpResponse:
        text = _(
            "This upload for %(company)s named a person whose data was erased, so it was stopped. Ask for the "
            "workbook again, without this person."
        )
        messages.warning(self.request, text % {"company": self.draft.company})
        return HttpResponseRedirect(reverse("enter-manifest"))

    def _to_manifest(self) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:shipments_manifest_change", args=[self.draft.manifest_id]))

    def _preview(self, refusal: DomainError | None = None) -> HttpResponse:
        """Show the draft as it is read now. refusal: why it could not be confirmed; it is not read again then."""
        draft = self.draft
        if refusal:
            trial = Trial(refusals=(refusal,))
        else:
            with file_store().local_copy(str(draft.manifest_file.name)) as path:
                trial = try_manifest(draft.company, path, draft.flight_fields(), is_json=draft.is_json)
        context = self.get_context_data(
            draft=draft,
            file_name=draft.received["manifest"]["original_name"],
            has_invoice=bool(draft.invoice_file),
            refusals=[describe_refusal(each) for each in trial.refusals],
            **(self._describe(trial.read) if trial.read else {}),
        )
        return self.render_to_response(context, status=_status_of(trial.refusal) if trial.refusal else 200)

    def _describe(self, read: ReadWorkbook) -> dict[str, Any]:
        """Return the context of a manifest that was read, and record that its personal data was shown."""
        parsed, draft = read.parsed, self.draft
        manifest = Manifest(
            company=draft.company,
            mawb=parsed.mawb,
            country=parsed.country,
            eta=parsed.flight.scheduled_arrival,
            **to_columns(parsed),
        )
        params = {"company": str(draft.company), "guides": manifest.total_guides}
        log_act_on(self.request, Manifest, manifest.mawb, PREVIEWED, **params)
        rows = preview_rows(parsed)
        of_all, shown = take_out_common(rows)
        return {
            "of_all_rows": of_all,
            "same_mawb": same_mawb(self.request, manifest.mawb, draft.company_id),
            "manifest": manifest,
            "flight": parsed.flight,
            "country": country_name(parsed.country),
            "destination": parsed.flight.destination_airport or draft.flight_fields().destination_airport,
            "eta": eta_text(manifest),
            "weight_kg": amount(manifest.total_weight_kg),
            "problem_count": sum(bool(row.problems) for row in rows),
            "page": Paginator(shown, SHOWN_ROWS).get_page(self.request.GET.get("page")),
            **describe_reading(manifest, is_created=False),
        }


class AnnotatedDownload(PreviewPage):
    """The workbook with each problem at its cell. It contains personal data, so the download is logged."""

    http_method_names = ["get", "head"]

    def get(self, *_args: object, **_named: object) -> HttpResponse:
        if self.draft.manifest_id or self.draft.is_json:
            raise Http404
        try:
            with file_store().local_copy(str(self.draft.manifest_file.name)) as path:
                content = annotate_copy(self.draft.company, path, self.draft.flight_fields())
        except ParserBusy as refusal:
            return self._preview(refusal)
        log_act(self.request, self.draft.company, PREVIEW_DOWNLOADED)
        headers = {"Content-Disposition": 'attachment; filename="annotated.xlsx"', "Cache-Control": "no-store"}
        return HttpResponse(content, content_type=MEDIA_TYPE, headers=headers)


def _status_of(refusal: DomainError) -> int:
    if isinstance(refusal, ParserBusy):
        return 503
    return 409 if isinstance(refusal, MawbAlreadyExists) else 400


# --- what the pages show ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A guide as it was read.

    problems: why it would be reviewed or retained, and what could not be read. notices: what was noticed besides.
    """

    guide: GuideRow
    problems: Sequence[str]
    notices: Sequence[str]

    @property
    def weight_kg(self) -> str:
        return amount(self.guide.weight_kg)

    @property
    def rank(self) -> int:
        return 0 if self.problems else 1 if self.notices else 2


def preview_rows(parsed: ParsedManifest) -> list[PreviewRow]:
    """Return all guides in the order of the file, those with problems before those with notices before the others."""
    # By HAWB: a guide may have several rows of the file, and sheets repeat the numbers of rows.
    warnings: dict[str | None, list[str]] = defaultdict(list)
    notices: dict[str | None, list[str]] = defaultdict(list)
    for said, findings in ((warnings, parsed.warnings), (notices, parsed.notices)):
        for each in findings:
            said[each.hawb].append(in_words(each.reason.sentence, each.reason.params, is_created=False, on_page=True))
    rows = []
    for guide in parsed.guides:
        # Those whose warnings are not reported have the reasons for a review or a retention all the same.
        reasons = [reason for reason in (*guide.review_reasons, guide.retention_reason) if reason]
        problems = warnings.get(guide.hawb) or [reason_in_words(reason, on_page=True) for reason in reasons]
        rows.append(PreviewRow(guide, problems, notices.get(guide.hawb, ())))
    return sorted(rows, key=lambda row: row.rank)


def take_out_common(rows: Sequence[PreviewRow]) -> tuple[list[str], Sequence[PreviewRow]]:
    """Return what is noticed of every guide, and the rows without it: it is said once, above them."""
    if len(rows) < 2:
        return [], rows
    common = set.intersection(*({*row.problems, *row.notices} for row in rows))

    def others(texts: Sequence[str]) -> list[str]:
        return [text for text in texts if text not in common]

    return sorted(common), [PreviewRow(row.guide, others(row.problems), others(row.notices)) for row in rows]


class ShownRefusal(NamedTuple):
    """A refusal in words.

    title: what is wrong. remedy: what to do. detail: the API's own sentence, in English.
    manifest_id: of the manifest that has the MAWB already. fields: field -> messages. rows: invalid guides; more: how
    many problems are not among them.
    """

    title: Text
    remedy: Text
    detail: str
    manifest_id: str
    fields: Mapping[str, Sequence[str]]
    rows: Sequence[Any]
    more: int


def describe_refusal(refusal: DomainError) -> ShownRefusal:
    words = words_for(refusal)
    invalid: Any = refusal.extras.get("invalid_rows", ())
    rows = render_invalid_rows(invalid[:_SHOWN_INVALID])
    total: Any = refusal.extras.get("invalid_rows_total", len(rows))
    own = {name: messages for name, messages in refusal.details.items() if messages != [refusal.message]}
    manifest_id = str(refusal.extras.get("manifest_id", ""))
    detail = "" if manifest_id else refusal.message
    return ShownRefusal(words.what, words.operator, detail, manifest_id, own, rows, max(0, total - len(rows)))
