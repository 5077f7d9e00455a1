"""The uploads that clients do not wait for, to tell a client where one is."""

from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from companies.admin_base.clocks import headed_by_zone, in_list
from companies.admin_base.lists import badge
from shipments.admin.filters import CompanyFilter
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.models import JobState, UploadJob
from shipments.wording.refusals import REFUSALS

_COLOURS = {
    JobState.QUEUED: "muted",
    JobState.RUNNING: "info",
    JobState.SUCCEEDED: "success",
    JobState.FAILED: "danger",
}


@admin.register(UploadJob)
class UploadJobAdmin(ReadOnlyAdmin):
    """Upload jobs, newest first. Neither the file nor what was found in it is shown."""

    nothing_yet = _("No client has uploaded without waiting yet")
    how_it_begins = _("Uploads that the worker reads appear here, and stay for 7 days after their end.")
    list_display = ["shown_time", "company", "shown_state", "shown_age", "shown_duration", "shown_error"]
    list_select_related = ["company"]
    list_filter = [CompanyFilter, ("state", ChoicesDropdownFilter)]
    search_fields = ["request_id"]
    search_help_text = _("job id or request id, in full")
    sortable_by = ()
    fields = [
        ("company", "shown_state"), ("created_at", "started_at", "finished_at"), ("shown_age", "shown_duration"),
        "attempts", ("shown_error", "code"), ("id", "request_id"),
    ]  # fmt: skip
    readonly_fields = ["id", "shown_state", "shown_age", "shown_duration", "shown_error"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[UploadJob]:
        jobs: QuerySet[UploadJob] = super().get_queryset(request)
        return jobs.defer("error")  # as long as the refusal of a large manifest

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[UploadJob], search_term: str  # noqa: ARG002  # Django's signature
    ) -> tuple[QuerySet[UploadJob], bool]:  # fmt: skip
        """By the whole id of the job or of its request, both of which the client has."""
        text = search_term.replace("\0", "").strip()
        if not text:
            return queryset, False
        found = Q(request_id=text)
        with suppress(ValueError):  # the id of a request
            found |= Q(pk=UUID(text))
        return queryset.filter(found), False

    @display(description=headed_by_zone(_("time")))
    def shown_time(self, job: UploadJob) -> str:
        return in_list(job.created_at)

    @display(description=_("state"))
    def shown_state(self, job: UploadJob) -> SafeString:
        state = JobState(job.state)
        return badge(state.label, _COLOURS[state])

    @display(description=_("age"))
    def shown_age(self, job: UploadJob) -> str:
        return timesince(job.created_at)

    @display(description=_("duration"))
    def shown_duration(self, job: UploadJob) -> str:
        """How long the client waited, from the upload to its end."""
        return _in_words(job.finished_at - job.created_at) if job.finished_at else "–"

    @display(description=_("error"))
    def shown_error(self, job: UploadJob) -> str:
        return str(REFUSALS[job.code].what if job.code in REFUSALS else job.code) or "–"


def _in_words(duration: timedelta) -> str:
    seconds = max(0.0, duration.total_seconds())
    if seconds < 60:
        return gettext("%(number)s s") % {"number": number_format(seconds, 1)}
    return gettext("%(number)s min") % {"number": number_format(seconds / 60, 0, force_grouping=True)}
