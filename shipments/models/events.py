"""Events of guides."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from shipments.labels import SOURCE_CHOICES, STATUS_CHOICES
from shipments.models.guides import Guide


class GuideEventQuerySet(models.QuerySet["GuideEvent"]):
    """Named queries."""

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
            models.Index(fields=["guide", "occurred_at", "id"], name="guide_event_timeline"),
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.occurred_at:%Y-%m-%d %H:%M}Z"
