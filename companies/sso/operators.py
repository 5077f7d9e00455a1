"""Whom a login at the provider lets in: the operator who is bound to (issuer, `sub`), never to an e-mail or a name."""

from collections.abc import Sequence

import structlog
from auditlog.context import set_actor
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from base.http.requests import client_address
from companies.models import OperatorProfile
from companies.operators.invitations import accept, find_invited_user
from companies.sso.claims import Claims, name_and_email, roles_and_countries, username_of
from companies.sso.refusals import Deactivated, NameTaken, NoRole

log = structlog.get_logger(__name__)


def admit(request: HttpRequest, claims: Claims) -> User:
    """Return the operator of these verified claims, with the roles and the countries that they give now.

    Whoever is not known and has a role and a country is made. Raises `NoRole`, `Deactivated` or `NameTaken`; an
    operator whom the provider gives nothing any more loses what there was all the same.
    """
    subject = claims["sub"]
    names, countries = roles_and_countries(claims)
    roles = list(Group.objects.filter(name__in=names))
    if unknown := names - {role.name for role in roles}:
        log.error("sso_roles_unknown", roles=sorted(unknown))
    is_enough = bool(roles and countries)
    user = _find_bound(subject)
    if user is None and is_enough:
        user = _bind_or_make(request, subject, claims)
    if user is not None and not (user.is_active and user.is_staff):
        raise Deactivated("deactivated")
    if user is not None:
        _give(request, user, roles, countries)
    if user is None or not is_enough:
        raise NoRole("no_country" if roles else "no_role", subject=subject)
    return user


def _find_bound(subject: str) -> User | None:
    return User.objects.filter(
        operator_profile__issuer=settings.OIDC_ISSUER, operator_profile__subject=subject, operator_access=None
    ).first()


def bind(user: User, subject: str) -> None:
    """Let the person with this `sub` log in as `user`. Raises `IntegrityError` if it is somebody else's."""
    values = {"subject": subject, "issuer": settings.OIDC_ISSUER}
    OperatorProfile.objects.update_or_create(user=user, defaults=values)


def _bind_or_make(request: HttpRequest, subject: str, claims: Claims) -> User:
    """Return whoever opened an invitation in this session, else a new operator, bound to the person from now on."""
    try:
        with transaction.atomic():
            return _bind_invited(request, subject) or _make(request, subject, claims)
    except IntegrityError:
        if (bound_meanwhile := _find_bound(subject)) is None:
            raise NameTaken("name_taken", username=username_of(settings.OIDC_ISSUER, subject)) from None
        return bound_meanwhile  # by another login of the same person


def _bind_invited(request: HttpRequest, subject: str) -> User | None:
    user = find_invited_user(request)
    if user is None or OperatorProfile.objects.filter(user=user).exclude(subject="").exists():
        return None
    with set_actor(user, client_address(request)):
        bind(user, subject)
    accept(user)
    return user


def _make(request: HttpRequest, subject: str, claims: Claims) -> User:
    user = User(username=username_of(settings.OIDC_ISSUER, subject), is_staff=True, **name_and_email(claims))
    user.set_unusable_password()
    with set_actor(user, client_address(request)):
        user.save()
        bind(user, subject)
    log.info("sso_operator_made", user_id=user.pk)
    return user


def _give(request: HttpRequest, user: User, roles: Sequence[Group], countries: list[str]) -> None:
    """Give exactly these; a superuser stays one, and nobody becomes one."""
    with transaction.atomic(), set_actor(user, client_address(request)):
        user.groups.set(roles)
        profile, _made = OperatorProfile.objects.get_or_create(user=user)
        if profile.countries != countries:
            profile.countries = countries
            profile.save(update_fields=["countries"])
