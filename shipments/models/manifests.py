"""Manifests and the files that brought them."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone
from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.country_names import country_choices
from companies.models import Company
from companies.operators.scope import Viewer, scope_of

LIST_WINDOW = 50
"""How many MAWBs the list answers with: the contract's fixed window."""


class Channel(models.TextChoices):
    """How a manifest reached us."""

    UPLOAD = "upload", _("Workbook upload")
    JSON = "json", _("JSON endpoint")


_ANSWERED = (
    "mawb", "eta", "eta_offset_minutes", "total_guides", "total_weight_kg", "total_pieces", "total_fob_usd",
    "guides_by_status", "created_at",
)  # fmt: skip
_COUNTED = ("warnings_count", "notices_count", "rut_invalid_count")
FINDINGS = ("warnings", "notices", "columns", "row_account")
"""What the reader noticed and understood: up to a thousand entries each, which few pages show."""
FINDINGS_OF_MANIFEST = tuple(f"manifest__{name}" for name in FINDINGS)
"""The same from what belongs to a manifest."""


class ManifestQuerySet(models.QuerySet["Manifest"]):
    """Reads by name; scoping to a company is spelled here and nowhere else."""

    def of(self, company: Company) -> Self:
        """What `company` owns and sees. A voided manifest is seen by operators alone."""
        return self.filter(company=company, voided_at=None)

    def visible_to(self, user: Viewer) -> Self:
        """What an operator sees: the manifests for the operator's countries."""
        countries = scope_of(user).countries
        return self if countries is None else self.filter(country__in=countries)

    def newest(self) -> Self:
        """Most recent first."""
        return self.as_answered().order_by("-created_at", "-id")

    def as_answered(self) -> Self:
        """With the columns that the API's list shows, and no other."""
        return self.only(*_ANSWERED)

    def as_answered_with_counts(self) -> Self:
        """With the columns that the API's detail shows, and no other."""
        return self.only(*_ANSWERED, *_COUNTED)

    def without_findings(self) -> Self:
        """Without what the reader noticed and understood: up to a thousand entries of each, which few readers show."""
        return self.defer(*FINDINGS)


class Manifest(models.Model):
    """One pre-alert: a MAWB and what it carries. Totals are kept by the two writers, `ingest` and `advance`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="manifests", verbose_name=_("company"))
    posted_by = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="posted_manifests", verbose_name=_("posted by")
    )
    channel = models.CharField(_("channel"), max_length=6, choices=Channel.choices)
    mawb = models.CharField("MAWB", max_length=12)
    country = models.CharField(_("country"), max_length=2, choices=country_choices)
    transport_mode = models.CharField(_("transport mode"), max_length=6)
    flight = models.ForeignKey(
        "shipments.Flight", on_delete=models.PROTECT, related_name="manifests", verbose_name=_("flight")
    )
    eta = models.DateTimeField("ETA", null=True, blank=True)
    eta_offset_minutes = models.SmallIntegerField(null=True, editable=False)
    total_guides = models.PositiveIntegerField(_("guides"), default=0)
    total_weight_kg = models.DecimalField(_("weight (kg)"), max_digits=17, decimal_places=3, default=0)
    total_pieces = models.PositiveBigIntegerField(_("pieces"), default=0)
    total_fob_usd = models.DecimalField(_("FOB (US$)"), max_digits=19, decimal_places=2, default=0)
    guides_by_status = models.JSONField(_("guides by status"), default=dict)
    rut_invalid_count = models.PositiveIntegerField(_("invalid RUTs"), default=0)
    warnings = models.JSONField(_("warnings"), default=list, blank=True)
    notices = models.JSONField(_("notices"), default=list, blank=True)
    # What was found in all, reported or not. Null: the version before wrote the manifest.
    warnings_count = models.PositiveIntegerField(_("warnings"), null=True, editable=False)
    notices_count = models.PositiveIntegerField(_("notices"), null=True, editable=False)
    # How a workbook was understood. Null: the manifest came as JSON, or before this was kept.
    columns = models.JSONField(_("columns"), null=True, editable=False)
    row_account = models.JSONField(_("rows"), null=True, editable=False)
    voided_at = models.DateTimeField(_("voided at"), null=True, blank=True)
    voided_by = models.CharField(_("voided by"), max_length=150, blank=True, default="", db_default="")
    void_reason = models.CharField(_("reason for voiding"), max_length=255, blank=True, default="", db_default="")
    files_erased_at = models.DateTimeField(_("files erased at"), null=True, blank=True)
    anonymised_at = models.DateTimeField(_("anonymised at"), null=True, blank=True)
    anonymised_fob_usd = models.DecimalField(
        _("FOB of anonymised guides (US$)"), max_digits=19, decimal_places=2, default=0, db_default=0
    )
    created_at = models.DateTimeField(_("received at"), auto_now_add=True)

    objects: ClassVar[ManifestQuerySet] = ManifestQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("manifest")
        verbose_name_plural = _("manifests")
        ordering = ["-created_at", "-id"]
        constraints = [
            # Decides the race of two uploads of one MAWB, and serves GET mawbs/:mawb. A voided one makes room.
            models.UniqueConstraint(
                fields=["company", "mawb"], condition=models.Q(voided_at=None), name="manifest_once_per_company"
            ),
        ]
        indexes = [
            # GET mawbs: the newest 50 of a company.
            models.Index(
                fields=["company", "-created_at", "-id"],
                condition=models.Q(voided_at=None),
                name="manifest_newest_of_company",
            ),
            # Operators, and files of events, know a manifest by its MAWB, whoever sent it.
            models.Index(fields=["mawb"], name="manifest_by_mawb"),
            # The start page: what arrives today and tomorrow, what came in the last hours.
            models.Index(fields=["eta"], name="manifest_by_eta", condition=models.Q(voided_at=None)),
            models.Index(fields=["-created_at", "-id"], name="manifest_newest"),
            # `anonymise`, day after day: the oldest that still holds people's data.
            models.Index(
                fields=["created_at", "id"], name="manifest_to_anonymise", condition=models.Q(anonymised_at=None)
            ),
        ]

    def __str__(self) -> str:
        return self.mawb

    @property
    def findings_counts(self) -> tuple[int, int]:
        """How many warnings and how many notices there are in all."""
        warnings, notices = self.warnings_count, self.notices_count
        return (
            len(self.warnings) if warnings is None else warnings,
            len(self.notices) if notices is None else notices,
        )

    @property
    def eta_as_sent(self) -> datetime | None:
        """The estimated arrival in the offset it came in."""
        if self.eta is None:
            return None
        return self.eta.astimezone(timezone(timedelta(minutes=self.eta_offset_minutes or 0)))

    @property
    def eta_text(self) -> str | None:
        """The estimated arrival as clients read it: ISO 8601 in the offset it came in, Z for UTC."""
        eta = self.eta_as_sent
        return None if eta is None else eta.isoformat().replace("+00:00", "Z")


class FileKind(models.TextChoices):
    """The two files a manifest may bring."""

    MANIFEST = "manifest", _("Manifest")
    INVOICE = "invoice", _("Invoice")


class ManifestFile(models.Model):
    """A file as it was received: private, under a name that tells nothing, with its digest."""

    manifest = models.ForeignKey(Manifest, on_delete=models.CASCADE, related_name="files", verbose_name=_("manifest"))
    kind = models.CharField(_("kind"), max_length=8, choices=FileKind.choices)
    file = models.FileField(_("file"), max_length=100)
    original_name = models.CharField(_("original name"), max_length=255, blank=True)
    size_bytes = models.PositiveIntegerField(_("size in bytes"))
    sha256 = models.CharField("SHA-256", max_length=64)
    created_at = models.DateTimeField(_("stored at"), auto_now_add=True)

    class Meta:
        verbose_name = _("file")
        verbose_name_plural = _("files")
        constraints = [
            models.UniqueConstraint(fields=["manifest", "kind"], name="manifest_file_one_of_a_kind"),
            # `sweep_files` asks whether a stored name is known.
            models.UniqueConstraint(fields=["file"], name="manifest_file_name_once"),
        ]
        indexes = [
            # `anonymise` asks for the oldest that are still kept.
            models.Index(fields=["created_at"], name="manifest_file_by_age"),
        ]

    def __str__(self) -> str:
        return self.original_name or self.file.name or ""
