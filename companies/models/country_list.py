"""Validation of the lists of countries that companies and operators have."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from companies.countries import SERVED
from companies.operators.scope import ALL_COUNTRIES


def country_list(value: object) -> None:
    """Validate a list of distinct codes of countries served (alpha-2)."""
    if (
        not isinstance(value, list)
        or not all(isinstance(code, str) and code in SERVED for code in value)
        or len(set(value)) != len(value)
    ):
        raise ValidationError(_("Choose among %(codes)s, each at most once."), params={"codes": ", ".join(SERVED)})


def operator_countries(value: object) -> None:
    """Validate an operator's countries: `["all"]`, or a list as above, which is empty until somebody chooses."""
    if value != [ALL_COUNTRIES]:
        country_list(value)
