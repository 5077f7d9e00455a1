from django.apps import AppConfig, apps
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.db.models.signals import post_migrate


class PrealertsConfig(AppConfig):
    name = "prealerts"

    def ready(self) -> None:
        # Only once the settings and the models are there: checks register themselves, roles are filled, faults told.
        from prealerts import audit, checks, roles, sentry  # noqa: F401, PLC0415
        from prealerts.metrics import checks as metrics_checks  # noqa: F401, PLC0415

        sentry.configure()
        audit.keep_changes()
        # The signal is sent for rooms that have models; this one has none.
        post_migrate.connect(roles.fill_roles, sender=apps.get_app_config("companies"))


class LeanStaticFilesConfig(StaticFilesConfig):
    """Static files without what no page asks for: a second reference page of nine megabytes, maps for debuggers."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc", "*.map"]
