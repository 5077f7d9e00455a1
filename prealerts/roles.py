"""The roles of operators: groups that every migration creates or updates with the permissions of each role.

Permissions are created after a migration, together with their models, so the roles are updated at its end, and
receive new permissions automatically. Permissions that an administrator adds to a role are kept; those removed are
restored: for a narrower role, create another group. Superusers need no role.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission
from django.db import DEFAULT_DB_ALIAS, connections

_READS = (
    "companies.view_company", "shipments.view_carrier", "shipments.view_carriercode", "shipments.view_carrierevent",
    "shipments.view_carrierreceipt", "shipments.view_flight", "shipments.view_guide", "shipments.view_inboundbatch",
    "shipments.view_layout", "shipments.view_manifest", "shipments.view_outgoinglayout",
    "shipments.view_refusedrequest", "shipments.view_uploadjob", "webhooks.view_delivery",
    "webhooks.view_subscription",
)  # fmt: skip
_PAPERS = (
    "shipments.add_outgoinglayout", "shipments.change_outgoinglayout", "shipments.delete_outgoinglayout",
)  # fmt: skip

ROLES: Mapping[str, Sequence[str]] = {
    "Onboarding": (
        *_READS, *_PAPERS,
        "admin.view_logentry", "auditlog.view_logentry", "companies.add_company", "companies.change_company",
        "shipments.add_carrier", "shipments.change_carrier", "shipments.change_layout", "webhooks.add_subscription",
        "webhooks.change_subscription", "webhooks.delete_subscription",
    ),
    "Operations": (
        *_READS, *_PAPERS,
        "shipments.add_inboundbatch", "shipments.change_carriercode", "shipments.change_carrierevent",
        "shipments.change_carrierreceipt", "shipments.change_guide", "shipments.change_inboundbatch",
        "shipments.change_layout", "shipments.change_manifest",
    ),
    "Privacy": ("shipments.erase_person", "shipments.export_person", "shipments.view_erasure"),
    "Read-only": _READS,
}  # fmt: skip
"""Name of the group -> its permissions, as `app.codename`."""


def fill_roles(sender: AppConfig, using: str = DEFAULT_DB_ALIAS, **_more: Any) -> None:  # noqa: ANN401, ARG001  # Django's signal
    """Create the groups and add missing permissions; called after each `migrate` by Django's post_migrate."""
    if "auth_group_permissions" not in connections[using].introspection.table_names():
        return  # a backwards or partial migration
    for config in apps.get_app_configs():
        create_permissions(config, verbosity=0, using=using)
    permissions = Permission.objects.using(using).values_list("pk", "content_type__app_label", "codename")
    known = {f"{app}.{codename}": key for key, app, codename in permissions}
    for name, wanted in ROLES.items():
        group, _made = Group.objects.using(using).get_or_create(name=name)
        group.permissions.add(*(known[permission] for permission in wanted))
