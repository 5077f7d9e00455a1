"""Saving, opening, renaming and deleting views of a list."""

from collections.abc import Collection
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.options import IS_FACETS_VAR, IS_POPUP_VAR, TO_FIELD_VAR
from django.contrib.admin.views.main import ALL_VAR, PAGE_VAR
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from unfold.widgets import UnfoldAdminTextInputWidget

from base.admin.autocompletion import is_key
from base.admin.scoped_admin import StrictAdmin
from base.models import LONGEST_QUERY, MOST_VIEWS, SavedView, SavedViewQuerySet

_OF_THE_PAGE = {ALL_VAR, PAGE_VAR, IS_FACETS_VAR, IS_POPUP_VAR, TO_FIELD_VAR}


class NameForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=60,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        error_messages={
            "required": _("A view needs a name."),
            "max_length": _("A name can have at most 60 characters."),
        },
    )


class SavedViews(StrictAdmin):
    """A list whose views an operator can save. Opening one is a link to the list, which checks every parameter."""

    passing_lookups: Collection[str] = ()
    """Parameters whose meaning ends with the session. A view cannot have them."""
    list_before_template: Any = "base/saved_views/above_list.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.views_page)
        return [path("views/", view, name=self.url_name("views")), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        query = _query_of(request)
        shown = {
            "saved_views": self._own(request),
            "view_query": query,
            "view_form": NameForm(auto_id="view_%s"),
            "views_page": self.address("views"),
        }
        return super().changelist_view(request, {**(extra_context or {}), **shown})

    def views_page(self, request: HttpRequest) -> HttpResponse:
        """List the operator's views of this list; save, rename or delete one on POST."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method == "POST":
            return self._save(request) if request.POST.get("step") == "save" else self._change(request)
        views = [(view, NameForm({"name": view.name}, auto_id=f"view_{view.pk}_%s")) for view in self._own(request)]
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("Saved views"),
            "views": views,
            "list_page": self._list(),
        }
        response = TemplateResponse(request, "base/saved_views/page.html", context)
        response["Cache-Control"] = "no-store"
        return response

    def _save(self, request: HttpRequest) -> HttpResponse:
        """Save the list as the address has it. The list itself rejects parameters that it does not have."""
        self.get_changelist_instance(request)
        query = _query_of(request)
        if problem := self._problem(request, query):
            messages.error(request, problem)
        else:
            operator = cast("User", request.user)  # the admin is for those who are logged in
            self._write(request, SavedView(operator=operator, list_name=self.opts.label_lower, query=query))
        return HttpResponseRedirect(self._list(query))

    def _change(self, request: HttpRequest) -> HttpResponse:
        """Rename or delete one of the operator's own views; another's is not found."""
        key = request.POST.get("view", "")
        view = self._own(request).filter(pk=key).first() if is_key(SavedView, key) else None
        if view is None:
            messages.error(request, gettext("This view does not exist."))
        elif request.POST.get("step") == "delete":
            view.delete()
            messages.success(request, gettext("Deleted: %s.") % view)
        else:
            self._write(request, view)
        return HttpResponseRedirect(self.address("views"))

    def _problem(self, request: HttpRequest, query: str) -> str:
        if not query:
            return gettext("Set filters, a search or an order first.")
        if QueryDict(query).keys() & set(self.passing_lookups):
            return gettext("A list of pasted codes is kept for this session only, and cannot be saved as a view.")
        if len(query) > LONGEST_QUERY:
            return gettext("This search is too long for a view.")
        if self._own(request).count() >= MOST_VIEWS:
            text = ngettext("A list can have %d view; delete one first.", "A list can have %d views; delete one first.",
                            MOST_VIEWS)  # fmt: skip
            return text % MOST_VIEWS
        return ""

    def _write(self, request: HttpRequest, view: SavedView) -> None:
        """Give the view the name that was sent, unless another one has it."""
        form = NameForm(request.POST)
        if not form.is_valid():
            messages.error(request, " ".join(map(str, form.errors["name"])))
            return
        view.name = form.cleaned_data["name"]
        try:
            with transaction.atomic():
                view.save()
        except IntegrityError:  # the constraint; asking first would not see a second request
            messages.error(request, gettext("You have a view of this name already: %s.") % view)
        else:
            messages.success(request, gettext("Saved: %s.") % view)

    def _own(self, request: HttpRequest) -> SavedViewQuerySet:
        return SavedView.objects.of(request.user, self.opts.label_lower)

    def _list(self, query: str = "") -> str:
        address = self.address("changelist")
        return f"{address}?{query}" if query else address


def _query_of(request: HttpRequest) -> str:
    """Return the query string of a list, sorted by parameter, without its page and without empty parameters."""
    query = QueryDict(mutable=True)
    for name, values in sorted(request.GET.lists()):
        if name not in _OF_THE_PAGE and (given := [value for value in values if value]):
            query.setlist(name, given)
    return query.urlencode()
