"""Guides: house air waybills on their way to the consignee."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db import models
from django.db.models import F, Func
from django.utils.translation import gettext_lazy as _

from companies.models import Company
from shipments.labels import SOURCE_CHOICES, STATUS_CHOICES
from shipments.manifests.consignee_words import WORDS_LENGTH, is_whole
from shipments.manifests.guide_fields import WORDS_COLUMN
from shipments.manifests.waybills import TRACKING_CODE_LENGTH
from shipments.models.manifests import Manifest, OfCountryQuerySet
from shipments.statuses import FINAL, GuideStatus

LONG_IN_CUSTOMS = timedelta(hours=48)
"""After this, somebody asks customs or the client."""

_ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in "\\%_"})
_QUOTED = str.maketrans({"\\": "\\\\", "'": "''"})
"""For a pattern of LIKE, and for a quoted lexeme of a tsquery."""


class HasWords(Func):
    """Whether `consignee_words` contains every one of the words.

    PostgreSQL uses the index `guide_by_consignee_words`, which needs no extension. Other databases compare text.
    """

    output_field = models.BooleanField()

    def __init__(self, words: Sequence[str], **extra: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(F(WORDS_COLUMN), **extra)
        self.words = tuple(words)

    def as_sql(self, compiler: Any, connection: Any, **_more: Any) -> tuple[str, list[str]]:  # type: ignore[override]  # noqa: ANN401, ARG002  # as above
        column, parameters = compiler.compile(self.source_expressions[0])
        condition = f"' ' || {column} || ' ' LIKE %s ESCAPE '\\'"
        wanted = [f"% {word.translate(_ESCAPED)}{' %' if is_whole(word) else '%'}" for word in self.words]
        given = [value for each in wanted for value in (*parameters, each)]
        return f"({' AND '.join([condition] * len(wanted))})", given

    def as_postgresql(self, compiler: Any, connection: Any, **_more: Any) -> tuple[str, list[str]]:  # noqa: ANN401, ARG002  # as above
        column, parameters = compiler.compile(self.source_expressions[0])
        query = " & ".join(f"'{word.translate(_QUOTED)}'{'' if is_whole(word) else ':*'}" for word in self.words)
        return f"array_to_tsvector(string_to_array({column}, ' ')) @@ %s::tsquery", [*parameters, query]


class GuideQuerySet(OfCountryQuerySet["Guide"]):
    """Scoping guides to a company is defined only here."""

    country = "manifest__country"

    def of(self, company: Company) -> Self:
        """Return the guides of the manifests that `company` owns and may see."""
        return self.filter(company=company, manifest__voided_at=None)

    def active(self) -> Self:
        """Return the guides that are not in a final status. The guides of voided manifests are cancelled."""
        return self.exclude(status__in=FINAL)

    def to_review(self) -> Self:
        return self.filter(needs_review=True).active()

    def long_in_customs(self, now: datetime) -> Self:
        """Return the guides that have been in customs for more than `LONG_IN_CUSTOMS` without a break."""
        return self.filter(customs_since__lt=now - LONG_IN_CUSTOMS)

    def to_release(self) -> Self:
        return self.filter(retention_required=True).active()


class Guide(models.Model):
    """A house air waybill on its way to the consignee. Only `ingest` and `tracking` write its status."""

    # Without an index of its own: that of its HAWBs begins with it.
    manifest = models.ForeignKey(
        Manifest, on_delete=models.CASCADE, related_name="guides", db_index=False, verbose_name=_("manifest")
    )
    # The manifest's, for the index of changes. The manifest has the constraint: here it would be checked for each row.
    company = models.ForeignKey(
        Company,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        editable=False,
        verbose_name=_("company"),
    )
    hawb = models.CharField("HAWB", max_length=64)
    tracking_code = models.CharField(_("tracking code"), max_length=TRACKING_CODE_LENGTH)
    status = models.CharField(_("status"), max_length=32, choices=STATUS_CHOICES, default=GuideStatus.REGISTERED.value)
    consignee_name = models.CharField(_("consignee"), max_length=255, blank=True)
    consignee_document_type = models.CharField(_("document type"), max_length=16, blank=True)
    consignee_document = models.CharField(_("document"), max_length=32, blank=True)
    consignee_address = models.CharField(_("address"), max_length=512, blank=True)
    consignee_city = models.CharField(_("city"), max_length=128, blank=True)
    consignee_region = models.CharField(_("region"), max_length=128, blank=True)
    consignee_postal_code = models.CharField(_("postal code"), max_length=32, blank=True)
    consignee_phone = models.CharField(_("phone"), max_length=64, blank=True)
    consignee_email = models.CharField(_("e-mail"), max_length=254, blank=True)
    # Derived, for operators' searches. Null: anonymised.
    consignee_words = models.CharField(max_length=WORDS_LENGTH, null=True, editable=False)  # noqa: DJ001  # null: unknown
    shipper_name = models.CharField(_("shipper"), max_length=255, blank=True)
    shipper_address = models.CharField(_("shipper's address"), max_length=512, blank=True)
    shipper_city = models.CharField(_("shipper's city"), max_length=128, blank=True)
    shipper_country = models.CharField(_("shipper's country"), max_length=2, blank=True)
    weight_kg = models.DecimalField(_("weight (kg)"), max_digits=12, decimal_places=3, null=True, blank=True)
    packages_count = models.PositiveIntegerField(_("packages"), default=1)
    bag = models.CharField(_("bag"), max_length=64, blank=True)
    description_original = models.CharField(_("description"), max_length=2000, blank=True)
    product_value = models.DecimalField(_("product value"), max_digits=14, decimal_places=2, null=True, blank=True)
    fob_usd = models.DecimalField(_("FOB (US$)"), max_digits=14, decimal_places=2, null=True, blank=True)
    freight_usd = models.DecimalField(_("freight (US$)"), max_digits=14, decimal_places=2, null=True, blank=True)
    insurance_usd = models.DecimalField(_("insurance (US$)"), max_digits=14, decimal_places=2, null=True, blank=True)
    hs_code = models.CharField(_("HS code"), max_length=255, blank=True)
    goods_country = models.CharField(_("goods made in"), max_length=2, blank=True)
    category = models.PositiveSmallIntegerField(_("express category"), null=True, blank=True)
    platform_name = models.CharField(_("platform"), max_length=64, null=True, blank=True)  # noqa: DJ001  # the contract distinguishes null from ""
    vat_collected = models.BooleanField(_("VAT charged at the sale"), null=True, blank=True)
    platform_tax_id = models.CharField(_("platform's tax id"), max_length=32, null=True, blank=True)  # noqa: DJ001  # null: unknown
    sale_id = models.CharField(_("sale id"), max_length=64, null=True, blank=True)  # noqa: DJ001  # null: unknown
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
    # When what a GET shows of the guide last changed; when it was created, if nothing did.
    updated_at = models.DateTimeField(_("changed at"), editable=False)
    # The sequence of the last event that changed the status.
    sequence = models.IntegerField(_("sequence"), default=1, db_default=1, editable=False)
    # When the stay in customs began that the guide is in, see `tracking.rows`. Null: customs does not have it.
    customs_since = models.DateTimeField(_("in customs since"), null=True, editable=False)

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
            # GET guides?updated_since=: a page is read from where the last one ended, whoever has how many guides.
            models.Index(fields=["company", "updated_at", "id"], name="guide_by_change"),
            # The operators' feed, over all companies.
            models.Index(fields=["updated_at", "id"], include=["manifest"], name="guide_by_change_of_all"),
            # Operators look for what travelled in one bag. Most guides have none.
            models.Index(fields=["bag"], condition=~models.Q(bag=""), name="guide_in_bag"),
            # The operators' work lists. Most guides that were never reviewed have arrived since, and an operator may
            # see one country only: with status and manifest in the index, guides left out need not be read.
            models.Index(
                fields=["-id"],
                include=["status", "manifest"],
                name="guide_to_review",
                condition=models.Q(needs_review=True),
            ),
            models.Index(
                fields=["-id"],
                include=["status", "manifest"],
                name="guide_to_release",
                condition=models.Q(retention_required=True),
            ),
            # By status, for operators of one country too.
            models.Index(fields=["status", "-id"], include=["manifest"], name="guide_in_status"),
            # Guides long in customs: counted and listed, for operators of one country too, from the index alone.
            models.Index(
                fields=["-id"],
                include=["customs_since", "manifest"],
                name="guide_in_customs",
                condition=models.Q(customs_since__isnull=False),
            ),
            # For the operators' searches by prefix. The indexes on the consignee's words and on the end of the HAWB are
            # only in a migration, because only PostgreSQL supports their types.
            models.Index(fields=["hawb"], opclasses=["varchar_pattern_ops"], name="guide_by_hawb"),
            models.Index(fields=["consignee_document"], opclasses=["varchar_pattern_ops"], name="guide_by_document"),
        ]

    def __str__(self) -> str:
        return self.tracking_code


class GuideTaking(models.Model):
    """An operator has taken a guide to look at, so that nobody else does. Clients do not see it.

    A table of its own: taking a guide changes nothing that a GET shows, and no row that tracking locks.
    """

    guide = models.OneToOneField(
        Guide, on_delete=models.CASCADE, primary_key=True, related_name="taking", verbose_name=_("guide")
    )
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("operator")
    )
    taken_at = models.DateTimeField(_("taken at"), auto_now_add=True)

    class Meta:
        verbose_name = _("guide that was taken")
        verbose_name_plural = _("guides that were taken")

    def __str__(self) -> str:
        return f"{self.guide_id}: {self.operator_id}"


class ListedGuides(models.Model):
    """The guides whose people a list showed an operator: the ids, beside the line of the activity log that says so."""

    entry = models.OneToOneField(LogEntry, on_delete=models.CASCADE, primary_key=True, related_name="listed_guides")
    guides = models.JSONField()

    class Meta:
        default_permissions = ()
        verbose_name = _("guides of a list")
        verbose_name_plural = _("guides of lists")

    def __str__(self) -> str:
        return f"{self.pk}"


LONGEST_NOTE = 1_000


class Note(models.Model):
    """A note of an operator: who, when, and a text that clients never see.

    guide: None for a note on the manifest as a whole. text: personal data, since operators may name people; empty once
    the guide, or the whole manifest, is anonymised.
    """

    manifest = models.ForeignKey(Manifest, on_delete=models.CASCADE, related_name="notes", verbose_name=_("manifest"))
    guide = models.ForeignKey(Guide, on_delete=models.CASCADE, null=True, related_name="notes", verbose_name=_("guide"))
    text = models.CharField(_("note"), max_length=LONGEST_NOTE, blank=True)
    written_by = models.CharField(_("written by"), max_length=150)
    written_at = models.DateTimeField(_("written at"), auto_now_add=True)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.pk}"


class GuideCorrection(models.Model):
    """A correction of a guide by its sender: which fields, and never a value.

    password_hint: the beginning of the API password. actor: `client:<code>` or `courier:<code>`.
    """

    guide = models.ForeignKey(Guide, on_delete=models.CASCADE, related_name="corrections", verbose_name=_("guide"))
    fields = models.JSONField(_("fields"))
    password_hint = models.CharField(_("API password"), max_length=32)
    actor = models.CharField(_("corrected by"), max_length=150)
    corrected_at = models.DateTimeField(_("corrected at"))

    class Meta:
        default_permissions = ()
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.guide_id}: {', '.join(self.fields)}"


class GuideEventQuerySet(models.QuerySet["GuideEvent"]):
    def valid(self) -> Self:
        """Return the events that were not taken back. Clients see only these."""
        return self.filter(withdrawn_at=None)


class GuideEvent(models.Model):
    """One event of a guide, for the timeline, the history and the statistics.

    Events are never edited. One that was wrong is marked as taken back (`tracking.taking_back`).
    """

    guide = models.ForeignKey(Guide, on_delete=models.CASCADE, related_name="events", verbose_name=_("guide"))
    status = models.CharField(_("status"), max_length=32, choices=STATUS_CHOICES)
    occurred_at = models.DateTimeField(_("happened at"))
    recorded_at = models.DateTimeField(_("recorded at"))
    source = models.CharField(_("source"), max_length=16, choices=SOURCE_CHOICES)
    # For operators only.
    internal_note = models.CharField(_("internal note"), max_length=255, blank=True)
    # What is sent to the client. The defaults in the database are for what `ingest` writes.
    client_note = models.CharField(_("note to the client"), max_length=255, blank=True, default="", db_default="")
    actor = models.CharField(_("recorded by"), max_length=150, blank=True)
    # 1, 2, 3 ... for the events of a guide that changed its status, in the order in which they did; 0 for the others.
    sequence = models.IntegerField(_("sequence"), default=0, db_default=0, editable=False)
    # Null: valid. Also the time at which the correcting event was recorded.
    withdrawn_at = models.DateTimeField(_("taken back at"), null=True, editable=False)
    withdrawn_by = models.CharField(_("taken back by"), max_length=150, default="", db_default="", editable=False)
    withdrawn_reason = models.CharField(
        _("reason for taking back"), max_length=255, default="", db_default="", editable=False
    )

    objects: ClassVar[GuideEventQuerySet] = GuideEventQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["occurred_at", "id"]
        indexes = [
            # A guide's timeline, in order.
            models.Index(fields=["guide", "occurred_at", "id"], name="guide_event_timeline")
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.occurred_at:%Y-%m-%d %H:%M}Z"
