from django.apps import AppConfig


class PrealertsConfig(AppConfig):
    name = "prealerts"

    def ready(self) -> None:
        from prealerts import checks  # noqa: F401, PLC0415  # registers them, and only once the settings are there
