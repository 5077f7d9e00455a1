from django.apps import AppConfig


class PrealertsConfig(AppConfig):
    name = "prealerts"

    def ready(self) -> None:
        """Only now are the settings there: register the checks, and begin to tell of faults."""
        from prealerts import checks, sentry  # noqa: F401, PLC0415  # see above
        from prealerts.metrics import checks as metrics_checks  # noqa: F401, PLC0415  # see above

        sentry.configure()
