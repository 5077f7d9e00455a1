from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ShipmentsConfig(AppConfig):
    name = "shipments"
    verbose_name = _("Shipments")

    def ready(self) -> None:
        from shipments import checks  # noqa: F401, PLC0415  # registers the checks, once the settings are available
        from shipments.subjects import page_of  # noqa: PLC0415  # imports models, which are only available now
        from webhooks import subjects  # noqa: PLC0415  # as above

        subjects.shown_by(page_of)
