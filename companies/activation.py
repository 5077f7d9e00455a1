"""Deactivate and activate companies. Data is kept; only the password stops, or starts again, to work."""

from django.db import transaction

from companies.models import Company


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
