"""Receipts of erasures: what was erased on a person's request, without saying whose it was."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from base.work import HeldWork, is_free
from companies.country_names import country_choices
from shipments.models.manifests import OfCountryQuerySet

LONGEST_REFERENCE = 64
_UNFINISHED = Q(finished_at=None)


class ErasureQuerySet(OfCountryQuerySet["Erasure"]):
    def unfinished(self) -> Self:
        return self.filter(_UNFINISHED)

    def claimable(self, now: datetime) -> Self:
        return self.unfinished().filter(is_free(now)).order_by("created_at")


def oldest_unfinished_at(connection: BaseDatabaseWrapper) -> datetime | None:
    """Return when the oldest unfinished erasure was begun. Queries over `connection`."""
    oldest = Erasure.objects.unfinished().order_by("created_at").values_list("created_at")[:1]
    row = next(iter(oldest.query.get_compiler(connection=connection).results_iter()), None)
    return row[0] if row else None


class Erasure(HeldWork):
    """The receipt of one erasure. It is written before anything is erased, and completed afterwards.

    country: empty for all; only operators of all countries see such a receipt. digest: of the person's documents, keyed
    with the pepper: who asks again with the same documents can be told that they were erased.
    sealed_person: whom it is about, as `privacy.erasing` needs it to go on; empty once it is finished.
    erased_at: when everything stored had been gone through once; the uploads accepted before may still be unread.
    drafts: the drafts that named the person and were ended: `company`, `operator` and `uploaded_at` of each.
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
    mentions = models.PositiveIntegerField(_("texts elsewhere"), default=0)
    drafts = models.JSONField(_("drafts ended"), default=list)
    sealed_person = models.TextField(default="", editable=False)
    created_at = models.DateTimeField(_("begun at"), auto_now_add=True)
    erased_at = models.DateTimeField(_("erased at"), null=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)

    objects: ClassVar[ErasureQuerySet] = ErasureQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("erasure")
        verbose_name_plural = _("erasures")
        ordering = ["-id"]
        default_permissions = ("view",)
        indexes = [
            # The worker, and the alarm.
            models.Index(fields=["created_at"], condition=_UNFINISHED, name="erasure_unfinished"),
        ]
        permissions = [("export_person", "Can export a person's data"), ("erase_person", "Can erase a person's data")]

    def __str__(self) -> str:
        return self.reference
