"""Rows that are work: one attempt at a time holds a row, and only that attempt ends it.

The row of a process that died is taken over once its hold has expired.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar, Self, TypeVar
from uuid import uuid4

from django.db import connection, models, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

PRUNED_ROWS = 1_000
"""Rows deleted by one statement, so that requests are not held up."""

_Model = TypeVar("_Model", bound=models.Model)


class HoldLostError(Exception):
    """Another attempt has taken over. The transaction of this one must be rolled back."""


class HeldWork(models.Model):
    """token: the attempt that holds the row. held_until: when another one may take over, because the holder must have
    died. attempts: how many were begun.
    """

    token = models.UUIDField(null=True, editable=False)
    held_until = models.DateTimeField(null=True, editable=False)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True

    def columns_of_attempt(self, now: datetime) -> dict[str, Any]:  # noqa: ARG002  # for subclasses
        """Return what else changes when an attempt begins."""
        return {}


_Work = TypeVar("_Work", bound=HeldWork)


def is_free(now: datetime) -> Q:
    """Match rows that nobody holds, or whose holder died."""
    return Q(held_until=None) | Q(held_until__lte=now)


def claim(waiting: QuerySet[_Work], lasting: timedelta) -> _Work | None:
    """Hold the first row of `waiting`, passing over those that others are about to take; None if there is none."""
    with transaction.atomic():
        following = waiting
        if connection.features.has_select_for_update_skip_locked:  # SQLite has one writer, and nobody to skip
            following = waiting.select_for_update(skip_locked=True, of=("self",))
        row = following.first()
        return row if row is not None and hold(row, waiting, lasting) else None


def hold(row: _Work, waiting: QuerySet[_Work], lasting: timedelta) -> bool:
    """Hold a row, by one UPDATE, unless it is no longer one of `waiting` or somebody has held it since it was read."""
    now = timezone.now()
    held = {"token": uuid4(), "held_until": now + lasting, "attempts": row.attempts + 1, **row.columns_of_attempt(now)}
    if not waiting.filter(pk=row.pk, held_until=row.held_until).order_by().update(**held):
        return False
    for name, value in held.items():
        setattr(row, name, value)
    return True


def release(row: HeldWork, **columns: Any) -> bool:  # noqa: ANN401  # of the row
    """End the attempt: write `columns`, and hold the row no longer. Returns False if another attempt holds it by now.

    held_until: when it may be taken again; by default at once.
    """
    mine = type(row).objects.filter(pk=row.pk, token=row.token)
    return bool(mine.update(**{"token": None, "held_until": None, **columns}))


def prune(old: QuerySet[_Model], most: int = PRUNED_ROWS) -> bool:
    """Delete the first rows of `old`. Returns whether there may be more."""
    batch = list(old.values_list("pk", flat=True)[:most])
    old.filter(pk__in=batch).delete()  # filtered again: one may have been used since
    return len(batch) == most
