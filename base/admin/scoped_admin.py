"""Base classes for the admin's pages: they show only the rows the operator may see, and no sign of others."""

from collections.abc import Collection, Iterator
from typing import Any, NoReturn, cast

from django.contrib.admin import ShowFacets
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.core.exceptions import BadRequest, ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from base.admin.activity import act_in_words
from base.admin.autocompletion import KeysField, SelectByKey, SelectByKeys, is_key
from base.admin.confirmed_action import ActionsAdmin
from base.admin.list_filters import filter_of
from base.admin.lists import StrictChangeList
from base.admin.secret_page import SecretPage
from base.admin.stale_forms import StaleCheck

_MOST_WORDS = 50
"""The most words of a search that are used."""


def filter_visible(request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the subset of `rows` that the current operator may see, by the rule of their model."""
    seen: QuerySet[Any] = cast("Any", rows).visible_to(request.user)  # every QuerySet in the admin has it
    return seen


class StrictAdmin(ActionsAdmin):
    """The base of all lists in the admin: a page title that fits any language, and no parameters but its own."""

    list_fullwidth = True
    list_filter_submit = True  # without it the drawer has neither form nor button
    show_facets = ShowFacets.NEVER  # facets count the whole table for each choice of each filter
    empty_value_display = "–"
    list_title: str | Promise = ""
    """The heading of the list, where the model's plural is not the word of the sidebar."""
    nothing_yet: str | Promise = _("There is nothing here yet")
    how_it_begins: str | Promise = ""
    """What an empty list says: that there are no rows, and how the first one is made."""
    first_steps: Collection[tuple[str | Promise, str, str]] = ()
    """Links of an empty list: label, name of the view, and the permission without which it is not shown."""
    linked_lookups: Collection[str] = ()
    """Lookups that pages of the admin link to, in addition to those of the list's filters."""
    secret_page: SecretPage | None = None
    """Shows the secret of a row that got another, or was just made: `save_model` leaves it as `request.new_secret`."""
    has_one_button = False
    """Whether the form of a new row has a single save button, since another page always follows."""

    def title_of(self, row: Any) -> str:  # noqa: ANN401  # of the admin's model
        """Return what a row's page is called."""
        return str(row)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's signature
        if row := context.get("original"):
            context["subtitle"] = self.title_of(row)
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def get_urls(self) -> list[URLPattern]:
        return [*([self.secret_page.url(self)] if self.secret_page else []), *super().get_urls()]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        one = {"show_save_and_continue": False, "show_save_and_add_another": False} if self.has_one_button else {}
        return super().add_view(request, form_url, {**(extra_context or {}), **one})

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:  # noqa: ANN401  # Django's signature
        """Redirect to the page of the row's secret, if it has one to show, whichever button was pressed."""
        if self.secret_page is None:
            response: HttpResponse = super().response_add(request, obj, post_url_continue)
            return response
        secret: str | None = request.new_secret  # type: ignore[attr-defined]  # a request is made to be extended so
        if secret is None:
            return HttpResponseRedirect(self.address("change", obj))
        return self.secret_page.show(self, request, obj, secret)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002  # unfold's hint is wrong
        return StrictChangeList

    def get_list_filter(self, request: HttpRequest) -> Any:  # noqa: ANN401  # Django's hint is narrower than what it takes
        """Return the filters, each as a control of the drawer's form."""
        named = super().get_list_filter(request)
        return [
            (each, filter_of(self.opts.get_field(each))) if isinstance(each, str) else each  # type: ignore[arg-type]  # a column
            for each in named
        ]

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:  # noqa: ANN401, ARG002  # Django's signature
        """Find a row by its key alone: no link names another field, and Django fails at an empty `_to_field`."""
        return super().get_object(request, object_id)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Django's own rule, which `StrictChangeList` narrows; without this it would reject links across relations."""
        return lookup in self.linked_lookups or super().lookup_allowed(lookup, value, request)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:  # noqa: ANN401, FBT001, FBT002  # Django's signature
        """Return the form; that of a row stores nothing if somebody else saved since its page was opened."""
        form: Any = super().get_form(request, obj, change=change, **kwargs)  # as Django's for users takes it
        return form if obj is None else type(form.__name__, (StaleCheck, form), {})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401  # unfold promises a page, and redirects as often
        """Save with the row locked, so that of two forms that are sent at once the second one is stale."""
        with transaction.atomic():
            if request.method == "POST" and object_id is not None and is_key(self.model, unquote(object_id)):
                rows = self.model._base_manager.select_for_update(no_key=True).filter(pk=unquote(object_id))  # noqa: SLF001  # Django's name for it
                rows.values_list("pk").first()
            return super().changeform_view(request, object_id, form_url, extra_context)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:  # noqa: ARG002  # Django's signature
        """Return nothing: no link prefills a form, and Django would accept any value for any field from the URL."""
        return {}

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401  # Django's signature
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", SelectByKey(db_field, self.admin_site))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401  # Django's signature
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", SelectByKeys(db_field, self.admin_site))
        return super().formfield_for_manytomany(db_field, request, **{"form_class": KeysField, **kwargs})

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Django's search, limited in words: each adds a condition nested within the previous one."""
        if len(search_term.split()) > _MOST_WORDS:
            raise BadRequest
        return super().get_search_results(request, queryset, search_term)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # Django's signature, which grows
        """Run an action on the selected rows; Django would query the database with whatever keys are sent."""
        try:
            for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.clean(key, None)
        except ValidationError as error:
            raise BadRequest from error
        return super().response_action(request, queryset, *args, **kwargs)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's own, with what was done in the reader's language."""
        response: HttpResponse = super().history_view(request, object_id, extra_context)
        if isinstance(response, TemplateResponse):
            for entry in (response.context_data or {})["action_list"]:
                entry.change_message = act_in_words(entry)
        return response

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        title = {"title": str(self.list_title) or capfirst(str(self.opts.verbose_name_plural))}
        response: TemplateResponse = super().changelist_view(request, {**title, **(extra_context or {})})
        return response


class ReadOnly:
    """A list whose rows nobody adds, changes or deletes in forms, not even a superuser. Comes first among the bases."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:  # noqa: ANN401, ARG002  # Django's signature
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002  # as above
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002  # as above
        return False


class ScopedAdmin(StrictAdmin):
    """The base of all lists and pages: a row of another country is not found, as if it did not exist."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return filter_visible(request, super().get_queryset(request))

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:  # noqa: ANN401  # Django's signature
        """Limit the rows that a form field offers; Django would offer all of them."""
        rows = super().get_field_queryset(db, db_field, request)
        if not hasattr(db_field.remote_field.model.objects, "visible_to"):
            return rows
        return filter_visible(request, db_field.remote_field.model.objects.all() if rows is None else rows)

    def _get_obj_does_not_exist_redirect(self, *_args: Any) -> NoReturn:  # noqa: ANN401  # Django's signature
        """Respond with 404, where Django would redirect to the start page with a message that repeats the id."""
        raise Http404


class ScopedAutocompleteFilter(AutocompleteSelectFilter):
    """A filter by a related row; a row that the operator may not see is as one that does not exist."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter the list; reject invalid keys before the field queries the database with them."""
        related: Any = self.field.remote_field
        value = self.value()
        if not value:
            return queryset
        if not is_key(related.model, value):
            raise IncorrectLookupParameters
        if not filter_visible(request, related.model.objects.all()).filter(pk=value).exists():
            return queryset.none()
        return cast("QuerySet[Any]", super().queryset(request, queryset))

    def choices(self, changelist: Any) -> Iterator[Any]:  # noqa: ANN401  # Django's signature
        for choice in super().choices(changelist):
            field = choice["form"].fields[self.lookup_kwarg]
            field.queryset = filter_visible(self.request, field.queryset.all())
            yield choice
