"""What the worker does by the clock, such as erasing what is too old: when each was done, and when it is due."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from base.work import HeldWork, is_free

LONGEST_OUTCOME = 500


class ChoreQuerySet(models.QuerySet["Chore"]):
    def due(self, now: datetime) -> Self:
        """Return those that are due and that no worker does."""
        return self.filter(is_free(now), due_at__lte=now).order_by("due_at")


class Chore(HeldWork):
    """name: as in `shipments.work.chores`. failures: how many attempts failed since the row exists.
    outcome: what the last attempt said, or why it failed.
    """

    name = models.CharField(_("name"), max_length=40, primary_key=True)
    created_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(_("due"), default=timezone.now)
    succeeded_at = models.DateTimeField(_("last done"), null=True)
    failures = models.PositiveIntegerField(_("failed attempts"), default=0)
    outcome = models.CharField(_("result"), max_length=LONGEST_OUTCOME)

    objects: ClassVar[ChoreQuerySet] = ChoreQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("chore")
        verbose_name_plural = _("chores")
        ordering = ["name"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name

    @property
    def waits_since(self) -> datetime:
        return self.succeeded_at or self.created_at
