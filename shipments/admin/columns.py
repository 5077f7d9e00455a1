"""Columns of lists and of rows' pages, and quantities and times as operators read them."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db.models import Model
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from base.admin.lists import (
    Column,
    badge,
    column as column,  # noqa: PLC0414  # for what is beside this module
)
from base.db.moments import in_list, in_words
from companies.clocks import add_zone
from companies.countries import SERVED
from shipments.models import Manifest


def amount(value: Decimal | int | None) -> str:
    """Return a number as pages show it: thousands apart by a narrow space, money and weights with two decimals.

    Three decimals would look like thousands. Empty for None.
    """
    if value is None:
        return ""
    shown = value if isinstance(value, int) else value.quantize(Decimal("0.01"), ROUND_HALF_UP)
    return str(number_format(shown, force_grouping=True))


def exact_amount(value: Decimal) -> str:
    """Return a number as `amount` does, whole where it is, and with four decimals where two would lose something."""
    if value == int(value):
        return amount(int(value))
    if value == round(value, 2):
        return amount(value)
    return str(number_format(value.quantize(Decimal("0.0001"), ROUND_HALF_UP), force_grouping=True))


def exact_weight(kg: Decimal | None) -> str:
    """Return a weight as `amount` does, and in grams where it has a third decimal."""
    if kg is None or kg == round(kg, 2):
        return amount(kg)
    return f"{amount(kg)} ({amount(int(kg * 1000))} g)"


def time_column(title: str | Promise, name: str, *, ordering: str | None = None) -> Column:
    """Return a method that shows the time `name` of a row by the operator's clock, which the heading names."""
    shown = lambda row: in_list(moment) if (moment := getattr(row, name, None)) else "–"  # noqa: E731
    return column(add_zone(title), shown, ordering=ordering)


def badge_column(title: str | Promise, name: str, colours: Mapping[Any, str]) -> Column:
    """Return a method that shows the choice `name` as a badge. colours: of the values; muted where there is none."""

    def shown(row: Any) -> SafeString:  # noqa: ANN401  # of a model with this field
        return badge(getattr(row, f"get_{name}_display")(), colours.get(getattr(row, name), "muted"))

    return column(title, shown)


def number_column(model: type[Model], name: str) -> Column:
    """Return a method that shows the field `name` of `model`, and sorts by it."""
    title = model._meta.get_field(name).verbose_name  # type: ignore[union-attr]  # a column
    return column(title, lambda row: amount(getattr(row, name)), ordering=name, is_number=True)


def lines(texts: Iterable[str]) -> SafeString:
    """Render texts one below the other; empty if there are none."""
    return format_html_join("", "<div>{}</div>", ((text,) for text in texts))


def at_destination(moment: datetime, country: str) -> datetime:
    """Return a time by the clock of the destination's capital; in UTC without a country."""
    return moment.astimezone(SERVED[country].clock if country else UTC)


def in_local_time(moment: datetime | None, country: str) -> str:
    """Return the same as text, with its offset; empty without a time."""
    return with_offset(at_destination(moment, country)) if moment else ""


def with_offset(local: datetime) -> str:
    """Return a time as text by its own clock, such as `12 Nov 23:45 -03`."""
    return f"{in_words(local)} {offset_of(local)}"


def offset_of(local: datetime) -> str:
    return local.isoformat()[-6:].removesuffix(":00").replace("+00", "UTC")


def destination_time_column(title: str | Promise, name: str) -> Column:
    """Return a method that shows the time `name` of a row by the clock of its `country`, and sorts by it.

    The heading names the clock, once for all of them.
    """

    def shown(row: Any) -> str:  # noqa: ANN401  # of a model with this field
        return in_words(at_destination(moment, row.country)) if (moment := getattr(row, name)) else "–"

    heading = format_lazy("{title}, {clock}", title=title, clock=_("destination's time"))
    return column(heading, shown, ordering=name)


def eta_text(manifest: Manifest) -> str:
    return in_local_time(manifest.eta, manifest.country)
