from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ShipmentsConfig(AppConfig):
    name = "shipments"
    verbose_name = _("Shipments")

    def ready(self) -> None:
        from shipments import checks  # noqa: F401, PLC0415  # registers the checks, once the settings are available
