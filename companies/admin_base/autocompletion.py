"""Autocompletion that offers only what the field's form or filter accepts."""

from collections.abc import Iterable, Sequence
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
from unfold.contrib.filters.admin.mixins import AutocompleteMixin


class Choices(AutocompleteJsonView):
    """Django's view offers all rows of the related model, for any relation of any model it is given.

    This one answers only for fields that a form or a filter of the admin autocompletes, requires a permission on the
    field's own model, and offers what that model admin's `get_field_queryset` returns.
    """

    def process_request(self, request: HttpRequest) -> Any:  # noqa: ANN401  # as Django has it: term, admin, field, name
        try:
            model = apps.get_model(request.GET.get("app_label", ""), request.GET.get("model_name", ""))
            source = admin.site.get_model_admin(model)
        except (LookupError, NotRegistered):
            raise PermissionDenied from None
        if request.GET.get("field_name") not in _completed(source, request):
            raise PermissionDenied
        self._source = source
        return super().process_request(request)

    def get_queryset(self) -> QuerySet[Model]:
        offered: QuerySet[Model] = super().get_queryset()
        taken = self._source.get_field_queryset(None, self.source_field, self.request)
        return offered if taken is None else offered.filter(pk__in=taken.order_by().values("pk"))


def _completed(source: admin.ModelAdmin, request: HttpRequest) -> set[str]:  # type: ignore[type-arg]  # generic only in the hints
    """Names of the fields that the forms and filters of `source` autocomplete for this operator."""
    fields: set[str] = set()
    if source.has_add_permission(request) or source.has_change_permission(request):
        fields |= set(source.get_autocomplete_fields(request))
    if source.has_view_permission(request):
        filters = [each for each in source.get_list_filter(request) if isinstance(each, tuple)]
        fields |= {str(name) for name, kind in filters if issubclass(kind, AutocompleteMixin)}
    return fields


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
