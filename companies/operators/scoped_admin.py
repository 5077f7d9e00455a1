"""What every page of the desk begins with: the rows that its operator may see, and no sign of the others."""

from collections.abc import Collection, Iterator
from typing import Any, NoReturn, cast

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.utils.text import capfirst
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from companies.operators.admin_lists import DeskList
from companies.operators.scope import scope_of

_MOST_WORDS = 50
"""Words that a search takes."""


def seen_by(request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
    """Those of `rows` that the operator at the desk may see, by the rule of their model."""
    seen: QuerySet[Any] = cast("Any", rows).visible_to(request.user)  # each QuerySet of the desk has it
    return seen


class DeskAdmin(ModelAdmin):
    """What every list of the desk has in common: a tab of the browser that says what it holds, in any grammar, and
    no parameters but those it offers."""

    linked_lookups: Collection[str] = ()
    """Look-ups that pages of the admin link to, beside those of the list's filters."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002  # unfold's hint is wrong
        return DeskList

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Django's own rule, which `DeskList` narrows further; it would refuse what is linked to across a relation."""
        return lookup in self.linked_lookups or super().lookup_allowed(lookup, value, request)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:  # noqa: ARG002  # Django's signature
        """Nothing: no link fills a form in, and Django would take any value for any field from the address."""
        return {}

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Django's search, of as many words as a database takes: each is a condition within the one before."""
        if len(search_term.split()) > _MOST_WORDS:
            raise BadRequest
        return super().get_search_results(request, queryset, search_term)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # Django's signature, which grows
        """Do what was chosen with the ticked rows; Django would ask the database for any key that is sent."""
        try:
            for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.clean(key, None)
        except ValidationError as error:
            raise BadRequest from error
        return super().response_action(request, queryset, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        title = {"title": capfirst(str(self.opts.verbose_name_plural))}
        response: TemplateResponse = super().changelist_view(request, {**title, **(extra_context or {})})
        return response


class ScopedAdmin(DeskAdmin):
    """The base of every list and page: another country's row is not found, as if there were none."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return seen_by(request, super().get_queryset(request))

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:  # noqa: ANN401  # Django's signature
        """The rows that a form's choice takes; Django would take any."""
        rows = super().get_field_queryset(db, db_field, request)
        if not hasattr(db_field.remote_field.model.objects, "visible_to"):
            return rows
        return seen_by(request, db_field.remote_field.model.objects.all() if rows is None else rows)

    def _get_obj_does_not_exist_redirect(self, *_args: Any) -> NoReturn:  # noqa: ANN401  # Django's signature
        """Not found, where Django would lead to the start page and repeat the id."""
        raise Http404


class ScopedAutocompleteFilter(AutocompleteSelectFilter):
    """A filter by a related row; it names the chosen one only where the operator may see it."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow the list, or refuse what cannot be a key: the field that names the row would ask for it."""
        related: Any = self.field.remote_field
        try:
            if value := self.value():
                related.model._meta.pk.clean(value, None)
        except ValidationError as error:
            raise IncorrectLookupParameters from error
        return cast("QuerySet[Any]", super().queryset(request, queryset))

    def choices(self, changelist: Any) -> Iterator[Any]:  # noqa: ANN401  # Django's signature
        for choice in super().choices(changelist):
            field = choice["form"].fields[self.lookup_kwarg]
            field.queryset = seen_by(self.request, field.queryset.all())
            yield choice


class EverywhereAdmin(DeskAdmin):
    """Pages about the whole of the house, such as its operators: for those who see every country."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _sees_everything(request) and super().has_module_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # Django's signature
        return _sees_everything(request) and super().has_view_permission(request, obj)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:  # noqa: ANN401  # Django's signature
        return _sees_everything(request) and super().has_add_permission(request, *args)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # Django's signature
        return _sees_everything(request) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # Django's signature
        return _sees_everything(request) and super().has_delete_permission(request, obj)


def _sees_everything(request: HttpRequest) -> bool:
    return scope_of(request.user).is_everywhere
