"""Columns of lists and of rows' pages, and quantities and times as operators read them."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Model
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from companies.admin_base.clocks import headed_by_zone, in_list
from companies.admin_base.lists import Column, badge
from companies.admin_base.lists import column as column  # noqa: PLC0414  # for what is beside this module
from companies.countries import SERVED
from shipments.models import Manifest


def plain_number(value: Decimal | int | None) -> str:
    """Return `value` in the active language, such as 1,234.5 for 1234.500; empty for None."""
    if value is None:
        return ""
    return str(number_format(f"{Decimal(value).normalize():f}", force_grouping=True))


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


def at_destination(moment: datetime, country: str) -> datetime:
    """Return a time by the clock of the destination's capital; in UTC without a country."""
    return moment.astimezone(SERVED[country].clock if country else UTC)


def in_local_time(moment: datetime | None, country: str, *, is_short: bool = False) -> str:
    """Return the same as text, with its offset; empty without a time. is_short: without the year, if it is this one."""
    if moment is None:
        return ""
    local = at_destination(moment, country)
    is_short = is_short and local.year == timezone.now().year
    return f"{local:{'%m-%d' if is_short else '%Y-%m-%d'} %H:%M} {local.isoformat()[-6:]}"


def headed_by_destination(title: str | Promise) -> Promise:
    """Return the heading of a column of such times, which names the clock."""
    return format_lazy("{title}, {clock}", title=title, clock=_("destination's time"))


def eta_text(manifest: Manifest) -> str:
    return in_local_time(manifest.eta, manifest.country)
