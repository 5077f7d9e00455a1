"""Autocompletion that offers only what the field's form or filter accepts."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.exceptions import NotRegistered
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.contrib.admin.widgets import AutocompleteSelect, AutocompleteSelectMultiple
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter
from unfold.contrib.filters.admin.mixins import AutocompleteMixin
from unfold.contrib.filters.forms import AutocompleteDropdownForm


class Choices(AutocompleteJsonView):
    """Django's view offers all rows of the related model, for any relation of any model it is given.

    This one answers only for fields that a form or a filter of the admin autocompletes, requires a permission on the
    field's own model, and offers what that model admin's `get_field_queryset` returns. With `?by=` in its address, the
    rows have another key: that of a filter whose value is in bookmarks.
    """

    def process_request(self, request: HttpRequest) -> Any:  # noqa: ANN401  # as Django has it: term, admin, field, name
        try:
            model = apps.get_model(request.GET.get("app_label", ""), request.GET.get("model_name", ""))
            source = admin.site.get_model_admin(model)
        except (LookupError, NotRegistered):
            raise PermissionDenied from None
        if request.GET.get("field_name") not in _find_autocompleted_fields(source, request):
            raise PermissionDenied
        self._source = source
        term, related, field, key = super().process_request(request)
        by = _filters_by(source, request).get(field.name, "")
        self._is_of_filter = bool(by) and request.GET.get("by") == by
        return term, related, field, by if self._is_of_filter else key

    def has_perm(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # Django's signature
        """Whoever may filter a list by its companies may find them; their pages are another matter."""
        return self._is_of_filter or super().has_perm(request, obj)

    def get_queryset(self) -> QuerySet[Model]:
        offered: QuerySet[Model] = super().get_queryset()
        taken = self._source.get_field_queryset(None, self.source_field, self.request)
        return offered if taken is None else offered.filter(pk__in=taken.order_by().values("pk"))


def _find_autocompleted_fields(source: admin.ModelAdmin, request: HttpRequest) -> set[str]:  # type: ignore[type-arg]  # generic only in the hints
    """Names of the fields that the forms and filters of `source` autocomplete for this operator."""
    fields: set[str] = set()
    if source.has_add_permission(request) or source.has_change_permission(request):
        fields |= set(source.get_autocomplete_fields(request))
    if source.has_view_permission(request):
        filters = [each for each in source.get_list_filter(request) if isinstance(each, tuple)]
        fields |= {str(name) for name, kind in filters if issubclass(kind, AutocompleteMixin)}
    return fields | {name for name, key in _filters_by(source, request).items() if request.GET.get("by") == key}


def _filters_by(source: admin.ModelAdmin, request: HttpRequest) -> dict[str, str]:  # type: ignore[type-arg]  # as above
    """Return the fields of `CompletedFilter`s that this operator may use, each with its key."""
    if not source.has_view_permission(request):
        return {}
    kinds = [each for each in source.get_list_filter(request) if isinstance(each, type)]
    return {kind.field_name: kind.key for kind in kinds if issubclass(kind, CompletedFilter)}


class SelectByCode(AutocompleteSelect):
    """An autocompleted field whose values are another unique key of the row, for whoever may use a `CompletedFilter`
    of the field.

    key: that column's name. placeholder: what stands there while nothing is chosen.
    """

    def __init__(self, field: Any, key: str, placeholder: str | Promise = "", **attrs: str) -> None:  # noqa: ANN401  # a ForeignKey
        keyed, self._key, self._placeholder = copy(field), key, placeholder
        keyed.remote_field = copy(field.remote_field)
        keyed.remote_field.field_name = key
        super().__init__(keyed, admin.site, attrs=attrs)

    def get_url(self) -> str:
        return f"{super().get_url()}?by={self._key}"

    def build_attrs(self, base_attrs: Any, extra_attrs: Any = None) -> Any:  # noqa: ANN401  # Django's signature
        return {**super().build_attrs(base_attrs, extra_attrs), "data-placeholder": str(self._placeholder)}

    def optgroups(self, name: str, value: Iterable[Any], attrs: dict[str, Any] | None = None) -> Any:  # noqa: ANN401  # the stubs know no type
        """Django's, which queries the database even with what the form has just refused."""
        return super().optgroups(name, [each for each in value if "\0" not in str(each)], attrs)


class CompletedFilter(DropdownFilter):
    """A filter by a related row, found by typing: a select of all rows would be most of a page.

    field_name: the relation. key: the column of the related row that the address has.
    """

    field_name = ""
    key = ""

    def related(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows that the operator may choose."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401  # Django's signature
        """Return the chosen row alone: it names the filter above the list."""
        self._field, self._related = model_admin.opts.get_field(self.field_name), self.related(request)
        chosen = request.GET.get(str(self.parameter_name), "").replace("\0", "")
        return [(chosen, str(row)) for row in self._related.filter(**{self.key: chosen})] if chosen else []

    def has_output(self) -> bool:
        return True

    def choices(self, changelist: Any) -> Iterator[Any]:  # noqa: ANN401, ARG002  # Django's signature
        name = str(self.parameter_name)
        form = AutocompleteForm({name: next((key for key, _label in self.lookup_choices), "")})
        widget = SelectByCode(self._field, self.key, _("All"), **{"class": "unfold-filter-autocomplete"})
        form.fields[name] = forms.ModelChoiceField(self._related, to_field_name=self.key, required=False, widget=widget)
        yield {"form": form}


class AutocompleteForm(forms.Form):
    """The form of such a filter, with the scripts of unfold's."""

    Media = AutocompleteDropdownForm.Media


def is_key(model: type[Model], value: object) -> bool:
    """Whether a row of `model` could have this key; a query with any other raises `ValueError` or `OverflowError`."""
    try:
        model._meta.pk.clean(value, None)
    except ValidationError:
        return False
    return True


class _OfKeys:
    """Django's widgets query the database for the chosen rows, even with what the form has just refused."""

    choices: Any

    def optgroups(self, name: str, value: Iterable[Any], attrs: dict[str, Any] | None = None) -> Any:  # noqa: ANN401  # the stubs know no type
        keys = [each for each in value if is_key(self.choices.queryset.model, each)]
        return super().optgroups(name, keys, attrs)  # type: ignore[misc]  # of the widget


class SelectByKey(_OfKeys, AutocompleteSelect):
    """A field that is autocompleted."""


class SelectByKeys(_OfKeys, AutocompleteSelectMultiple):
    """A field that is autocompleted, of several rows."""


class KeysField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # generic only in the hints
    """Refuses numbers too large for a key; Django's field passes them to the database."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401  # whatever was sent
        rows: Any = self.queryset
        for each in value if isinstance(value, Sequence) else ():
            if not is_key(rows.model, each):
                raise ValidationError(
                    self.error_messages["invalid_pk_value"], code="invalid_pk_value", params={"pk": each}
                )
        return super().clean(value)
