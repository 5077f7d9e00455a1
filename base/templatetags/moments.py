"""Points in time as the admin shows them."""

from datetime import datetime
from typing import Any

from django.db.models import DateTimeField
from django.template import Library

from base.db.moments import in_list

register = Library()


@register.filter
def moment(at: datetime | None) -> str:
    """Return a time by the operator's clock; empty without one."""
    return in_list(at) if at else ""


@register.filter
def read_only(field: Any) -> Any:  # noqa: ANN401  # unfold's field of a form, and its HTML
    """Return what a field shows that nobody edits: a time as lists show it, where Django would write year and zone."""
    column, _shown_by, value = field.resolved_field or (None, None, None)
    return moment(value) if isinstance(column, DateTimeField) and value else field.contents() or "–"
