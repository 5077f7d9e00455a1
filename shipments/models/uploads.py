"""Manifests on their way in: operators' drafts, uploads that clients do not wait for, keys, and what was refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self, TypeVar
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import gettext_lazy as _

from base.db.moments import in_list
from base.work import HeldWork, is_free
from companies.models import Company
from companies.scope import Viewer, scope_of
from shipments.manifests.flights import read_flight
from shipments.manifests.manifest import FlightFields
from shipments.models.manifests import FileKind, Manifest, ManifestFile


class StoredUpload(models.Model):
    """An upload's files and form, stored before the manifest is created.

    manifest_file, invoice_file: names in the private storage. They are the manifest's own once it is created.
    received: file kind -> original_name, size_bytes and sha256. flight: the upload's flight fields, as text; they were
    checked when it was received.
    """

    company: models.ForeignKey[Company, Company]
    is_json: Any = False  # a column where it may be true

    manifest_file = models.FileField(_("manifest"), max_length=100)
    invoice_file = models.FileField(_("invoice"), max_length=100, blank=True)
    received = models.JSONField(_("received files"), default=dict)
    flight = models.JSONField(_("flight"), default=dict)

    class Meta:
        abstract = True

    def flight_fields(self) -> FlightFields:
        return read_flight(self.flight)[0]

    def files(self) -> Sequence[ManifestFile]:
        """Return the files that will be the manifest's. A JSON manifest itself is not kept."""
        names = {FileKind.INVOICE: str(self.invoice_file.name or "")}
        if not self.is_json:
            names[FileKind.MANIFEST] = str(self.manifest_file.name)
        return [ManifestFile(kind=kind, file=name, **self.received[kind.value]) for kind, name in names.items() if name]


class ManifestDraftQuerySet(models.QuerySet["ManifestDraft"]):
    def unconfirmed(self) -> Self:
        """Return those that became no manifest and were not ended."""
        return self.filter(manifest=None, ended_at=None)

    def waiting(self) -> Self:
        """Return the clients' workbooks that were refused and wait for an answer."""
        return self.unconfirmed().filter(operator=None)

    def visible_to(self, user: Viewer) -> Self:
        """Return the user's own drafts, for companies that are still the user's: a draft is personal data.

        One of a layout, such as a workbook that was refused and waited, is for the operators of the layout's country.
        """
        own, countries = self.filter(operator_id=user.pk), scope_of(user).countries
        of_layout = ~Q(layout=None) if countries is None else Q(layout__country__in=countries)
        return own.filter(Q(company__in=Company.objects.managed_by(user).order_by()) | of_layout)


class ManifestDraft(StoredUpload):
    """One upload. It waits for the operator's confirmation, and `sweep_files` deletes it after a day.

    operator: null for a workbook of the client's own that was refused and waits for an answer about its layout, which
    any operator of the layout's country may give; `refusal` is the code. manifest: what the confirmation created; a
    repeated click leads there. ended_at: when it was emptied, because it named a person whose data was erased.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("operator")
    )
    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="+", verbose_name=_("company"))
    layout = models.ForeignKey(
        "shipments.Layout", on_delete=models.CASCADE, null=True, related_name="drafts", verbose_name=_("layout")
    )
    refusal = models.CharField(_("error code"), max_length=64, blank=True)
    is_json = models.BooleanField("JSON", default=False)
    manifest = models.ForeignKey(
        Manifest, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("manifest")
    )
    created_at = models.DateTimeField(_("uploaded at"), auto_now_add=True)
    ended_at = models.DateTimeField(null=True, editable=False)

    objects: ClassVar[ManifestDraftQuerySet] = ManifestDraftQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("draft of a manifest")
        verbose_name_plural = _("drafts of manifests")
        default_permissions = ()  # entering a manifest requires the change permission on manifests

    def __str__(self) -> str:
        return f"{self.company_id} {self.created_at:%Y-%m-%d %H:%M}Z"


KEPT_FOR = timedelta(days=7)
"""How long a job is kept after its end."""


class JobState(models.TextChoices):
    """The values of `status` in the API."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("being read")
    SUCCEEDED = "succeeded", _("accepted")
    FAILED = "failed", _("refused")


_UNFINISHED = Q(finished_at=None)


_Row = TypeVar("_Row", bound=models.Model)


class OfCompanyQuerySet(models.QuerySet[_Row]):
    """What a company sent, and has no country before it is read."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the rows visible to an operator: of companies that ship only to the operator's countries."""
        if scope_of(user).is_everywhere:
            return self
        return self.filter(company__in=Company.objects.managed_by(user).order_by())


class UploadJobQuerySet(OfCompanyQuerySet["UploadJob"]):
    def unfinished(self) -> Self:
        return self.filter(_UNFINISHED)

    def claimable(self, now: datetime) -> Self:
        """Return the jobs that a worker may take, oldest first: queued ones, and those whose worker died."""
        return self.unfinished().filter(is_free(now)).order_by("created_at")

    def in_turn(self) -> Self:
        """Return the jobs so that the company comes first whose last job began longest ago; its oldest job first.

        Many uploads of one company then delay those of another by one.
        """
        company = Company.objects.filter(pk=OuterRef("company")).order_by().values("last_job_began_at")
        return self.order_by(Subquery(company).asc(nulls_first=True), "created_at")


def oldest_waiting_at(connection: BaseDatabaseWrapper, now: datetime) -> datetime | None:
    """Return when the oldest job was uploaded that a worker may take. Queries over `connection`."""
    waiting = UploadJob.objects.claimable(now).values_list("created_at")[:1]
    row = next(iter(waiting.query.get_compiler(connection=connection).results_iter()), None)
    return row[0] if row else None


class UploadJob(StoredUpload, HeldWork):
    """One upload with `Prefer: respond-async`. `shipments.intake.jobs` writes it.

    flight: the form's texts; names of unknown fields are kept without their values.
    language: of the refusal. error: the refusal, with its `http_status`. manifest: what the upload created.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    company = models.ForeignKey(
        Company, on_delete=models.CASCADE, related_name="+", db_index=False, verbose_name=_("company")
    )
    state = models.CharField(_("state"), max_length=10, choices=JobState, default=JobState.QUEUED)
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
        return in_list(self.created_at)  # as the page says its time

    def columns_of_attempt(self, now: datetime) -> dict[str, Any]:
        return {"state": JobState.RUNNING, "started_at": self.started_at or now}


class IdempotencyKeyQuerySet(models.QuerySet["IdempotencyKey"]):
    def free_of(self, manifest: Manifest, now: datetime) -> None:
        """Let go of the keys of a manifest that is being voided, whoever sent them; it is locked."""
        until = now + HELD_AFTER_VOID
        freed = {"manifest": None, "job": None, "fingerprint": "", "held_until": until, "expires_at": until}
        # One by one: with OR, PostgreSQL would read all keys.
        for sent in (Q(manifest=manifest), Q(job__in=UploadJob.objects.filter(manifest=manifest))):
            self.filter(sent).update(token=uuid4(), **freed)


HELD_AFTER_VOID = timedelta(seconds=60)
"""How long a void holds the keys of its manifest. A retry that was under way must not bring it back."""


class IdempotencyKey(models.Model):
    """A key that a company sent, and its result. Not in the admin, because the client's responses say it all.

    company: the credential's company; a courier's keys are its own, not its clients'.
    fingerprint: SHA-256 of what the request sent, in hex. A key is valid for one request only. Empty: the manifest was
    voided, and from `expires_at` on the key may be used for anything.
    token: the attempt that holds the key. Only that attempt may finish or free it.
    held_until: when another attempt may take over, because the holder must have died.
    manifest, job: what the request created, one of the two; both null while an attempt is running.
    expires_at: from then on the key counts as unused. The worker deletes the row.
    """

    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    token = models.UUIDField()
    held_until = models.DateTimeField()
    manifest = models.ForeignKey(Manifest, on_delete=models.CASCADE, related_name="+", null=True, db_index=False)
    job = models.ForeignKey(UploadJob, on_delete=models.CASCADE, related_name="+", null=True, db_index=False)
    expires_at = models.DateTimeField()

    objects: ClassVar[IdempotencyKeyQuerySet] = IdempotencyKeyQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        default_permissions = ()
        constraints = [
            # Decides which of several identical requests runs, and serves the lookup.
            models.UniqueConstraint(fields=["company", "key"], name="idempotency_key_once_per_company"),
        ]
        indexes = [
            # Pruning: expired keys.
            models.Index(fields=["expires_at"], name="idempotency_key_by_expiry"),
            # The key of a job, which is freed when the job fails, and those of a manifest that is voided.
            models.Index(fields=["job"], condition=models.Q(job__isnull=False), name="idempotency_key_of_job"),
            models.Index(
                fields=["manifest"], condition=models.Q(manifest__isnull=False), name="idempotency_key_of_manifest"
            ),
        ]

    def __str__(self) -> str:
        return self.key


KEPT_DAYS = timedelta(days=30)
MOST_A_DAY = 1_000
"""The most refusals of one company within 24 hours that are kept."""

SUBMISSIONS = ("POST upload", "POST process-pre-alert-json")
"""The endpoints that take manifests, as `endpoint` names them."""


class RefusedRequest(models.Model):
    """One refusal of a request that writes something, by a company whose password was valid."""

    company = models.ForeignKey(
        Company, on_delete=models.CASCADE, related_name="refused_requests", verbose_name=_("company")
    )
    created_at = models.DateTimeField(_("time"), auto_now_add=True)
    endpoint = models.CharField(_("endpoint"), max_length=100)
    status = models.PositiveSmallIntegerField(_("HTTP status"))
    code = models.CharField(_("error code"), max_length=64)
    findings = models.JSONField(_("findings"), default=dict)  # code of a row's finding, or field -> count
    # Texts of a workbook's headings, cut.
    headings = models.JSONField(_("headings not understood"), default=list)
    # Of the answer: `manifest_id`, and the headings that it calls `missing` and `repeated`.
    about = models.JSONField(default=dict)
    mawb = models.CharField("MAWB", max_length=12, blank=True)
    request_id = models.CharField(_("request id"), max_length=128, blank=True)
    file_extension = models.CharField(_("file type"), max_length=10, blank=True)
    file_sha256 = models.CharField("SHA-256", max_length=64, blank=True)

    objects: ClassVar[OfCompanyQuerySet[RefusedRequest]] = OfCompanyQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("refused request")
        verbose_name_plural = _("refused requests")
        ordering = ["-id"]
        indexes = [
            # How many a company has of the last day, and those of a company in the list.
            models.Index(fields=["company", "-created_at"], name="refused_of_company"),
            # What is old enough to be deleted.
            models.Index(fields=["created_at"], name="refused_by_age"),
        ]

    def __str__(self) -> str:
        return in_list(self.created_at)  # as the page says its time
