"""What clients corrected."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from shipments.models.guides import Guide


class GuideCorrection(models.Model):
    """A correction of a guide by its sender: which fields, and never a value.

    password_hint: the beginning of the API password. actor: `client:<code>` or `courier:<code>`.
    """

    guide = models.ForeignKey(Guide, on_delete=models.CASCADE, related_name="corrections", verbose_name=_("guide"))
    fields = models.JSONField(_("fields"))
    password_hint = models.CharField(_("API password"), max_length=32)
    actor = models.CharField(_("corrected by"), max_length=150)
    corrected_at = models.DateTimeField(_("corrected at"))

    objects: ClassVar[models.Manager[GuideCorrection]] = models.Manager()

    class Meta:
        default_permissions = ()
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.guide_id}: {', '.join(self.fields)}"
