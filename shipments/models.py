"""Manifests, guides, events. The database knows the law and says its name: every constraint is named."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone
from typing import ClassVar, Self

from django.db import models
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from companies.models import Company, Country
from companies.scope import Viewer, scope_of
from shipments.labels import SOURCE_CHOICES, STATUS_CHOICES
from shipments.statuses import GuideStatus

LIST_WINDOW = 50
"""How many MAWBs the list answers with: the contract's fixed window."""


class Channel(models.TextChoices):
    """How a manifest reached us."""

    UPLOAD = "upload", _("Workbook upload")
    JSON = "json", _("JSON endpoint")


class FlightQuerySet(models.QuerySet["Flight"]):
    """Reads by name."""

    def visible_to(self, user: Viewer) -> Self:
        """What an operator sees: the flights of manifests that the operator sees."""
        countries = scope_of(user).countries
        if countries is None:
            return self
        return self.filter(Exists(Manifest.objects.filter(flight=OuterRef("pk"), country__in=countries).order_by()))


class Flight(models.Model):
    """An aircraft's journey as a company describes it; shared by its manifests when number and departure agree."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="flights", verbose_name=_("company"))
    flight_number = models.CharField(_("flight number"), max_length=8, blank=True)
    origin_airport = models.CharField(_("origin airport"), max_length=3, blank=True)
    origin_country = models.CharField(_("origin country"), max_length=2, blank=True)
    destination_airport = models.CharField(_("destination airport"), max_length=3, blank=True)
    scheduled_departure = models.DateTimeField(_("scheduled departure"), null=True, blank=True)
    scheduled_arrival = models.DateTimeField(_("scheduled arrival"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    objects: ClassVar[FlightQuerySet] = FlightQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("flight")
        verbose_name_plural = _("flights")
        ordering = ["-created_at"]
        constraints = [
            # Also serves ingest's question whether the flight is known.
            models.UniqueConstraint(
                fields=["company", "flight_number", "scheduled_departure"],
                condition=~models.Q(flight_number="") & models.Q(scheduled_departure__isnull=False),
                name="flight_once_per_company",
            ),
        ]

    def __str__(self) -> str:
        return self.flight_number or str(_("Flight without a number"))


_ANSWERED = (
    "mawb", "eta", "eta_offset_minutes", "total_guides", "total_weight_kg", "total_pieces", "total_fob_usd",
    "guides_by_status", "created_at",
)  # fmt: skip


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
        """With the columns that the API's list and detail show, and no other."""
        return self.only(*_ANSWERED)

    def without_findings(self) -> Self:
        """Without warnings and notices: up to a thousand of each, which few readers show."""
        return self.defer("warnings", "notices")


class Manifest(models.Model):
    """One pre-alert: a MAWB and what it carries. Totals are kept by the two writers, `ingest` and `advance`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="manifests", verbose_name=_("company"))
    posted_by = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="posted_manifests", verbose_name=_("posted by")
    )
    channel = models.CharField(_("channel"), max_length=6, choices=Channel.choices)
    mawb = models.CharField("MAWB", max_length=12)
    country = models.CharField(_("country"), max_length=2, choices=Country.choices)
    transport_mode = models.CharField(_("transport mode"), max_length=6)
    flight = models.ForeignKey(Flight, on_delete=models.PROTECT, related_name="manifests", verbose_name=_("flight"))
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


class GuideQuerySet(models.QuerySet["Guide"]):
    """Reads by name; scoping to a company is spelled here and nowhere else."""

    def of(self, company: Company) -> Self:
        """The guides of what `company` owns and sees."""
        return self.filter(manifest__company=company, manifest__voided_at=None)

    def with_manifest(self) -> Self:
        """With their manifests, but for the findings."""
        return self.select_related("manifest").defer("manifest__warnings", "manifest__notices")

    def visible_to(self, user: Viewer) -> Self:
        """What an operator sees: the guides of manifests for the operator's countries."""
        countries = scope_of(user).countries
        return self if countries is None else self.filter(manifest__country__in=countries)


class Guide(models.Model):
    """A house air waybill on its way to the consignee. Its status is written by `ingest` and `tracking` alone."""

    manifest = models.ForeignKey(Manifest, on_delete=models.CASCADE, related_name="guides", verbose_name=_("manifest"))
    hawb = models.CharField("HAWB", max_length=64)
    tracking_code = models.CharField(_("tracking code"), max_length=16)
    status = models.CharField(
        _("status"),
        max_length=32,
        choices=STATUS_CHOICES,
        default=GuideStatus.REGISTERED.value,
    )
    consignee_name = models.CharField(_("consignee"), max_length=255, blank=True)
    consignee_document_type = models.CharField(_("document type"), max_length=16, blank=True)
    consignee_document = models.CharField(_("document"), max_length=32, blank=True)
    consignee_address = models.CharField(_("address"), max_length=512, blank=True)
    consignee_city = models.CharField(_("city"), max_length=128, blank=True)
    consignee_region = models.CharField(_("region"), max_length=128, blank=True)
    consignee_postal_code = models.CharField(_("postal code"), max_length=32, blank=True)
    consignee_phone = models.CharField(_("phone"), max_length=64, blank=True)
    consignee_email = models.CharField(_("e-mail"), max_length=254, blank=True)
    shipper_name = models.CharField(_("shipper"), max_length=255, blank=True)
    weight_kg = models.DecimalField(_("weight (kg)"), max_digits=12, decimal_places=3, null=True, blank=True)
    packages_count = models.PositiveIntegerField(_("packages"), default=1)
    description_original = models.CharField(_("description"), max_length=2000, blank=True)
    product_value = models.DecimalField(_("product value"), max_digits=14, decimal_places=2, null=True, blank=True)
    fob_usd = models.DecimalField(_("FOB (US$)"), max_digits=14, decimal_places=2, null=True, blank=True)
    hs_code = models.CharField(_("HS code"), max_length=255, blank=True)
    category = models.PositiveSmallIntegerField(_("express category"), null=True, blank=True)
    platform_name = models.CharField(_("platform"), max_length=64, null=True, blank=True)  # noqa: DJ001  # the contract tells null from ""
    products = models.JSONField(_("products"), default=list, blank=True)
    extra_data = models.JSONField(_("extra data"), default=dict, blank=True)
    needs_review = models.BooleanField(_("needs review"), default=False)
    review_reasons = models.JSONField(_("review reasons"), default=list, blank=True)
    reviewed_at = models.DateTimeField(_("reviewed at"), null=True, blank=True)
    reviewed_by = models.CharField(_("reviewed by"), max_length=150, blank=True, default="", db_default="")
    retention_required = models.BooleanField(_("under retention"), default=False)
    retention_reason = models.CharField(_("retention reason"), max_length=255, blank=True)
    retention_lifted_at = models.DateTimeField(_("retention lifted at"), null=True, blank=True)
    retention_lifted_by = models.CharField(
        _("retention lifted by"), max_length=150, blank=True, default="", db_default=""
    )
    retention_lifted_reason = models.CharField(
        _("reason for lifting"), max_length=255, blank=True, default="", db_default=""
    )
    anonymised_at = models.DateTimeField(_("anonymised at"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    objects: ClassVar[GuideQuerySet] = GuideQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("guide")
        verbose_name_plural = _("guides")
        ordering = ["id"]
        constraints = [
            # Also serves GET mawbs/:mawb, which lists a manifest's guides.
            models.UniqueConstraint(fields=["manifest", "hawb"], name="guide_hawb_once_per_manifest"),
            # Serves GET guides/:tracking_code.
            models.UniqueConstraint(fields=["tracking_code"], name="guide_tracking_code_once"),
        ]
        indexes = [
            # The operators' work lists: few rows of many.
            models.Index(fields=["-id"], name="guide_needs_review", condition=models.Q(needs_review=True)),
            models.Index(fields=["-id"], name="guide_under_retention", condition=models.Q(retention_required=True)),
            models.Index(fields=["status", "-id"], name="guide_by_status"),
            # The operators' searches by a beginning; that of a consignee's name has its index from a migration alone,
            # because only PostgreSQL knows its kind.
            models.Index(fields=["hawb"], opclasses=["varchar_pattern_ops"], name="guide_by_hawb"),
            models.Index(fields=["consignee_document"], opclasses=["varchar_pattern_ops"], name="guide_by_document"),
        ]

    def __str__(self) -> str:
        return self.tracking_code


class GuideEvent(models.Model):
    """One fact about a guide. The same row serves the timeline, the history and the statistics; none is ever edited."""

    guide = models.ForeignKey(Guide, on_delete=models.CASCADE, related_name="events", verbose_name=_("guide"))
    status = models.CharField(_("status"), max_length=32, choices=STATUS_CHOICES)
    occurred_at = models.DateTimeField(_("happened at"))
    recorded_at = models.DateTimeField(_("recorded at"))
    source = models.CharField(_("source"), max_length=16, choices=SOURCE_CHOICES)
    reason = models.CharField(_("reason"), max_length=255, blank=True)
    actor = models.CharField(_("recorded by"), max_length=150, blank=True)

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["occurred_at", "id"]
        indexes = [
            # A guide's timeline, in order.
            models.Index(fields=["guide", "occurred_at", "id"], name="guide_event_timeline"),
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.occurred_at:%Y-%m-%d %H:%M}Z"
