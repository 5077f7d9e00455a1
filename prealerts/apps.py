from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.contrib import admin
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core import checks
from django.db.models.signals import post_migrate


class PrealertsConfig(AppConfig):
    name = "prealerts"

    def ready(self) -> None:
        # Only once the settings and the models are there: checks register themselves, roles are filled, faults told.
        from prealerts import audit, checks, roles, sentry  # noqa: F401, PLC0415
        from prealerts.metrics import addresses as metrics_checks  # noqa: F401, PLC0415

        sentry.configure()
        audit.keep_changes()
        # The signal is sent for rooms that have models; this one has none.
        post_migrate.connect(roles.fill_roles, sender=apps.get_app_config("companies"))


class LeanStaticFilesConfig(StaticFilesConfig):
    """Static files without what no page asks for: a second reference page of nine megabytes, maps for debuggers."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc", "*.map"]


class DeskConfig(SimpleAdminConfig):
    """Django's admin, its pages loaded with the routes (`prealerts/urls.py`) and not by every command.

    They are most of what there is to import: a command that tells one scan waited longer for them than for its work.
    """

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(_check_pages, checks.Tags.admin)


def _check_pages(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[checks.CheckMessage]:  # noqa: ANN401  # Django's signature
    """Django's own check of every page; they must be loaded to be seen, and nothing says that the routes are."""
    admin.autodiscover()
    return check_admin_app(app_configs, **kwargs)
