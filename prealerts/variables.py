"""Environment variables, parsed strictly: invalid values are never guessed. Only the settings read them.

django-environ treats every unknown word as false, an empty one too: a typo would turn off the second factor, secure
cookies and HSTS, and an empty pepper would be accepted.
"""

from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import environ
import msgspec
from django.core.exceptions import ImproperlyConfigured

_ON, _OFF = {"on", "true", "yes", "y", "1"}, {"off", "false", "no", "n", "0"}

_Shape = TypeVar("_Shape")

_DATABASES = {"django.db.backends.postgresql", "django.db.backends.sqlite3"}
"""The databases that the test suite runs on; no other was ever tested."""


_MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


class Variables(environ.Env):  # type: ignore[misc]  # untyped in its library
    """An empty value counts as unset. Errors contain the variable's name, never its value."""

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: Any = False  # noqa: ANN401, FBT002  # django-environ's signature
    ) -> Any:  # noqa: ANN401  # as above  # fmt: skip
        """Raises `ImproperlyConfigured` if the variable has no value and no default, or is not a valid number."""
        if not self.ENVIRON.get(var, "").strip():
            if default is self.NOTSET:
                raise ImproperlyConfigured(f"{var} is not set; README.md describes it.")
            return default
        try:
            return super().get_value(var, cast, default, parse_default)
        except ValueError:
            raise ImproperlyConfigured(f"{var} must be a whole number.") from None

    def bool(self, var: str, default: Any = environ.Env.NOTSET) -> Any:  # noqa: ANN401  # the name hides the type
        """Raises `ImproperlyConfigured` for anything but on and off."""
        word = self.ENVIRON.get(var, "").strip().lower()
        if word and word not in _ON | _OFF:
            raise ImproperlyConfigured(f"{var} must be on or off.")
        return word in _ON if word else self.get_value(var, default=default)

    def json_of(self, var: str, shape: type[_Shape], example: str) -> _Shape:
        """Return JSON in this shape, of an unset variable an empty object. Raises `ImproperlyConfigured`."""
        try:
            return msgspec.json.decode(self.get_value(var, default="{}"), type=shape)
        except (msgspec.DecodeError, ValueError) as error:  # ValueError: not UTF-8
            raise ImproperlyConfigured(f"{var} must be JSON such as {example}: {error}.") from None

    def rate(self, var: str, highest: int, default: int = 0) -> int:
        """Return a number of requests a second, from 1 to `highest`; 0 for `off`.

        Raises `ImproperlyConfigured` for anything else.
        """
        word = self.ENVIRON.get(var, "").strip().lower()
        if not word:
            return default
        if word == "off":
            return 0
        if word.isascii() and word.isdigit() and 1 <= int(word) <= highest:
            return int(word)
        raise ImproperlyConfigured(f"{var} must be off, or a whole number from 1 to {highest:,}.")

    def database(self, var: str, default: str) -> dict[str, Any]:
        """Return an entry of DATABASES; a PostgreSQL URL may name several hosts, separated by commas.

        Raises `ImproperlyConfigured` for anything but an SQLite or PostgreSQL URL; the message does not repeat it,
        because it contains a password.
        """
        address = self.get_value(var, default=default)
        try:
            if self.DB_SCHEMES.get(address.partition(":")[0]) in _DATABASES:
                return _with_ports_of_all(self.db_url_config(address))
        except ValueError:
            pass  # rejected below: an invalid port
        raise ImproperlyConfigured(
            f"{var} must be like postgres://user:password@host:5432/name or sqlite:///path; of several hosts, each has "
            "a port or none has."
        )

    def mail(self, var: str) -> dict[str, Any]:
        """Return what Django's SMTP backend takes; without a value nothing.

        smtp: in clear. smtp+tls: STARTTLS. smtps: TLS from the first byte (RFC 8314), where django-environ's own parser
        takes STARTTLS. Raises `ImproperlyConfigured`; the message does not repeat the value, which has a password.
        """
        value = self.get_value(var, default="")
        if not value:
            return {}
        try:
            parts = urlsplit(value)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = None
        if not host or parts.scheme not in _MAIL_PORTS or parts.path not in {"", "/"} or parts.query:
            raise ImproperlyConfigured(f"{var} must be like smtp+tls://user:password@host:587, smtp:// or smtps://.")
        return {
            "host": host,
            "port": port or _MAIL_PORTS[parts.scheme],
            "username": unquote(parts.username or ""),
            "password": unquote(parts.password or ""),
            "use_tls": parts.scheme == "smtp+tls",
            "use_ssl": parts.scheme == "smtps",
        }


def _with_ports_of_all(database: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry as libpq expects several hosts.

    Raises `ValueError` if only some of them have a valid port: libpq would use it for all.
    """
    hosts, ports = str(database["HOST"]).split(","), str(database["PORT"]).split(",")
    if len(hosts) == 1:
        return dict(database)
    bare = [host.removeprefix("[").removesuffix("]") for host in hosts]  # IPv6
    has_rest = any(":" in host for host in hosts if not host.startswith("["))  # a port that is not a number
    if has_rest or not all(bare) or (ports != [""] and len(ports) != len(hosts)):
        raise ValueError
    return {**database, "HOST": ",".join(bare)}
