"""The people who work in the admin, and the groups that give them their permissions, in the admin's own look."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]  # as unfold's manual has it; its hints disagree with Django's
    """Users. Only a superuser makes or touches a superuser: `change_user` alone must not be a way to become one."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["username", "first_name", "last_name", "email", "is_staff", "is_active", "last_login"]
    readonly_fields = ["last_login", "date_joined"]
    autocomplete_fields = ["groups"]
    filter_horizontal = ["user_permissions"]
    compressed_fields = False  # two lists side by side need the width

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        fields = list(super().get_readonly_fields(request, obj))
        return fields if request.user.is_superuser else [*fields, "is_superuser", "user_permissions"]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and self._may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and self._may_touch(request, obj)

    @staticmethod
    def _may_touch(request: HttpRequest, user: Any) -> bool:  # noqa: ANN401  # unfold passes an id where Django passes a user
        return request.user.is_superuser or not getattr(user, "is_superuser", False)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):  # type: ignore[misc]  # as above
    """Groups."""

    compressed_fields = False  # as above
