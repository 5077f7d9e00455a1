"""The admin log entries of guides. Who did what is kept; the values quoted by corrections are erased."""

from collections.abc import Collection

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet

from companies.admin_base.activity import stored_params, with_params
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS
from shipments.models import Guide

_QUOTED = "consignee_"


def entries_of(guide_ids: Collection[int]) -> QuerySet[LogEntry]:
    """Return all admin log entries of these guides."""
    content_type = ContentType.objects.get_for_model(Guide)
    return LogEntry.objects.filter(content_type=content_type, object_id__in=[str(each) for each in guide_ids])


def forget_values(guide_ids: Collection[int]) -> int:
    """Reduce entries that quote a consignee's values to the names of the fields. Returns the number changed."""
    quoting = list(entries_of(guide_ids).filter(change_message__contains=_QUOTED).order_by("pk"))
    for entry in quoting:
        entry.change_message = _without_values(entry.change_message)
    changed = [entry for entry in quoting if entry.change_message]
    LogEntry.objects.bulk_update(changed, ["change_message"], batch_size=100)
    return len(changed)


def _without_values(message: str) -> str:
    params = stored_params(message)
    if params is not None:
        return with_params(message, {"changes": dict.fromkeys(params["changes"])})
    lead = message.partition(_QUOTED)[0]
    return lead + "; ".join(name for name in CONSIGNEE_FIELDS if f"{name}: " in message)
