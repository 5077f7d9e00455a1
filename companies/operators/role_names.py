"""What operators read where a group of theirs is one of the service's own roles: groups are rows, and rows speak one
language."""

from collections.abc import Mapping

from django.contrib.auth.models import Group
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

_NAMES: Mapping[str, str | Promise] = {
    "Onboarding": pgettext_lazy("role", "Onboarding"),
    "Operations": pgettext_lazy("role", "Operations"),
    "Read-only": pgettext_lazy("role", "Read-only"),
}


def role_name(group: Group) -> str:
    """A role in the language that is active; a group of the operators' own by its name."""
    return str(_NAMES.get(group.name, group.name))
