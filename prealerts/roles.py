"""The roles of the desk: groups that every migration finds or makes, with the permissions each role's work needs.

Permissions come into being after a migration, with the models they speak of; so the roles are filled at its end, and a
permission that a later version adds reaches them by itself. What an administrator adds to a role stays; what is taken
from one comes back: a narrower role is a group of one's own. Superusers need no role.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission
from django.db import DEFAULT_DB_ALIAS, connections

_READS = (
    "companies.view_company",
    "shipments.view_flight",
    "shipments.view_guide",
    "shipments.view_manifest",
    "webhooks.view_delivery",
    "webhooks.view_subscription",
)

ROLES: Mapping[str, Sequence[str]] = {
    "Onboarding": (
        *_READS,
        "admin.view_logentry",
        "auditlog.view_logentry",
        "companies.add_company",
        "companies.change_company",
        "webhooks.add_subscription",
        "webhooks.change_subscription",
        "webhooks.delete_subscription",
    ),
    "Operations": (*_READS, "shipments.change_guide", "shipments.change_manifest"),
    "Read-only": _READS,
}
"""Name of the group -> what it may, as `app.codename`."""


def fill_roles(sender: AppConfig, using: str = DEFAULT_DB_ALIAS, **_more: Any) -> None:  # noqa: ANN401, ARG001  # Django's signal
    """Make the groups and give them what is missing; at the end of each `migrate`, through Django's post_migrate."""
    if "auth_group_permissions" not in connections[using].introspection.table_names():
        return  # somebody migrates backwards, or a part
    for config in apps.get_app_configs():
        create_permissions(config, verbosity=0, using=using)
    permissions = Permission.objects.using(using).values_list("pk", "content_type__app_label", "codename")
    known = {f"{app}.{codename}": key for key, app, codename in permissions}
    for name, wanted in ROLES.items():
        group, _made = Group.objects.using(using).get_or_create(name=name)
        group.permissions.add(*(known[permission] for permission in wanted))
