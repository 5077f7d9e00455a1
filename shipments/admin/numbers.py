"""Quantities as operators read them: grouped, and without trailing zeros."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, cast

from django.db.models import Model
from django.utils.formats import number_format
from unfold.decorators import display


def plain_number(value: Decimal | int | None) -> str:
    """Return `value` in the active language, such as 1,234.5 for 1234.500; empty for None."""
    if value is None:
        return ""
    return str(number_format(f"{Decimal(value).normalize():f}", force_grouping=True))


def number_column(model: type[Model], name: str) -> Callable[[Any, Any], str]:
    """Return a method of a model admin that shows the field `name` of `model`, and sorts by it."""
    field: Any = model._meta.get_field(name)

    def shown(_admin: Any, row: Any) -> str:  # noqa: ANN401  # any model admin, and a row of its model
        return plain_number(getattr(row, name))

    return cast("Callable[[Any, Any], str]", display(shown, description=field.verbose_name, ordering=name))
