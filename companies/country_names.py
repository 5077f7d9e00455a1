"""The countries served and their clocks as operators read them: in their language, in the order of the table."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from companies.countries import SERVED


def country_choices() -> list[tuple[str, str | Promise]]:
    """(code, name) of every country served, for models and forms.

    Models take this function, not its list: a migration then names the function, and a further country needs none.
    """
    return [(country.code, gettext_lazy(country.name)) for country in SERVED.values()]


def country_name(code: str) -> str:
    """The name of a country served, in the language in use. Raises `KeyError` for another code."""
    return str(gettext_lazy(SERVED[code].name))


def zone_choices() -> list[tuple[str, str | Promise]]:
    """Return the time zones that an operator can choose: none, the countries' and UTC."""
    zones = [(country.clock.key, country.capital) for country in SERVED.values()]
    return [("", _("The country's, or UTC")), *zones, ("UTC", "UTC")]
