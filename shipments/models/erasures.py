"""Receipts of erasures: what was erased on a person's request, without saying whose it was."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.country_names import country_choices
from shipments.models.manifests import OfCountryQuerySet

LONGEST_REFERENCE = 64


class Erasure(models.Model):
    """The receipt of one erasure. It is written before anything is erased, and completed afterwards.

    country: empty for all; only operators of all countries see such a receipt. digest: of the person's documents, keyed
    with the pepper: who asks again with the same documents can be told that they were erased.
    """

    reference = models.CharField(_("case reference"), max_length=LONGEST_REFERENCE)
    country = models.CharField(_("country"), max_length=2, choices=country_choices, blank=True)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        verbose_name=_("operator"),
    )
    actor = models.CharField(_("operator"), max_length=150)
    digest = models.CharField(_("digest of the documents"), max_length=64)
    guides = models.PositiveIntegerField(_("guides"), default=0)
    manifests = models.PositiveIntegerField(_("manifests"), default=0)
    files = models.PositiveIntegerField(_("files"), default=0)
    headings = models.PositiveIntegerField(_("headings"), default=0)
    created_at = models.DateTimeField(_("begun at"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)

    objects: ClassVar[OfCountryQuerySet[Erasure]] = OfCountryQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("erasure")
        verbose_name_plural = _("erasures")
        ordering = ["-id"]
        default_permissions = ("view",)
        permissions = [("export_person", "Can export a person's data"), ("erase_person", "Can erase a person's data")]

    def __str__(self) -> str:
        return self.reference
