"""Whose destinations an operator sees: an operator of Chile sees Chile, and nothing says that there is more.

One rule for each model, `visible_to(user)` on its QuerySet, built on the scope; every page of the admin begins there
(`scoped_admin.py`). The API knows nothing of it: a company's rights are its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User

Viewer = AbstractBaseUser | AnonymousUser
"""Whoever a request was made by."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Destinations, as alpha-2 codes; None: all of them, also those that are served one day."""

    countries: frozenset[str] | None

    @property
    def is_everywhere(self) -> bool:
        return self.countries is None

    def covers(self, countries: Iterable[str]) -> bool:
        """Whether all of `countries` lie within it. What names no country belongs to those who see everything."""
        if self.countries is None:
            return True
        named = frozenset(countries)
        return bool(named) and named <= self.countries


EVERYWHERE = Scope(None)
NOWHERE = Scope(frozenset())


def scope_of(user: Viewer) -> Scope:
    """The scope of `user`: everything for a superuser and for whoever has no countries set; nothing for a stranger."""
    if not isinstance(user, User) or not user.is_active:
        return NOWHERE
    profile = None if user.is_superuser else getattr(user, "operator_profile", None)
    return Scope(frozenset(profile.countries)) if profile is not None and profile.countries else EVERYWHERE
