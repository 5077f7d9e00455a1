"""Alarms for operators: what uploads found different from a format. Headings only, never other cells."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from shipments.manifests.words.lexicon import may_be_personal
from shipments.models import AlarmKind, FormatAlarm, FormatVersion, WorkbookFormat

MOST_OPEN = 100
"""Open alarms of a format."""


def raise_alarm(version_id: int, kind: AlarmKind, headings: Mapping[str, Sequence[str]]) -> None:
    """Count this difference, in a transaction of its own: a refused upload leaves its alarm and nothing else.

    headings: what differs -> headings. New ones that may be a person's data are left out.
    """
    format_id = FormatVersion.objects.values_list("format_id", flat=True).get(pk=version_id)
    new = [text for text in headings.get("new", ()) if not may_be_personal(text)]
    found = {name: list(texts) for name, texts in {**headings, "new": new}.items() if texts}
    digest = _digest(found)
    now = timezone.now()
    alarms = FormatAlarm.objects.filter(format_id=format_id, kind=kind, digest=digest, closed_at=None)
    if alarms.update(count=F("count") + 1, last_seen_at=now):
        return
    try:
        with transaction.atomic():
            _make_room(format_id)
            FormatAlarm.objects.create(format_id=format_id, kind=kind, digest=digest, headings=found, last_seen_at=now)
    except IntegrityError:  # another upload was first
        alarms.update(count=F("count") + 1, last_seen_at=now)


def close_alarm(alarm: FormatAlarm, operator: AbstractBaseUser | None) -> bool:
    """Close an alarm, so that the next upload with this difference raises a new one.

    operator: None from the command line. Returns false if it was closed already, which changes nothing.
    """
    open_one = FormatAlarm.objects.filter(pk=alarm.pk, closed_at=None)
    return bool(open_one.update(closed_at=timezone.now(), closed_by=operator.pk if operator else None))


def settle_explained(form: WorkbookFormat, heading: str, spelling: str, operator: AbstractBaseUser | None) -> None:
    """Close the open alarms of refused uploads that `spelling` in place of `heading` explains.

    An alarm with another missing or repeated column stays open, about what is left.
    """
    for alarm in form.alarms.filter(kind=AlarmKind.CHANGED, closed_at=None):
        found: dict[str, list[str]] = alarm.headings
        if heading not in found.get("missing", ()) or spelling not in found.get("new", ()):
            continue
        left = {name: [text for text in texts if text not in {heading, spelling}] for name, texts in found.items()}
        digest = _digest(left := {name: texts for name, texts in left.items() if texts})
        is_known = form.alarms.filter(kind=alarm.kind, digest=digest, closed_at=None).exists()
        if not left.keys() & {"missing", "repeated"} or is_known:
            close_alarm(alarm, operator)
        else:
            form.alarms.filter(pk=alarm.pk).update(headings=left, digest=digest)


def _digest(headings: Mapping[str, Sequence[str]]) -> str:
    return hashlib.sha256(json.dumps(headings, sort_keys=True).encode()).hexdigest()


def _make_room(format_id: UUID) -> None:
    """Delete the longest unseen of too many open alarms: a client may send other headings each day."""
    opened = FormatAlarm.objects.filter(format_id=format_id, closed_at=None).order_by("-last_seen_at", "-pk")
    kept = list(opened.values_list("pk", flat=True)[: MOST_OPEN - 1])
    if len(kept) == MOST_OPEN - 1:
        opened.exclude(pk__in=kept).delete()
