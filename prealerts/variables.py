"""The environment's variables, read strictly: what was meant is never guessed. The settings ask here and nobody else.

django-environ takes every word that it does not know for no, an empty one too: a slip of the hand would turn off the
second factor, secure cookies and HSTS, and an empty pepper would be taken for one.
"""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

_ON, _OFF = {"on", "true", "yes", "y", "1"}, {"off", "false", "no", "n", "0"}

_DATABASES = {"django.db.backends.postgresql", "django.db.backends.sqlite3"}
"""What the suite runs on; on any other nothing here was ever tested."""


class Variables(environ.Env):  # type: ignore[misc]  # untyped in its library
    """An empty value counts as left out. What cannot be read is refused by its name; its value is not repeated."""

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: Any = False  # noqa: ANN401, FBT002  # django-environ's signature
    ) -> Any:  # noqa: ANN401  # as above  # fmt: skip
        """Raises `ImproperlyConfigured` for a variable that is missing and has no default, and for a bad number."""
        if not self.ENVIRON.get(var, "").strip():
            if default is self.NOTSET:
                raise ImproperlyConfigured(f"{var} is not set; README.md tells what it is for.")
            return default
        try:
            return super().get_value(var, cast, default, parse_default)
        except ValueError:
            raise ImproperlyConfigured(f"{var} must be a whole number.") from None

    def bool(self, var: str, default: Any = environ.Env.NOTSET) -> Any:  # noqa: ANN401  # the name hides the type
        """Raises `ImproperlyConfigured` for a word that is neither on nor off."""
        word = self.ENVIRON.get(var, "").strip().lower()
        if word and word not in _ON | _OFF:
            raise ImproperlyConfigured(f"{var} must be on or off.")
        return word in _ON if word else self.get_value(var, default=default)

    def database(self, var: str, default: str) -> dict[str, Any]:
        """An entry of DATABASES. Raises `ImproperlyConfigured` for what is no address of SQLite or PostgreSQL; the
        address is not repeated, it holds a password.
        """
        address = self.get_value(var, default=default)
        try:
            if self.DB_SCHEMES.get(address.partition(":")[0]) in _DATABASES:
                return dict(self.db_url_config(address))
        except ValueError:
            pass  # refused like the others: a port that is no number
        raise ImproperlyConfigured(f"{var} must be like postgres://user:password@host:5432/name or sqlite:///path.")
