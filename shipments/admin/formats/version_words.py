"""The difference between two versions of a format, in words."""

from collections.abc import Iterator

from django.utils.translation import gettext

from shipments.admin.field_labels import field_label
from shipments.manifests.mapped.spec import FormatSpec, MappedColumn

_MOST_SAID = 12


def differences_in_words(before: FormatSpec, after: FormatSpec) -> list[str]:
    """What changed, a sentence each, at most `_MOST_SAID`. Columns are compared by their heading."""
    said = list(_differences(before, after))
    more = len(said) - _MOST_SAID
    return said if more <= 0 else [*said[:_MOST_SAID], gettext("and %d more") % more]


def _differences(before: FormatSpec, after: FormatSpec) -> Iterator[str]:
    was = {(column.group, column.heading, column.right_of): column for column in before.columns}
    now = {(column.group, column.heading, column.right_of): column for column in after.columns}
    for key, column in now.items():
        if key not in was:
            yield gettext("%(column)s is new: %(use)s") % {"column": column.name(), "use": _use(column)}
        elif was[key] != column:
            yield from _of_column(was[key], column)
    for key, column in was.items():
        if key not in now:
            yield gettext("%s is gone") % column.name()
    if before.mawb != after.mawb:
        yield gettext("MAWB beside “%s”") % after.mawb.label
    if before.destination != after.destination:
        yield gettext("another rule for the destination")
    if dict(before.flight) != dict(after.flight):
        yield gettext("other labels or clocks for the flight")
    if (before.sheet, before.header_rows) != (after.sheet, after.header_rows):
        yield gettext("another sheet or rows of headings")


def _of_column(was: MappedColumn, now: MappedColumn) -> Iterator[str]:
    name = now.name()
    if was.field != now.field or was.key != now.key:
        yield gettext("%(column)s: now %(use)s") % {"column": name, "use": _use(now)}
        return
    if was.unit != now.unit:
        yield gettext("%(column)s now in %(unit)s") % {"column": name, "unit": now.unit or "?"}
    if was.decimals != now.decimals:
        yield gettext("%s: another decimal mark") % name
    if added := [text for text in now.also if text not in was.also]:
        yield gettext("%(column)s is also called %(texts)s") % {"column": name, "texts": ", ".join(added)}
    if dict(was.values) != dict(now.values):
        yield gettext("%s: other meanings of its values") % name
    if was.required != now.required:
        yield (gettext("%s is required") if now.required else gettext("%s may be absent")) % name
    if was.empty != now.empty or was.month_first != now.month_first or was.zone != now.zone:
        yield gettext("%s: cells are read differently") % name


def _use(column: MappedColumn) -> str:
    if not column.field:
        return gettext("not read")
    return gettext("kept as %s") % column.key if column.key else field_label(column.field)
