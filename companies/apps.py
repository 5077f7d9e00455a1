from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CompaniesConfig(AppConfig):
    name = "companies"
    verbose_name = _("Companies")

    def ready(self) -> None:
        from companies.operators import logins  # noqa: PLC0415  # only once the models are there
        from companies.sso import checks  # noqa: F401, PLC0415  # registers them

        logins.keep_logins()
