"""Moving a client's parcels in from another system: one file, checked first if the operator wants, then written."""

from functools import cached_property
from pathlib import Path
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from unfold.widgets import UnfoldBooleanWidget

from base.admin.activity import log_act
from base.admin.confirmed_action import Grouped
from base.admin.pages import FormPage
from base.errors import DomainError
from companies.models import Company
from companies.scope import scope_of
from shipments.activity import MOVED_IN
from shipments.admin.entry import describe_refusal, manifest_field
from shipments.admin.understanding import describe_reading
from shipments.intake.moving_files import read_moving_file, refusal
from shipments.intake.moving_in import MovedIn, move_in
from shipments.labels import STATUS_LABELS
from shipments.statuses import GuideStatus
from shipments.trouble import reports_missing_files

PERMISSIONS = ("shipments.change_manifest", "shipments.change_guide")
"""What entering a manifest needs, and what exports need."""
MOST_GUIDES = 10_000
"""The most guides that the page moves in, in half a minute."""


def urls() -> list[URLPattern]:
    view = admin.site.admin_view(reports_missing_files(MoveInPage.as_view()))
    return [path("<int:company_id>/move-in/", view, name="move-in")]


class MoveInForm(forms.Form):
    file = manifest_field(_("File"))
    is_announced = forms.BooleanField(
        label=_("Send the client's webhooks"),
        required=False,
        widget=UnfoldBooleanWidget,
        help_text=_("For the manifest and for everything that happened before. Usually nobody wants that."),
    )


class MoveInPage(FormPage):
    """Checks the file, or moves its guides in. What is refused is not stored."""

    permission_required = PERMISSIONS
    template_name = "shipments/move_in.html"
    title = _("Move in")
    form_class = MoveInForm

    @cached_property
    def company(self) -> Company:
        companies = Company.objects.visible_to(self.request.user).clients().active()
        found: Company = get_object_or_404(companies, pk=self.kwargs["company_id"])
        return found

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        return super().get_context_data(company=self.company, **context)

    def save(self, form: MoveInForm) -> HttpResponse:
        """Move in, or say what that would do. Raises `DomainError`."""
        operator, is_check = cast("User", self.request.user), "check" in self.request.POST
        path = Path(form.cleaned_data["file"].temporary_file_path())
        file = read_moving_file(self.company, path, scope_of(operator))
        if len(file.pasts) > MOST_GUIDES:
            text = gettext("More than %s guides are moved in by the command import_guides.")
            raise refusal([text % Grouped(MOST_GUIDES)])

        def log(moved: MovedIn) -> None:
            counts = {"guides": moved.guides, "events": moved.events}
            log_act(self.request, moved.manifest, MOVED_IN, company=str(self.company), sha256=file.sha256, **counts)

        moved = move_in(
            self.company,
            file,
            actor=operator.get_username(),
            operator=operator,
            dry_run=is_check,
            is_announced=form.cleaned_data["is_announced"],
            finish=log,
        )
        if moved.is_unchanged:
            text = gettext("The MAWB %s already exists with the same codes: unchanged.")
            messages.info(self.request, text % moved.manifest.mawb)
        elif is_check:
            counts = moved.manifest.guides_by_status
            statuses = [(STATUS_LABELS[status], counts[status]) for status in GuideStatus if status in counts]
            reading = describe_reading(moved.manifest, is_created=False)
            shown = {"moved": moved, "manifest": moved.manifest, "statuses": statuses, **reading}
            return self.render_to_response(self.get_context_data(form=form, **shown))
        else:
            said = ngettext("%s guide moved in.", "%s guides moved in.", moved.guides)
            messages.success(self.request, said % Grouped(moved.guides))
        return HttpResponseRedirect(reverse("admin:shipments_manifest_change", args=[moved.manifest.pk]))

    def refuse(self, form: MoveInForm, refused: DomainError) -> HttpResponse:
        """Show what is wrong: codes and events at the file, anything else as an upload's refusal."""
        if refused.details.keys() == {"file"}:
            return super().refuse(form, refused)
        context = self.get_context_data(form=form, refusals=[describe_refusal(refused)])
        return self.render_to_response(context, status=400)
