"""Counts with an upper limit, and links to the lists they count."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.formats import number_format

COUNTED = 5_000
"""The limit of counting: a work list beyond it is long, and its exact length does not matter."""


@dataclass(frozen=True, slots=True)
class Figure:
    count: int
    is_more: bool = False

    def __bool__(self) -> bool:
        return self.count > 0

    def __str__(self) -> str:
        return number_format(self.count, force_grouping=True) + ("+" if self.is_more else "")


def up_to(count: int) -> Figure:
    """Build from `count`, which is `COUNTED` + 1 if there are more."""
    return Figure(min(count, COUNTED), is_more=count > COUNTED)


def count_capped(rows: QuerySet[Any]) -> Figure:
    return up_to(rows.order_by()[: COUNTED + 1].count())


def list_of(model: str, **lookups: object) -> str:
    """Return the URL of a filtered change list. model: a model of `shipments`, in lower case."""
    values = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in lookups.items()}
    return reverse(f"admin:shipments_{model}_changelist", query=values)
