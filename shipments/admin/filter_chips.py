"""The filters that are set on a list, in words, each with the address of the list without it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.contrib.admin.views.main import SEARCH_VAR, ChangeList
from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext

from companies.scope import Viewer
from shipments.models import Manifest

_MANIFEST = "manifest__id__exact"
_WORDS = {"gte": "≥", "lt": "<"}


class Chip(NamedTuple):
    """One filter. without: the query of the list without it."""

    title: str
    value: str
    without: str


def chips_of(changes: ChangeList, viewer: Viewer) -> Iterator[Chip]:
    """Yield the filters of the list in their order, then what other pages linked to, then what is searched for.

    viewer: the operator; only what the operator may see is named.
    """
    left = dict(changes.params)
    for one in changes.filter_specs:
        names = [str(name) for name in one.expected_parameters()]
        given = [str(left.pop(name)) for name in names if left.get(name)]
        if given:
            value = ", ".join(_value_of(one, text) for text in given)
            yield Chip(str(capfirst(one.title)), value, changes.get_query_string(remove=names))
    for name in sorted(left.keys() & set(changes.model_admin.linked_lookups)):  # type: ignore[attr-defined]  # a StrictAdmin
        yield _linked(changes, viewer, name, str(left[name]))
    if changes.query:
        yield Chip(gettext("Search"), changes.query, changes.get_query_string(remove=[SEARCH_VAR]))


def _value_of(one: Any, text: str) -> str:  # noqa: ANN401  # filters have no common base that names their choices
    choices: Mapping[str, Any] = {str(value): label for value, label in getattr(one, "lookup_choices", ())}
    if not choices and (field := getattr(one, "field", None)) is not None:
        choices = {str(value): label for value, label in field.flatchoices}
        choices = choices or {"1": gettext("Yes"), "0": gettext("No")}
    return str(choices.get(text, text))


def _linked(changes: ChangeList, viewer: Viewer, name: str, text: str) -> Chip:
    """Return the chip of a lookup that a page linked to, such as `eta__gte`."""
    without = changes.get_query_string(remove=[name])
    if name == _MANIFEST:
        return Chip("MAWB", _mawb(viewer, text), without)
    column, _separator, lookup = name.partition("__")
    field: Any = changes.lookup_opts.get_field(column)
    title = str(capfirst(field.verbose_name))
    if lookup == "isnull":
        return Chip(title, gettext("No") if text in {"True", "true", "1"} else gettext("Yes"), without)
    if lookup in _WORDS:
        return Chip(title, f"{_WORDS[lookup]} {_moment(text)}", without)
    labels = {str(value): label for value, label in field.flatchoices} or {"1": gettext("Yes"), "0": gettext("No")}
    return Chip(title, str(labels.get(text, text)), without)


def _moment(text: str) -> str:
    try:
        moment = parse_datetime(text.replace(" ", "+"))
        return date_format(localtime(moment), "DATETIME_FORMAT") if moment else text
    except (ValueError, OverflowError):
        return text


def _mawb(viewer: Viewer, manifest_id: str) -> str:
    """Return the MAWB of the manifest whose guides are listed, if its operator may see it."""
    try:
        seen = Manifest.objects.visible_to(viewer)
        return str(seen.values_list("mawb", flat=True).get(pk=manifest_id))
    except (Manifest.DoesNotExist, ValidationError):
        return manifest_id
