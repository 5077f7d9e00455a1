"""Columns of exports whose times people read by a clock: the operator's, or the destination's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import DateTimeField, Model, QuerySet
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from base.admin.list_exports import ExportedColumn, ExportedList
from base.admin.spreadsheets import Value
from companies.clocks import ZONE
from companies.countries import SERVED


def moment(name: str, title: str | Promise) -> ExportedColumn:
    """Return a column of times, which people read by the operator's clock."""
    return ExportedColumn(name, format_lazy("{} ({})", title, ZONE))


def build_export(
    name: str,
    title: str | Promise,
    model: type[Model],
    columns: Mapping[str, str],
    *worded: ExportedColumn,
    country: str,
) -> ExportedList:
    """Return the export of these columns of the list's `model`: name -> source.

    worded: those that people do not read as the field is named. country: the source of the destination, by whose clock
    people read the ETA.
    """
    own = {column.name: column for column in worded}
    listed = [own.get(name) or _column_of(model, name, source) for name, source in columns.items()]
    eta = list(columns).index("eta")

    def rows(found: QuerySet[Any]) -> Iterator[Sequence[Value]]:
        for *row, destination in found.values_list(*columns.values(), country).iterator(chunk_size=2_000):
            if row[eta] is not None and destination:
                row[eta] = row[eta].astimezone(SERVED[destination].clock)
            yield row

    return ExportedList(name, title, listed, rows)


def _column_of(model: type[Model], name: str, source: str) -> ExportedColumn:
    *relations, last = source.split("__")
    for relation in relations:
        model = model._meta.get_field(relation).related_model  # type: ignore[assignment]  # a relation's
    field: Any = model._meta.get_field(last)
    if isinstance(field, DateTimeField):
        return moment(name, field.verbose_name)
    return ExportedColumn(name, field.verbose_name, {str(value): label for value, label in field.flatchoices})


ETA = ExportedColumn("eta", format_lazy("ETA ({})", _("destination's time")), has_own_clock=True)
