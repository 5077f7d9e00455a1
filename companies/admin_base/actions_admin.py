"""The base of every admin whose rows operators act on: it offers its actions on pages and in lists."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.dataclasses import UnfoldAction
from unfold.enums import ActionVariant

from companies.admin_base.confirmed_action import ConfirmedAction, Scene

_SELECTION = ("action", "select_across", "index", ACTION_CHECKBOX_NAME)


class ActionsAdmin(ModelAdmin):
    """confirmed_actions: what operators do to the rows, in the order of the buttons."""

    confirmed_actions: Sequence[ConfirmedAction[Any]] = ()
    actions_detail: Any = ()

    def __init__(self, *args: Any) -> None:  # noqa: ANN401  # Django's
        super().__init__(*args)
        paged = [each for each in self.confirmed_actions if each.has_page]
        self.actions_detail = [each.name for each in paged]
        for each in paged:
            setattr(self, each.name, self._on_page(each))
        self.actions = [
            *(self._on_list(each) for each in self.confirmed_actions if each.list_name),
            *(self.actions or ()),
        ]

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Leave out the actions that do not fit the row, or that the operator may not do to it."""
        row = self.get_object(request, str(object_id))
        if row is None:  # before the page reveals which actions it has
            if not self.has_view_or_change_permission(request):
                raise PermissionDenied
            raise Http404
        return [
            self.get_unfold_action(each.name)
            for each in self.confirmed_actions
            if each.has_page and each.in_bar and each.fits(row) and each.is_permitted(self, request, row)
        ]

    def addresses(self, row: Any) -> Mapping[str, str]:  # noqa: ANN401  # a row of the admin's model
        """Return the address of each action's page for `row`, by the action's name."""
        prefix = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        return {name: reverse(f"{prefix}_{name}", args=[row.pk]) for name in self.actions_detail}

    def scene_of(self, request: HttpRequest, object_id: str) -> Scene[Any]:
        """Return the scene of a row's page. Raises `Http404`."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        way_back = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[row.pk])
        return Scene(self, request, self.model.objects.filter(pk=row.pk), way_back, row)

    def _on_page(self, action: ConfirmedAction[Any]) -> Callable[..., HttpResponseBase]:
        def page(request: HttpRequest, object_id: str) -> HttpResponseBase:
            action.require_permission(self, request)  # before a 404 tells which rows there are
            return action.answer(self.scene_of(request, object_id))

        return _described(action.guard(page), action, action.name)

    def _on_list(self, action: ConfirmedAction[Any]) -> Callable[..., HttpResponseBase]:
        def chosen(_admin: Any, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponseBase:  # noqa: ANN401  # Django's
            again = {name: request.POST.getlist(name) for name in _SELECTION if name in request.POST}
            return action.answer(Scene(self, request, rows, request.get_full_path(), None, again))

        return _described(chosen, action, action.list_name)


def _described(view: Any, action: ConfirmedAction[Any], name: str) -> Callable[..., HttpResponseBase]:  # noqa: ANN401  # gets attributes
    """Give the view what Django and unfold read of an action."""
    view.__name__ = name
    view.short_description, view.allowed_permissions = action.label, [action.permission]
    view.url_path, view.icon, view.attrs = action.path or action.name.replace("_", "-"), action.icon, {}
    view.variant = ActionVariant.DEFAULT
    described: Callable[..., HttpResponseBase] = view
    return described
