from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ShipmentsConfig(AppConfig):
    name = "shipments"
    verbose_name = _("Shipments")

    def ready(self) -> None:
        from shipments import checks  # noqa: F401, PLC0415  # registers them, and only once the settings are there
        from shipments.subjects import page_of  # noqa: PLC0415  # reads models, which are there only now
        from webhooks import subjects  # noqa: PLC0415  # as above

        subjects.shown_by(page_of)
