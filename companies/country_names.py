"""The countries served and their clocks as operators read them: in their language, in the order of the table."""

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from companies.countries import SERVED
from companies.scope import ALL_COUNTRIES, Scope


def country_choices() -> list[tuple[str, str | Promise]]:
    """(code, name) of every country served, for models and forms.

    Models take this function, not its list: a migration then names the function, and a further country needs none.
    """
    return [(country.code, gettext_lazy(country.name)) for country in SERVED.values()]


def choices_within(scope: Scope) -> list[tuple[str, str | Promise]]:
    """Return those of `country_choices` that are in an operator's scope."""
    return [(code, name) for code, name in country_choices() if scope.covers([code])]


def country_name(code: str) -> str:
    """The name of a country served, in the language in use. Raises `KeyError` for another code."""
    return str(gettext_lazy(SERVED[code].name))


def zone_choices() -> list[tuple[str, str | Promise]]:
    """Return the time zones that an operator can choose: none, the countries' and UTC."""
    zones = [(country.clock.key, country.capital) for country in SERVED.values()]
    return [("", gettext_lazy("The country's, or UTC")), *zones, ("UTC", "UTC")]


def country_list(value: object) -> None:
    """Validate a list of distinct codes of countries served (alpha-2)."""
    if (
        not isinstance(value, list)
        or not all(isinstance(code, str) and code in SERVED for code in value)
        or len(set(value)) != len(value)
    ):
        codes = ", ".join(SERVED)
        raise ValidationError(gettext_lazy("Choose among %(codes)s, each at most once."), params={"codes": codes})


def operator_countries(value: object) -> None:
    """Validate an operator's countries: `["all"]`, or a list as above, which is empty until somebody chooses."""
    if value != [ALL_COUNTRIES]:
        country_list(value)
