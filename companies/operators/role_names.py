"""Translated names for the service's own roles, whose groups are stored in the database under one name."""

from collections.abc import Mapping

from django.contrib.auth.models import Group, User
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

_NAMES: Mapping[str, str | Promise] = {
    "Onboarding": pgettext_lazy("role", "Onboarding"),
    "Operations": pgettext_lazy("role", "Operations"),
    "Privacy": pgettext_lazy("role", "Privacy"),
    "Read-only": pgettext_lazy("role", "Read-only"),
}


def role_name(group: Group) -> str:
    """The translated name of a role; the name itself for a group that operators created."""
    return role_in_words(group.name)


def roles_of(user: User) -> str:
    return ", ".join(role_name(group) for group in user.groups.all())


def role_in_words(name: str) -> str:
    """The same by the group's name, as logs keep it."""
    return str(_NAMES.get(name, name))
