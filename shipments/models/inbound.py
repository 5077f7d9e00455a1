"""Inbound batches: one receiving at one place, opened, scanned, closed; announced against arrived."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from companies.country_names import country_choices
from shipments.labels import STATUS_LABELS
from shipments.models.guides import Guide
from shipments.models.manifests import Manifest, OfCountryQuerySet
from shipments.statuses import GuideStatus

LONGEST_BATCH_NOTE = 255
ON_SCAN = (GuideStatus.CUSTOMS_PROCESSING, GuideStatus.IN_TRANSIT)
"""The statuses that a first match may report."""


class BatchState(models.TextChoices):
    """Open: takes scans. The values sort open ones last."""

    CLOSED = "closed", _("Closed")
    OPEN = "open", _("Open")


class ScanOutcome(models.TextChoices):
    """What a scan was, as kept; a scan that is sent again is not kept again."""

    MATCHED = "matched", _("Matched")
    MORE_PACKAGES = "more_packages", _("More packages")
    ELSEWHERE = "elsewhere", _("Of another MAWB")
    SURPLUS = "surplus", _("Surplus")
    AMBIGUOUS = "ambiguous", _("Ambiguous")
    FORBIDDEN_COUNTRY = "forbidden_country", _("Of another country")


class InboundBatch(models.Model):
    """A receiving. counts: those of its end, which stay; None while it is open. differences: their sum, to sort by."""

    facility = models.CharField(_("facility"), max_length=32)
    country = models.CharField(_("country"), max_length=2, choices=country_choices)
    on_scan = models.CharField(  # noqa: DJ001  # null: a match reports nothing
        _("status at the scan"),
        max_length=32,
        null=True,
        choices=[(status.value, STATUS_LABELS[status]) for status in ON_SCAN],
    )
    state = models.CharField(_("state"), max_length=6, choices=BatchState.choices, default=BatchState.OPEN)
    note = models.CharField(_("note"), max_length=LONGEST_BATCH_NOTE, blank=True)
    manifests = models.ManyToManyField(Manifest, related_name="inbound_batches", verbose_name=_("manifests"))
    opened_by = models.CharField(_("opened by"), max_length=150)
    created_at = models.DateTimeField(_("opened at"), auto_now_add=True)
    closed_by = models.CharField(_("closed by"), max_length=150, blank=True)
    closed_at = models.DateTimeField(_("closed at"), null=True)
    counts = models.JSONField(_("counts"), null=True)
    differences = models.PositiveIntegerField(_("differences"), default=0)

    objects: ClassVar[OfCountryQuerySet[InboundBatch]] = OfCountryQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("inbound batch")
        verbose_name_plural = _("inbound batches")
        ordering = ["-state", "-differences", "-id"]
        indexes = [models.Index(fields=["-state", "-differences", "-id"], name="inbound_batch_in_order")]

    def __str__(self) -> str:
        return f"{self.facility} · {self.public_id}"

    @property
    def public_id(self) -> str:
        return f"ib_{self.pk}"

    @property
    def is_open(self) -> bool:
        return self.state == BatchState.OPEN


class InboundScan(models.Model):
    """One scan of a batch. code: as scanned. guide: None if there is none, or the operator may not see it."""

    batch = models.ForeignKey(InboundBatch, on_delete=models.CASCADE, related_name="scans", verbose_name=_("batch"))
    scan_id = models.UUIDField()
    code = models.CharField(_("code"), max_length=100)
    guide = models.ForeignKey(
        Guide, on_delete=models.CASCADE, null=True, db_index=False, related_name="scans", verbose_name=_("guide")
    )
    outcome = models.CharField(_("outcome"), max_length=17, choices=ScanOutcome.choices)
    packages = models.PositiveIntegerField(_("packages"), default=1)
    is_damaged = models.BooleanField(_("damaged"), default=False)
    note = models.CharField(_("note"), max_length=LONGEST_BATCH_NOTE, blank=True)
    scanned_at = models.DateTimeField(_("scanned at"))
    recorded_at = models.DateTimeField(_("recorded at"), auto_now_add=True)
    actor = models.CharField(_("scanned by"), max_length=150)

    class Meta:
        verbose_name = _("scan")
        verbose_name_plural = _("scans")
        ordering = ["scanned_at", "id"]
        default_permissions = ()
        constraints = [
            # Offline scanners send again.
            models.UniqueConstraint(fields=["batch", "scan_id"], name="inbound_scan_once"),
            models.UniqueConstraint(
                fields=["batch", "guide"], condition=Q(outcome="matched"), name="inbound_scan_matches_once"
            ),
        ]
        indexes = [
            # Which guides no batch has matched; in which batch one arrived.
            models.Index(fields=["guide"], name="inbound_scan_matched", condition=Q(outcome="matched")),
            # The packages of a guide, and its notes when it is anonymised.
            models.Index(fields=["guide"], name="inbound_scan_of_guide", condition=Q(guide__isnull=False)),
            models.Index(fields=["batch", "scanned_at", "id"], name="inbound_scan_in_order"),
        ]

    def __str__(self) -> str:
        return self.code
