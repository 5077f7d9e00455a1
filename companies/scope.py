"""The country scope of operators: an operator of Chile sees Chile, without a sign that there is more.

Each model has one rule, `visible_to(user)` on its QuerySet, which uses the scope; every page of the admin starts
from it (`base/admin/scoped_admin.py`). The API does not use it: a company's rights are its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User

Viewer = AbstractBaseUser | AnonymousUser
"""The user that made a request."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Countries as alpha-2 codes; None: all of them, including any added later."""

    countries: frozenset[str] | None

    @property
    def is_everywhere(self) -> bool:
        return self.countries is None

    def covers(self, countries: Iterable[str]) -> bool:
        """Whether all `countries` are in scope. Objects without a country are only for unlimited scopes."""
        if self.countries is None:
            return True
        named = frozenset(countries)
        return bool(named) and named <= self.countries


ALL_COUNTRIES = "all"
"""In the place of a profile's countries: all of them, including any added later."""

EVERYWHERE = Scope(None)
NOWHERE = Scope(frozenset())


def scope_of(user: Viewer) -> Scope:
    """The scope of `user`: unlimited for superusers and where the profile says so; empty without a profile or a choice,
    and for anonymous users.
    """
    if not isinstance(user, User) or not user.is_active:
        return NOWHERE
    if user.is_superuser:
        return EVERYWHERE
    profile = getattr(user, "operator_profile", None)
    countries = frozenset(profile.countries if profile else ())
    return EVERYWHERE if ALL_COUNTRIES in countries else Scope(countries)
