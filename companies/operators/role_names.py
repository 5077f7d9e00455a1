"""Translated names for the service's own roles, whose groups are stored in the database under one name."""

from collections.abc import Mapping

from django.contrib.auth.models import Group, Permission, User
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, pgettext_lazy

_NAMES: Mapping[str, str | Promise] = {
    "Onboarding": pgettext_lazy("role", "Onboarding"),
    "Operations": pgettext_lazy("role", "Operations"),
    "Privacy": pgettext_lazy("role", "Privacy"),
    "Read-only": pgettext_lazy("role", "Read-only"),
}


_WHAT_FOR: Mapping[str, str | Promise] = {
    "Onboarding": _("adds companies, subscriptions and carriers; sees the logs"),
    "Operations": _("moves and corrects guides, uploads manifests, receives cargo"),
    "Privacy": _("exports and erases a person's data"),
    "Read-only": _("sees guides, manifests, clients and webhooks, and changes nothing"),
}
_ACTIONS = {
    "view": _("view"),
    "add": _("add"),
    "change": _("change"),
    "delete": _("delete"),
    "erase_person": _("erase a person's data"),
    "export_person": _("export a person's data"),
}
_APPS = {"auditlog": _("Configuration changes"), "otp_static": _("Second factor"), "otp_totp": _("Second factor")}
"""Names of apps that have none in Spanish."""


def role_explained(group: Group) -> str:
    """The name, and what the role is for if it is one of the service's own."""
    return f"{role_name(group)}: {_WHAT_FOR[group.name]}" if group.name in _WHAT_FOR else group.name


def permission_in_words(permission: Permission) -> str:
    """What a permission allows, in the operator's language; Django words them in English alone."""
    model = permission.content_type.model_class()
    action = _ACTIONS.get(permission.codename) or _ACTIONS.get(permission.codename.partition("_")[0])
    if model is None or action is None:
        return gettext(permission.name)
    app = _APPS.get(model._meta.app_label, model._meta.app_config.verbose_name)
    return f"{app} · {model._meta.verbose_name}: {action}"


def role_name(group: Group) -> str:
    """The translated name of a role; the name itself for a group that operators created."""
    return role_in_words(group.name)


def roles_of(user: User) -> str:
    return ", ".join(role_name(group) for group in user.groups.all())


def role_in_words(name: str) -> str:
    """The same by the group's name, as logs keep it."""
    return str(_NAMES.get(name, name))
