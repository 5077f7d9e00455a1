"""Uploads that clients do not wait for: stored at once, read by the worker."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar, Self
from uuid import uuid4

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from companies.models import Company
from companies.scope import Viewer, scope_of
from shipments.models.manifest_drafts import StoredUpload
from shipments.models.manifests import Manifest

KEPT_FOR = timedelta(days=7)
"""How long a job is kept after its end."""


class JobState(models.TextChoices):
    """The values of `status` in the API."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("being read")
    SUCCEEDED = "succeeded", _("accepted")
    FAILED = "failed", _("refused")


_UNFINISHED = Q(finished_at=None)


class UploadJobQuerySet(models.QuerySet["UploadJob"]):
    """Named queries."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the jobs visible to an operator: of companies that ship only to the operator's countries.

        An upload has no country before it is read.
        """
        if scope_of(user).is_everywhere:
            return self
        return self.filter(company__in=Company.objects.governed_by(user).order_by())

    def unfinished(self) -> Self:
        """Return the jobs that are queued or running."""
        return self.filter(_UNFINISHED)

    def claimable(self, now: datetime) -> Self:
        """Return the jobs that a worker may take, oldest first: queued ones, and those whose worker died."""
        is_free = Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, held_until__lte=now)
        return self.unfinished().filter(is_free).order_by("created_at")


def oldest_waiting_at(connection: BaseDatabaseWrapper, now: datetime) -> datetime | None:
    """Return when the oldest job was uploaded that a worker may take. Queries over `connection`."""
    waiting = UploadJob.objects.claimable(now).values_list("created_at")[:1]
    row = next(iter(waiting.query.get_compiler(connection=connection).results_iter()), None)
    return row[0] if row else None


class UploadJob(StoredUpload):
    """One upload with `Prefer: respond-async`. `shipments.intake.jobs` writes it.

    flight: the form's texts; names of unknown fields are kept without their values.
    token: the attempt that holds the job; only that attempt may end it. held_until: when another one may take over,
    because the holder must have died. attempts: how many were begun. language: of the refusal.
    error: the refusal, with its `http_status`. manifest: what the upload created.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    company = models.ForeignKey(
        Company, on_delete=models.CASCADE, related_name="+", db_index=False, verbose_name=_("company")
    )
    state = models.CharField(_("state"), max_length=10, choices=JobState, default=JobState.QUEUED)
    token = models.UUIDField(null=True)
    held_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    language = models.CharField(max_length=10)
    request_id = models.CharField(_("request id"), max_length=128, blank=True)
    manifest = models.ForeignKey(
        Manifest, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("manifest")
    )
    code = models.CharField(_("error code"), max_length=64, blank=True)
    error = models.JSONField(null=True)
    created_at = models.DateTimeField(_("uploaded at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)

    objects: ClassVar[UploadJobQuerySet] = UploadJobQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("upload job")
        verbose_name_plural = _("upload jobs")
        ordering = ["-created_at"]
        default_permissions = ("view",)
        indexes = [
            # The worker: the oldest unfinished job.
            models.Index(fields=["created_at"], condition=_UNFINISHED, name="upload_job_unfinished"),
            # How many unfinished jobs a company has.
            models.Index(fields=["company"], condition=_UNFINISHED, name="upload_job_of_company"),
            # Pruning.
            models.Index(fields=["finished_at"], name="upload_job_by_end"),
            # The list of operators.
            models.Index(fields=["-created_at"], name="upload_job_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M} UTC"
