"""The admin log entries of guides. Who did what is kept; the values quoted by corrections are erased."""

from collections.abc import Collection

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet

from companies.activity.acts import stored_params, with_params
from shipments.models import Guide

_QUOTED = "consignee_"


def entries_of(guide_ids: Collection[int]) -> QuerySet[LogEntry]:
    """Return all admin log entries of these guides."""
    content_type = ContentType.objects.get_for_model(Guide)
    return LogEntry.objects.filter(content_type=content_type, object_id__in=[str(each) for each in guide_ids])


def forget_values(guide_ids: Collection[int]) -> int:
    """Reduce entries that quote a consignee's values to the names of the fields. Returns the number changed."""
    quoting = list(entries_of(guide_ids).filter(change_message__contains=_QUOTED).order_by("pk"))
    changed = []
    for entry in quoting:
        params = stored_params(entry.change_message)
        if params is not None:
            entry.change_message = with_params(entry.change_message, {"changes": dict.fromkeys(params["changes"])})
            changed.append(entry)
    LogEntry.objects.bulk_update(changed, ["change_message"], batch_size=100)
    return len(changed)
