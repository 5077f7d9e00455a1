"""What the service stores about an operator beyond Django's user."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.country_names import operator_countries, zone_choices
from companies.scope import ALL_COUNTRIES


class OperatorProfile(models.Model):
    """The countries an operator sees, the clock that shows times, and whether the password must be changed."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="operator_profile", verbose_name=_("user")
    )
    countries = models.JSONField(
        _("countries"),
        default=list,
        blank=True,
        validators=[operator_countries],
        help_text=_("Destinations the operator sees and works on."),
    )
    time_zone = models.CharField(
        _("time zone"),
        max_length=40,
        blank=True,
        default="",
        db_default="",
        choices=zone_choices,
        help_text=_("The clock by which times are shown. Flights and arrivals keep the destination's."),
    )

    # Set with a password that somebody else chose, until the operator changes it.
    must_change_password = models.BooleanField(_("must change the password"), default=False, db_default=False)

    class Meta:
        verbose_name = _("scope of an operator")
        verbose_name_plural = _("scopes of operators")

    def __str__(self) -> str:
        if ALL_COUNTRIES in self.countries:
            return str(_("All countries"))
        return ", ".join(self.countries) or str(_("No country"))
