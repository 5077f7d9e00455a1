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
        # Only once settings and models are loaded: this registers checks and connects role creation and error reports.
        from prealerts import audit, checks, roles, sentry  # noqa: F401, PLC0415

        sentry.configure()
        audit.keep_changes()
        # The signal is only sent for apps with models; this one has none.
        post_migrate.connect(roles.fill_roles, sender=apps.get_app_config("companies"))


class LeanStaticFilesConfig(StaticFilesConfig):
    """Static files without those that no page needs: nine megabytes of a second reference page, and source maps."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc", "*.map"]


class LazyAdminConfig(SimpleAdminConfig):
    """Django's admin, whose pages are loaded with the routes (`prealerts/urls.py`), not by every command.

    They are most of what there is to import: commands spent more time importing them than on their work.
    """

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(_check_pages, checks.Tags.admin)


def _check_pages(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[checks.CheckMessage]:  # noqa: ANN401  # Django's signature
    """Django's check of every page. It loads the pages first, because the routes may not be loaded yet."""
    admin.autodiscover()
    return check_admin_app(app_configs, **kwargs)
