"""Columns of lists and of rows' pages, and quantities and times as operators read them."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

from django.db.models import Model
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from companies.admin_base.clocks import headed_by_zone, in_list
from companies.admin_base.lists import badge
from companies.countries import SERVED
from shipments.models import Manifest

Column = Callable[[Any, Any], Any]
"""A method of a model admin that shows something of a row."""


def plain_number(value: Decimal | int | None) -> str:
    """Return `value` in the active language, such as 1,234.5 for 1234.500; empty for None."""
    if value is None:
        return ""
    return str(number_format(f"{Decimal(value).normalize():f}", force_grouping=True))


def column(title: str | Promise, show: Callable[[Any], Any], *, ordering: str | None = None) -> Column:
    """Return a method of a model admin that shows what `show` returns for a row, under `title`."""

    def shown(_admin: Any, row: Any) -> Any:  # noqa: ANN401  # any model admin, and a row of its model
        return show(row)

    return cast("Column", display(shown, description=title, ordering=ordering))


def time_column(title: str | Promise, name: str, *, ordering: str | None = None) -> Column:
    """Return a method that shows the time `name` of a row by the operator's clock, which the heading names."""
    return column(headed_by_zone(title), lambda row: _in_list(getattr(row, name, None)), ordering=ordering)


def _in_list(moment: datetime | None) -> str:
    return in_list(moment) if moment else "–"


def badge_column(title: str | Promise, name: str, colours: Mapping[Any, str]) -> Column:
    """Return a method that shows the choice `name` as a badge. colours: of the values; muted where there is none."""

    def shown(row: Any) -> SafeString:  # noqa: ANN401  # of a model with this field
        return badge(getattr(row, f"get_{name}_display")(), colours.get(getattr(row, name), "muted"))

    return column(title, shown)


def number_column(model: type[Model], name: str) -> Column:
    """Return a method that shows the field `name` of `model`, and sorts by it."""
    title = model._meta.get_field(name).verbose_name  # type: ignore[union-attr]  # a column
    return column(title, lambda row: plain_number(getattr(row, name)), ordering=name)


def lines(texts: Iterable[str]) -> SafeString:
    """Render texts one below the other; empty if there are none."""
    return format_html_join("", "<div>{}</div>", ((text,) for text in texts))


def eta_text(manifest: Manifest) -> str:
    """Return the estimated arrival by the destination's clock, with its offset; empty if unknown."""
    if manifest.eta is None:
        return ""
    local = manifest.eta.astimezone(SERVED[manifest.country].clock)
    return f"{local:%Y-%m-%d %H:%M} {local.isoformat()[-6:]}"
