"""Change lists that accept only the lookups of their own filters, filters in words, columns, and badges."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from django import forms
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG, SEARCH_VAR
from django.core.exceptions import BadRequest, ValidationError
from django.db import DataError
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext
from unfold.decorators import display
from unfold.views import ChangeList

from base.db.moments import in_list

_WORDS = {"gte": "≥", "lt": "<"}


class Chip(NamedTuple):
    """One filter. without: the query of the list without it."""

    title: str
    value: str
    without: str


def chips_of(changes: ChangeList, request: HttpRequest) -> Iterator[Chip]:
    """Yield the filters of the list in their order, then what other pages linked to, then what is searched for.

    Only what the operator may see is named.
    """
    left = dict(changes.params)
    for one in changes.filter_specs:
        names = [str(name) for name in one.expected_parameters()]
        given = [text for name in names if left.pop(name, "") for text in request.GET.getlist(name)]
        if given:
            value = ", ".join(_value_of(one, text, request) for text in given)
            yield Chip(str(capfirst(one.title)), value, changes.get_query_string(remove=names))
    for name in sorted(left.keys() & set(changes.model_admin.linked_lookups)):  # type: ignore[attr-defined]  # a StrictAdmin
        yield _describe_linked(changes, request, name, str(left[name]))
    if changes.query:
        yield Chip(gettext("Search"), changes.query, changes.get_query_string(remove=[SEARCH_VAR]))


def _value_of(one: Any, text: str, request: HttpRequest) -> str:  # noqa: ANN401  # filters have no common base that names their choices
    choices: Mapping[str, Any] = {str(value): label for value, label in getattr(one, "lookup_choices", ())}
    field: Any = getattr(one, "field", None)
    if text not in choices and field is not None and field.is_relation:
        return _name_of(field, text, request)
    if not choices and field is not None:
        choices = {str(value): label for value, label in field.flatchoices}
        choices = choices or {"1": gettext("Yes"), "0": gettext("No")}
    return str(choices.get(text, text))


def _name_of(field: Any, text: str, request: HttpRequest) -> str:  # noqa: ANN401  # a relation
    rows = field.remote_field.model.objects.all()
    seen = rows.visible_to(request.user) if hasattr(rows, "visible_to") else rows
    try:
        row = seen.filter(pk=text).first()
    except (ValueError, ValidationError):
        return text
    return text if row is None else str(row)


def _describe_linked(changes: ChangeList, request: HttpRequest, name: str, text: str) -> Chip:
    """Return the chip of a lookup that a page linked to, such as `eta__gte` or `manifest__id__exact`."""
    without = changes.get_query_string(remove=[name])
    column, _separator, lookup = name.partition("__")
    field: Any = changes.lookup_opts.get_field(column)
    title = str(capfirst(field.verbose_name))
    if field.is_relation:
        return Chip(title, _name_of(field, text, request), without)
    if lookup == "isnull":
        return Chip(title, gettext("No") if text in {"True", "true", "1"} else gettext("Yes"), without)
    if lookup in _WORDS:
        return Chip(title, f"{_WORDS[lookup]} {_moment(text)}", without)
    labels = {str(value): label for value, label in field.flatchoices} or {"1": gettext("Yes"), "0": gettext("No")}
    return Chip(title, str(labels.get(text, text)), without)


def _moment(text: str) -> str:
    try:
        moment = parse_datetime(text.replace(" ", "+"))
        return in_list(moment) if moment else text
    except (ValueError, OverflowError):
        return text


class StrictChangeList(ChangeList):
    """Django's change list accepts any lookup on any column of its model: with `?api_password_digest__startswith=a`,
    the length of the list reveals whether a digest begins so, and `?id__range=1` is a server error.

    This one accepts the parameters of the list's filters, those that pages of the admin link to (`linked_lookups` of
    the model admin), and Django's own for search, pagination and the order of a column that can be sorted. Raises
    `DisallowedModelAdminLookup` for any other parameter, and `BadRequest` for an invalid value or page; both become a
    400.
    """

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        self.asked = request
        if ERROR_FLAG in request.GET:
            raise DisallowedModelAdminLookup  # set by Django's own redirect, which this list never uses
        try:
            super().__init__(request, *args, **kwargs)
        except (IncorrectLookupParameters, DataError, OverflowError) as error:
            raise BadRequest from error

    def chips(self) -> list[Chip]:
        return list(chips_of(self, self.asked))

    def filter_forms(self) -> Iterator[tuple[str, forms.Form]]:
        """Yield the title and the form of each filter; unfold's label would be "By state" for the title "state"."""
        for one in self.filter_specs:
            for choice in one.choices(self):
                form: Any = choice["form"]
                title = str(capfirst(one.title))
                if len(form.fields) == 1:
                    next(iter(form.fields.values())).label = title
                yield title, form

    def kept(self) -> Iterator[tuple[str, str]]:
        """Yield the parameters that other filters leave as they are: the search, the order, and what a page linked to.

        Not the page: with other filters the list is a shorter one.
        """
        own = {str(name) for one in self.filter_specs for name in one.expected_parameters()}
        for name, values in self.filter_params.items():
            yield from ((name, value) for value in values if name not in own)

    def get_filters(self, request: Any) -> Any:  # noqa: ANN401  # the stubs know no return type
        """Return the filters; each consumes its own parameters, and the remaining ones must be in `linked_lookups`."""
        found = super().get_filters(request)
        left_over = found[2]
        admin: Any = self.model_admin  # a `StrictAdmin`
        if left_over.keys() - set(admin.linked_lookups):
            raise DisallowedModelAdminLookup
        return found

    def get_ordering_field(self, field_name: Any) -> Any:  # noqa: ANN401  # the stubs know no type
        """Return nothing for a column that the list's head does not sort by, in an address either: Django would sort
        by it, without an index.
        """
        return super().get_ordering_field(field_name) if field_name in (self.sortable_by or ()) else None

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page's rows here, so that a value the database rejects fails here and not in the template."""
        super().get_results(request)
        len(self.result_list)


Column = Callable[[Any, Any], Any]
"""A method of a model admin that shows something of a row."""


def column(
    title: str | Promise, show: Callable[[Any], Any], *, ordering: str | None = None, is_number: bool = False
) -> Column:
    """Return a method of a model admin that shows what `show` returns for a row, under `title`.

    is_number: to the right, so that decimals stand below each other.
    """

    def shown(_admin: Any, row: Any) -> Any:  # noqa: ANN401  # any model admin, and a row of its model
        return show(row)

    shown.is_number = is_number  # type: ignore[attr-defined]  # as `short_description`, for the list's rows
    return cast("Column", display(shown, description=title, ordering=ordering))


def badge(text: str | Promise, colour: str) -> SafeString:
    """Render a badge, on any page; unfold renders its own in lists only, each from a template.

    colour: info, success, warning, danger or muted, as defined in `base/lists.css`.
    """
    return format_html('<span class="pa-badge pa-{}">{}</span>', colour, text)
