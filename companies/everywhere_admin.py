"""Pages of the admin for those who see every country."""

from typing import Any

from django.http import HttpRequest

from base.admin.scoped_admin import StrictAdmin
from companies.scope import scope_of


class EverywhereAdmin(StrictAdmin):
    """Pages that concern the whole service, such as its operators: only for operators who see every country."""

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
