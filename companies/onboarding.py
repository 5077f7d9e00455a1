"""How a company comes into being, whichever door the operator uses: the command or the admin."""

import re
from collections.abc import Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from companies.models import Company, Kind

_DERIVED_PREFIX_LENGTH = 3
_SHORTEST_PREFIX = 2


def prefix_from_code(client_code: str) -> str:
    """The tracking prefix that a client code suggests: its first three letters or digits, `AC-ME` -> `ACM`.

    Raises `ValidationError` on `tracking_prefix` when the code has fewer than two of them.
    """
    prefix = re.sub(r"[^A-Z0-9]", "", client_code)[:_DERIVED_PREFIX_LENGTH]
    if len(prefix) < _SHORTEST_PREFIX:
        message = _("The client code has too few letters and digits to make a prefix from; give one of 2 to 5.")
        raise ValidationError({"tracking_prefix": message})
    return prefix


def check_links(kind: str, posts_for: Iterable[Company]) -> None:
    """Raise `ValidationError` on `posts_for` unless a company of `kind` may post for all of these.

    Not in `Company.clean`: a many-to-many relation is not there yet when a new company is validated.
    """
    clients = list(posts_for)
    if clients and kind != Kind.COURIER:
        raise ValidationError({"posts_for": _("Only a courier posts for others; leave this empty for a client.")})
    if couriers := [company.client_code for company in clients if company.is_courier]:
        message = _("A courier posts for clients only; these are couriers: %(codes)s.")
        raise ValidationError({"posts_for": ValidationError(message, params={"codes": ", ".join(couriers)})})


def onboard(company: Company, *, posts_for: Sequence[Company] = ()) -> str:
    """Store a new company, link a courier to its clients, give it its first password: all of it or nothing.

    company: not yet stored. posts_for: the clients a courier may post for.
    Returns the API password in clear, to be shown once. Raises `ValidationError`, keyed by field.
    """
    with transaction.atomic():
        check_links(company.kind, posts_for)
        company.full_clean()
        company.save()
        company.posts_for.set(posts_for)
        return company.set_new_password()
