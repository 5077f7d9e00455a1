"""Events of guides."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from shipments.labels import SOURCE_CHOICES, STATUS_CHOICES
from shipments.models.guides import Guide


class GuideEvent(models.Model):
    """One event of a guide, for the timeline, the history and the statistics. Events are never edited."""

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
