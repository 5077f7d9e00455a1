"""Onboard a company, deactivate it and activate it again, from commands or the admin."""

import re
from collections.abc import Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from companies.models import Company, Kind

_DERIVED_PREFIX_LENGTH = 3
_SHORTEST_PREFIX = 2


def prefix_from_code(client_code: str) -> str:
    """Return the tracking prefix derived from a client code: its first three letters or digits, `AC-ME` -> `ACM`.

    Raises `ValidationError` on `tracking_prefix` if the code has fewer than two of them.
    """
    prefix = re.sub(r"[^A-Z0-9]", "", client_code)[:_DERIVED_PREFIX_LENGTH]
    if len(prefix) < _SHORTEST_PREFIX:
        message = _("The client code has too few letters and digits to derive a prefix; enter one.")
        raise ValidationError({"tracking_prefix": message})
    return prefix


def check_links(kind: str, posts_for: Iterable[Company]) -> None:
    """Raise `ValidationError` on `posts_for` unless a company of `kind` may post for all of these.

    Not in `Company.clean`: a new company has no many-to-many relation yet when it is validated.
    """
    clients = list(posts_for)
    if clients and kind != Kind.COURIER:
        raise ValidationError({"posts_for": _("Only couriers post for others; leave this empty for a client.")})
    if couriers := [company.client_code for company in clients if company.is_courier]:
        message = _("A courier can only post for clients; these are couriers: %(codes)s.")
        raise ValidationError({"posts_for": ValidationError(message, params={"codes": ", ".join(couriers)})})


def onboard(company: Company, *, posts_for: Sequence[Company] = ()) -> str:
    """Save a new company, link a courier to its clients and set the first password, in one transaction.

    company: not saved yet. posts_for: the clients a courier may post for.
    Returns the API password in clear, to be shown once. Raises `ValidationError`, keyed by field.
    """
    with transaction.atomic():
        check_links(company.kind, posts_for)
        company.full_clean()
        company.save()
        company.posts_for.set(posts_for)
        return company.set_new_password()


def deactivate(company: Company) -> bool:
    """Deactivate `company`: its API password stops working at once. Return whether this changed anything."""
    return _switch(company, is_active=False)


def activate(company: Company) -> bool:
    """Activate `company` again; its previous password works again. Return whether this changed anything."""
    return _switch(company, is_active=True)


def _switch(company: Company, *, is_active: bool) -> bool:
    # Locked, so that if two operators press the same button, only one is credited with the change. Saved through the
    # model, so that the audit log records it.
    with transaction.atomic():
        locked = Company.objects.select_for_update(no_key=True).get(pk=company.pk)
        changed = locked.is_active is not is_active
        if changed:
            locked.is_active = is_active
            locked.save(update_fields=["is_active"])
    company.is_active = is_active
    return changed
