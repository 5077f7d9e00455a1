"""The countries served as operators read and choose them: in their language, in the order of the table."""

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from companies.countries import SERVED


def country_choices() -> list[tuple[str, str | Promise]]:
    """(code, name) of every country served, for models and forms.

    Models take this function, not its list: a migration then names the function, and a further country needs none.
    """
    return [(country.code, gettext_lazy(country.name)) for country in SERVED.values()]


def country_name(code: str) -> str:
    """The name of a country served, in the language in use. Raises `KeyError` for another code."""
    return str(gettext_lazy(SERVED[code].name))


def country_list(value: object) -> None:
    """Validate a list of distinct codes of countries served (alpha-2)."""
    if (
        not isinstance(value, list)
        or not all(isinstance(code, str) and code in SERVED for code in value)
        or len(set(value)) != len(value)
    ):
        codes = ", ".join(SERVED)
        raise ValidationError(gettext_lazy("Choose among %(codes)s, each at most once."), params={"codes": codes})
