"""The uploads that clients do not wait for, to tell a client where one is."""

from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.timesince import timesince
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.list_filters import StatesFilter
from shipments.admin.columns import badge_column, column, time_column
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
    first_steps = ()
    list_display = ["shown_time", "company", "shown_state", "shown_age", "shown_duration", "shown_error"]
    list_select_related = ["company"]
    list_filter = [CompanyFilter, ("state", StatesFilter)]
    search_fields = ["request_id"]
    search_help_text = _("job id or request id, in full")
    fields = [
        ("company", "shown_state"), ("created_at", "started_at", "finished_at"), ("shown_age", "shown_duration"),
        "attempts", ("shown_error", "code"), ("id", "request_id"),
    ]  # fmt: skip
    readonly_fields = ["id", "shown_state", "shown_age", "shown_duration", "shown_error"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[UploadJob]:
        jobs: QuerySet[UploadJob] = super().get_queryset(request)
        return jobs.defer("error")  # as long as the refusal of a large manifest

    def search_rows(self, jobs: QuerySet[UploadJob], text: str) -> QuerySet[UploadJob]:
        """By the whole id of the job or of its request, both of which the client has."""
        found = Q(request_id=text)
        with suppress(ValueError):  # the id of a request
            found |= Q(pk=UUID(text))
        return jobs.filter(found)

    shown_time = time_column(_("time"), "created_at")
    shown_state = badge_column(_("state"), "state", _COLOURS)
    shown_age = column(_("age"), lambda job: timesince(job.created_at))
    shown_duration = column(  # from the upload to its end
        _("duration"), lambda job: _in_words(job.finished_at - job.created_at) if job.finished_at else "–"
    )
    shown_error = column(
        _("error"), lambda job: str(REFUSALS[job.code].what if job.code in REFUSALS else job.code) or "–"
    )


def _in_words(duration: timedelta) -> str:
    seconds = max(0.0, duration.total_seconds())
    if seconds < 60:
        return gettext("%(number)s s") % {"number": number_format(seconds, 1)}
    return gettext("%(number)s min") % {"number": number_format(seconds / 60, 0, force_grouping=True)}
