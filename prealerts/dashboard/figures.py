"""Numbers as far as they are worth counting, and the lists they lead to."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.formats import number_format

COUNTED = 5_000
"""Where counting ends: past it a work list is long, and how long makes no difference to the day's work."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as far as it was counted."""

    count: int
    is_more: bool = False

    def __bool__(self) -> bool:
        return self.count > 0

    def __str__(self) -> str:
        return number_format(self.count, force_grouping=True) + ("+" if self.is_more else "")


def up_to(count: int) -> Figure:
    """`count`, which may be one more than `COUNTED` to say that there are more."""
    return Figure(min(count, COUNTED), is_more=count > COUNTED)


def counted(rows: QuerySet[Any]) -> Figure:
    """How many rows there are, as far as it is worth counting."""
    return up_to(rows.order_by()[: COUNTED + 1].count())


def list_of(model: str, **lookups: object) -> str:
    """The address of a list of the admin, filtered. model: of the room `shipments`, in small letters."""
    values = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in lookups.items()}
    return f"{reverse(f'admin:shipments_{model}_changelist')}?{urlencode(values)}"
