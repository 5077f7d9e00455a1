"""The filters of the admin's lists: each is a control of one form, which a button sends."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.admin import FieldListFilter
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import (
    BooleanRadioFilter,
    CheckboxFilter,
    ChoicesCheckboxFilter,
    ChoicesDropdownFilter,
    DropdownFilter,
    RelatedDropdownFilter,
)
from unfold.widgets import INPUT_CLASSES

Options = Sequence[tuple[str, str | Promise]]


class ChoiceFilter(DropdownFilter):
    """A filter with these `options`: value and label. Any other value in the address leaves the list as it is."""

    options: Options = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return self.options

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        return self.narrow(request, queryset, value) if value in dict(self.options) else queryset

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Any]:  # noqa: ANN401  # any QuerySet
        """Return those of `rows` that the option stands for."""
        raise NotImplementedError


class StatesFilter(ChoicesCheckboxFilter):
    """A filter by the states of a column, of which several can be chosen: rows that have one of them are listed."""


class ComputedStatesFilter(CheckboxFilter):
    """The same for states that are `options`, and no choices of a column."""

    options: Options = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return self.options

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        known = dict(self.options)
        values = [value for value in self.value() or () if value in known]
        return self.narrow(request, queryset, values) if values else queryset

    def narrow(self, request: HttpRequest, rows: Any, values: Sequence[str]) -> QuerySet[Any]:  # noqa: ANN401  # any QuerySet
        """Return those of `rows` that one of the options stands for."""
        raise NotImplementedError


class DaysForm(forms.Form):
    """The first and the last day, chosen in the browser's own calendar, which sends ISO dates in every language."""

    def __init__(self, name: str, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(**options)
        for ending, label in (("from", _("From")), ("to", _("To"))):
            day = forms.DateInput({"type": "date", "class": " ".join(INPUT_CLASSES)}, format="%Y-%m-%d")
            self.fields[f"{name}_{ending}"] = forms.DateField(label=label, required=False, widget=day)


def filter_of(column: "models.Field[Any, Any]") -> type[FieldListFilter]:
    """Return the filter of a column that a list names without one; Django's own is a list of links."""
    if isinstance(column, models.BooleanField):
        return BooleanRadioFilter
    return RelatedDropdownFilter if column.is_relation else ChoicesDropdownFilter
