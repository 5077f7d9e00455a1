"""Numbering the events of guides that an earlier version wrote."""

from collections.abc import Collection, Mapping
from itertools import groupby
from operator import itemgetter

from django.db.models import F, Max, OuterRef, Subquery
from django.db.models.functions import Coalesce, Greatest, NullIf

from shipments.models import Guide, GuideEvent
from shipments.tracking.rows import write_sequences
from shipments.tracking.sequences import FIRST, Mark, Recorded, numbered


def number_guides(guide_ids: Collection[int]) -> Mapping[int, Mark]:
    """Number the events of guides whose rows are locked, and return the mark of each guide.

    Also fills `updated_at` with the latest change that is known.
    """
    events = GuideEvent.objects.filter(guide_id__in=guide_ids).order_by("guide_id", "id")
    rows = events.values_list("guide_id", "id", *Recorded._fields)
    found: list[tuple[int, int]] = []
    for _guide_id, group in groupby(rows, key=itemgetter(0)):
        own = list(group)
        found += zip(numbered(Recorded(*row[2:]) for row in own), (row[1] for row in own), strict=True)
    write_sequences(found)
    guides = Guide.objects.filter(pk__in=guide_ids)
    guides.update(sequence=_LAST_SEQUENCE, updated_at=NullIf(_LAST_CHANGE, F("created_at")))
    marks = guides.values_list("pk", "sequence", "updated_at", "created_at")
    return {pk: Mark(sequence or FIRST, updated_at or created_at) for pk, sequence, updated_at, created_at in marks}


def _of_its_events(field: str) -> Subquery:
    events = GuideEvent.objects.filter(guide=OuterRef("pk")).order_by().values("guide")
    return Subquery(events.annotate(last=Max(field)).values("last"))


_LAST_SEQUENCE = Greatest(Coalesce(_of_its_events("sequence"), FIRST), FIRST)
_LAST_CHANGE = Greatest(
    "created_at",
    Coalesce(_of_its_events("recorded_at"), F("created_at")),
    *(
        Coalesce(F(name), F("created_at"))
        for name in ("updated_at", "retention_lifted_at", "reviewed_at", "anonymised_at")
    ),
)
"""Earlier versions recorded these times; SQLite's maximum of a null is null."""
