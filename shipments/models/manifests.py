"""Manifests, the files that brought them, and the flights that carry them."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from typing import ClassVar, NamedTuple, Self, TypeVar

from django.apps import apps
from django.conf import settings
from django.db import IntegrityError, models
from django.db.models import Exists, OuterRef, Subquery, UniqueConstraint, Value
from django.db.models.functions import Coalesce
from django.utils.timezone import localdate
from django.utils.translation import gettext_lazy as _

from base.db.moments import iso_text
from companies.country_names import country_choices
from companies.models import Company
from companies.scope import Viewer, scope_of
from shipments.statuses import GuideStatus

LIST_WINDOW = 50
"""How many rows a page of a list has unless `limit` says otherwise: the window of the contract."""


class Channel(models.TextChoices):
    """How a manifest was received."""

    UPLOAD = "upload", _("Workbook upload")
    JSON = "json", _("JSON endpoint")
    ADMIN = "admin", _("Entered by an operator")


class ListedManifest(NamedTuple):
    """The columns of a manifest that the API's list shows. Instances of the model took a quarter of a list's time."""

    id: uuid.UUID
    mawb: str
    eta: datetime | None
    eta_offset_minutes: int | None
    total_guides: int
    total_weight_kg: Decimal
    total_pieces: int
    total_fob_usd: Decimal
    guides_by_status: dict[str, int]
    version: int
    changed_at: datetime | None
    created_at: datetime

    @property
    def updated_at(self) -> datetime:
        """When what a GET shows of the manifest last changed: never, unless `changed_at` says so."""
        return self.changed_at or self.created_at

    @property
    def eta_text(self) -> str | None:
        return _as_sent(self.eta, self.eta_offset_minutes)


_COUNTED = ("warnings_count", "notices_count", "rut_invalid_count")
FINDINGS = ("warnings", "notices", "columns", "kept_columns", "questions", "row_account")
"""The reader's findings and column mapping: up to a thousand entries each, which few pages show."""
FINDINGS_OF_MANIFEST = tuple(f"manifest__{name}" for name in FINDINGS)
"""The same columns, seen from rows that belong to a manifest."""


_UPDATED_AT = Coalesce("changed_at", "created_at")


_Row = TypeVar("_Row", bound=models.Model)


class OfCountryQuerySet(models.QuerySet[_Row]):
    """Rows of one country each. country: the lookup of it."""

    country = "country"

    def visible_to(self, user: Viewer) -> Self:
        countries = scope_of(user).countries
        return self if countries is None else self.filter(**{f"{self.country}__in": countries})


class ManifestQuerySet(OfCountryQuerySet["Manifest"]):
    """Scoping manifests to a company is defined only here."""

    def of(self, company: Company) -> Self:
        """Return the manifests that `company` owns and may see. Only operators see voided ones."""
        return self.filter(company=company, voided_at=None)

    def as_answered_with_counts(self) -> Self:
        """Load only the columns that the API's detail shows."""
        return self.only(*ListedManifest._fields, *_COUNTED)

    def updated_since(self, moment: datetime) -> Self:
        """Return those received or changed at `moment` or later, an aware datetime."""
        return self.alias(last_change=_UPDATED_AT).filter(last_change__gte=moment)

    def without_findings(self) -> Self:
        """Leave out the reader's findings and column mapping: up to a thousand entries each, which few views show."""
        return self.defer(*FINDINGS)


class Manifest(models.Model):
    """One pre-alert: a MAWB and its guides. `ingest` and `advance` keep its totals up to date."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="manifests", verbose_name=_("company"))
    posted_by = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="posted_manifests", verbose_name=_("posted by")
    )
    channel = models.CharField(_("channel"), max_length=6, choices=Channel.choices)
    # The operator who uploaded it for the client. Without an index: only deleting an operator asks for it.
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        db_index=False,
        related_name="+",
        verbose_name=_("entered by"),
    )
    mawb = models.CharField("MAWB", max_length=12)
    country = models.CharField(_("country"), max_length=2, choices=country_choices)
    transport_mode = models.CharField(_("transport mode"), max_length=6)
    flight = models.ForeignKey(
        "shipments.Flight", on_delete=models.PROTECT, related_name="manifests", verbose_name=_("flight")
    )
    eta = models.DateTimeField("ETA", null=True, blank=True)
    eta_offset_minutes = models.SmallIntegerField(null=True, editable=False)
    arrival_day = models.DateField(
        _("day of arrival"),
        default=localdate,
        editable=False,
        help_text=_(
            "At the destination, as announced at receipt; without an ETA, the day of receipt. Guides are judged by the "
            "rules in force on it, also when they are corrected."
        ),
    )
    total_guides = models.PositiveIntegerField(_("guides"), default=0)
    total_weight_kg = models.DecimalField(_("weight (kg)"), max_digits=17, decimal_places=3, default=0)
    total_pieces = models.PositiveBigIntegerField(_("pieces"), default=0)
    total_fob_usd = models.DecimalField(_("FOB (US$)"), max_digits=19, decimal_places=2, default=0)
    guides_by_status = models.JSONField(_("guides by status"), default=dict)
    # What `mawb_status` returns for the counts, for filters.
    status = models.CharField(
        _("status"),
        max_length=32,
        default=GuideStatus.REGISTERED.value,
        db_default=GuideStatus.REGISTERED.value,
        editable=False,
    )
    # Raised by everything that changes what a GET shows of the manifest or its guides, under the lock on this row.
    version = models.BigIntegerField(_("version"), default=1, db_default=1, editable=False)
    changed_at = models.DateTimeField(_("changed at"), null=True, editable=False)
    rut_invalid_count = models.PositiveIntegerField(_("invalid RUTs"), default=0)
    warnings = models.JSONField(_("warnings"), default=list, blank=True)
    notices = models.JSONField(_("notices"), default=list, blank=True)
    # The number of all findings, reported or not.
    warnings_count = models.PositiveIntegerField(_("warnings"), default=0, db_default=0, editable=False)
    notices_count = models.PositiveIntegerField(_("notices"), default=0, db_default=0, editable=False)
    # How the workbook was read. Null: a JSON manifest.
    columns = models.JSONField(_("columns"), null=True, editable=False)
    kept_columns = models.JSONField(_("columns kept as extra data"), default=list, editable=False)
    questions = models.JSONField(_("questions"), default=list, editable=False)
    row_account = models.JSONField(_("rows"), null=True, editable=False)
    # Of the workbook. Null: a JSON manifest, or the layout is gone.
    layout = models.ForeignKey(
        "shipments.Layout", on_delete=models.SET_NULL, null=True, related_name="manifests", verbose_name=_("layout")
    )
    voided_at = models.DateTimeField(_("voided at"), null=True, blank=True)
    voided_by = models.CharField(_("voided by"), max_length=150, blank=True, default="", db_default="")
    void_reason = models.CharField(_("reason for voiding"), max_length=255, blank=True, default="", db_default="")
    # By voiding it; guides that were cancelled before do not count.
    guides_cancelled = models.PositiveIntegerField(_("guides cancelled"), default=0, db_default=0, editable=False)
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
            # Resolves races of uploads of one MAWB, and serves GET mawbs/:mawb. Voided manifests are not unique.
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
            # GET mawbs?status=, and ?updated_since=.
            models.Index(
                fields=["company", "status", "-created_at", "-id"],
                condition=models.Q(voided_at=None),
                name="manifest_by_status",
            ),
            models.Index("company", _UPDATED_AT, condition=models.Q(voided_at=None), name="manifest_by_change"),
            # The operators' feed, GET mawbs?updated_since=, over all companies and with voided ones.
            models.Index(_UPDATED_AT, name="manifest_by_change_of_all"),
            # For operators and event files, which look up manifests by MAWB in all companies.
            # Its operator class also serves beginnings of a MAWB.
            models.Index(fields=["mawb"], opclasses=["varchar_pattern_ops"], name="manifest_by_mawb_start"),
            # The list of guides by MAWB: the index above is not in the order of ORDER BY.
            models.Index(fields=["mawb"], name="manifest_in_order_of_mawb"),
            # The start page: arrivals of today and tomorrow, and recent uploads.
            models.Index(fields=["eta"], name="manifest_by_eta", condition=models.Q(voided_at=None)),
            models.Index(fields=["-created_at", "-id"], name="manifest_newest"),
            # Carriers' events that wait because two guides have their reference: one may have been voided since.
            models.Index(fields=["voided_at"], name="manifest_by_voiding", condition=models.Q(voided_at__isnull=False)),
            # The daily `anonymise`: the oldest manifest with personal data.
            models.Index(
                fields=["created_at", "id"], name="manifest_to_anonymise", condition=models.Q(anonymised_at=None)
            ),
        ]

    def __str__(self) -> str:
        return self.mawb

    @property
    def updated_at(self) -> datetime:
        """When what a GET shows of the manifest last changed: never, unless `changed_at` says so."""
        return self.changed_at or self.created_at

    @property
    def eta_text(self) -> str | None:
        """The estimated arrival for clients: ISO 8601 in its original offset, Z for UTC."""
        return _as_sent(self.eta, self.eta_offset_minutes)


def _as_sent(eta: datetime | None, offset_minutes: int | None) -> str | None:
    if eta is None:
        return None
    return iso_text(eta.astimezone(timezone(timedelta(minutes=offset_minutes or 0))))


class FileKind(models.TextChoices):
    """The two kinds of files of a manifest."""

    MANIFEST = "manifest", _("Manifest")
    INVOICE = "invoice", _("Invoice")


class ManifestFile(models.Model):
    """A file as it was received, stored privately under a random name, with its digest."""

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
            # `sweep_files` looks up stored names.
            models.UniqueConstraint(fields=["file"], name="manifest_file_name_once"),
        ]
        indexes = [
            # `anonymise` looks up the oldest files.
            models.Index(fields=["created_at"], name="manifest_file_by_age"),
        ]

    def __str__(self) -> str:
        return self.original_name or self.file.name or ""


class FlightQuerySet(models.QuerySet["Flight"]):
    def visible_to(self, user: Viewer) -> Self:
        countries = scope_of(user).countries
        if countries is None:
            return self
        return self.filter(Exists(Manifest.objects.filter(flight=OuterRef("pk"), country__in=countries).order_by()))

    def with_country(self, user: Viewer) -> Self:
        """Annotate with `country`, the destination of the first manifest visible to an operator; empty without one."""
        manifests = Manifest.objects.visible_to(user).filter(flight=OuterRef("pk")).order_by("created_at")
        return self.annotate(country=Coalesce(Subquery(manifests.values("country")[:1]), Value("")))


class Flight(models.Model):
    """A flight as a company describes it. The company's manifests with the same number and departure share it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="flights", verbose_name=_("company"))
    flight_number = models.CharField(_("flight number"), max_length=8, blank=True)
    origin_airport = models.CharField(_("origin airport"), max_length=3, blank=True)
    origin_country = models.CharField(_("origin country"), max_length=2, blank=True)
    destination_airport = models.CharField(_("destination airport"), max_length=3, blank=True)
    scheduled_departure = models.DateTimeField(_("scheduled departure"), null=True, blank=True)
    scheduled_arrival = models.DateTimeField(_("scheduled arrival"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    country: str
    """The destination, where `with_country` was asked for it."""

    objects: ClassVar[FlightQuerySet] = FlightQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("flight")
        verbose_name_plural = _("flights")
        ordering = ["-created_at"]
        constraints = [
            # Also serves the lookup of an existing flight by `ingest`.
            models.UniqueConstraint(
                fields=["company", "flight_number", "scheduled_departure"],
                condition=~models.Q(flight_number="") & models.Q(scheduled_departure__isnull=False),
                name="flight_once_per_company",
            ),
        ]

    def __str__(self) -> str:
        return self.flight_number or str(_("Flight without a number"))


def violates(exc: IntegrityError, name: str) -> bool:
    """Return whether `exc` was raised by the unique constraint `name` of this app.

    PostgreSQL reports the constraint's name, SQLite only its columns.
    """
    diagnosis = getattr(exc.__cause__, "diag", None)
    if diagnosis is not None:
        return bool(diagnosis.constraint_name == name)
    return str(exc) == f"UNIQUE constraint failed: {_columns(name)}"


@cache
def _columns(name: str) -> str:
    model, constraint = next(
        (model, each)
        for model in apps.get_app_config("shipments").get_models()
        for each in model._meta.constraints
        if isinstance(each, UniqueConstraint) and each.name == name
    )
    columns = {field.name: field.column for field in model._meta.concrete_fields}
    return ", ".join(f"{model._meta.db_table}.{columns[field]}" for field in constraint.fields)
