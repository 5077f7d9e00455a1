"""Uploads that wait for the worker for too long: it has probably stopped."""

from datetime import datetime, timedelta
from typing import NamedTuple

from prealerts.dashboard.figures import Figure, counted, list_of
from shipments.models import JobState, UploadJobQuerySet

LONG_WAIT = timedelta(minutes=2)
"""A worker takes a job within seconds, unless all places for reading workbooks are taken. The alert uses the same."""


class WaitingJobs(NamedTuple):
    """The jobs that wait. oldest_at: when the oldest one was uploaded. link: the list of those that are queued."""

    jobs: Figure
    oldest_at: datetime
    link: str


def waiting_jobs(jobs: UploadJobQuerySet, now: datetime) -> WaitingJobs | None:
    """Return those of `jobs` that no worker reads, if the oldest has waited for more than two minutes."""
    waiting = jobs.claimable(now)
    oldest_at = waiting.values_list("created_at", flat=True).first()
    if oldest_at is None or oldest_at > now - LONG_WAIT:
        return None
    return WaitingJobs(counted(waiting), oldest_at, list_of("uploadjob", state__exact=JobState.QUEUED.value))
