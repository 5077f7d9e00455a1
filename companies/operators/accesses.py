"""Making the accesses of machines: a Django user that nobody can log in as, with a role and countries."""

from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone

from companies.models import OperatorAccess, OperatorProfile
from companies.models.operator_access import USERNAME_PREFIX


def make_access(
    name: str, role: Group, countries: Sequence[str], *, days: int, actor: str
) -> tuple[OperatorAccess, str]:
    """Make an access, and return it with its secret in clear.

    name: unique, not used before. countries: as in a profile. days: until it ends. actor: who makes it.
    """
    with transaction.atomic():
        user = User(username=f"{USERNAME_PREFIX}{name}", is_staff=False)
        user.set_unusable_password()
        user.save()
        user.groups.set([role])
        OperatorProfile.objects.create(user=user, countries=list(countries))
        access = OperatorAccess(user=user, name=name, created_by=actor, expires_at=timezone.now() + timedelta(days))
        secret = access.set_new_secret()
        access.save()
    return access, secret
