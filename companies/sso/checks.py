"""System checks of the settings of single sign-on. What is no JSON of the right shape stops the start itself."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004  # Django's own word for it
from django.db import connections

from companies.countries import SERVED
from companies.scope import ALL_COUNTRIES

_NEEDED = ("OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_ROLES", "OIDC_COUNTRIES")


def is_safe(address: str) -> bool:
    """Whether an issuer or an endpoint is HTTPS; HTTP is only for a provider on this machine."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme, parts.hostname) == ("http", "127.0.0.1"))


@register(Tags.security)
def single_sign_on_is_complete(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """The issuer is HTTPS, nothing is missing, countries are served, and somebody can log in."""
    if not settings.LOCAL_PASSWORDS and not settings.OIDC_ISSUER:
        hint = "Set OIDC_ISSUER, or leave LOCAL_PASSWORDS on."
        yield Error(
            "LOCAL_PASSWORDS is off and single sign-on is not configured: nobody can log in.",
            hint=hint,
            id="prealerts.E030",
        )
    if not settings.OIDC_ISSUER:
        return
    if not is_safe(settings.OIDC_ISSUER):
        hint = "Set it as the provider writes it, such as https://login.example.com/realms/courier."
        yield Error(
            "OIDC_ISSUER is not an https address (http is allowed only at 127.0.0.1).", hint=hint, id="prealerts.E031"
        )
    if missing := [name for name in _NEEDED if not getattr(settings, name)]:
        hint = "Set them: docs/operations.md, Single sign-on."
        yield Error(f"OIDC_ISSUER is set without {', '.join(missing)}.", hint=hint, id="prealerts.E032")
    lists = [codes for codes in settings.OIDC_COUNTRIES.values() if codes != ALL_COUNTRIES]
    if strange := sorted({code for codes in lists for code in codes} - set(SERVED)):
        hint = f"The countries are {', '.join(SERVED)}."
        yield Error(f"OIDC_COUNTRIES names countries not served: {', '.join(strange)}.", hint=hint, id="prealerts.E033")


@register(Tags.database)
def roles_of_single_sign_on_exist(databases: Sequence[str] | None = None, **_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """OIDC_ROLES names groups that there are. Asked for by `check --database default`."""
    connection = connections["default"]
    if "default" not in (databases or ()) or Group._meta.db_table not in connection.introspection.table_names():
        return
    if missing := sorted(set(settings.OIDC_ROLES.values()) - set(Group.objects.values_list("name", flat=True))):
        hint = "Name a role as Groups in the admin does, in English: Operations, Read-only, Onboarding, Privacy."
        yield Warning(f"OIDC_ROLES names no role: {', '.join(missing)}.", hint=hint, id="prealerts.W030")
