"""What operators write down about guides and manifests, for each other."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from shipments.models.guides import Guide
from shipments.models.manifests import Manifest

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

    objects: ClassVar[models.Manager[Note]] = models.Manager()

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.pk}"
