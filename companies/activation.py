"""Closing and opening the API to a company. Its data stays; only its password stops, or starts again, to count."""

from django.db import transaction

from companies.models import Company


def deactivate(company: Company) -> bool:
    """Close the API to `company`, at once. Returns whether that changed anything."""
    return _switch(company, is_active=False)


def activate(company: Company) -> bool:
    """Open the API to `company` again, with the password it had. Returns whether that changed anything."""
    return _switch(company, is_active=True)


def _switch(company: Company, *, is_active: bool) -> bool:
    # Under its lock, so that of two operators who press the same button only one is told that it was them; saved, so
    # that the change is kept.
    with transaction.atomic():
        locked = Company.objects.select_for_update(no_key=True).get(pk=company.pk)
        changed = locked.is_active is not is_active
        if changed:
            locked.is_active = is_active
            locked.save(update_fields=["is_active"])
    company.is_active = is_active
    return changed
