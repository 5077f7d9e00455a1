"""What the confirmation of a layout brings to guides that exist: the values of the columns that were asked."""

from collections.abc import Collection, Sequence
from itertools import chain, count, islice
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from base.errors import DomainError
from shipments.activity import LAYOUT_GUIDES_CORRECTED
from shipments.layouts.answering import log_layout_act
from shipments.layouts.asked_values import AskedColumn, find_asked_guides, values_of
from shipments.models import Guide, Layout
from shipments.statuses import GuideStatus
from shipments.tracking.corrections import By, correct
from shipments.tracking.review import REVIEW, end_review, settle_review

MOST_AT_ONCE = 200


class CorrectedGuides(NamedTuple):
    """How many guides were corrected, and whether no guide of the layout keeps a value of an asked column now."""

    corrected: int
    is_finished: bool


def correct_guides(layout: Layout, by: User, *, at_most: int = MOST_AT_ONCE) -> CorrectedGuides:
    """Move values of columns that were asked into the fields that they are now, in guides that are still registered.

    The other guides, and values that a correction refuses, keep them under the key of their heading. Call it again
    until it is finished: each piece takes `at_most` guides, each in a transaction of its own.
    """
    found = (
        (asked, pk)
        for asked, guides in find_asked_guides(layout)
        for pk in guides.values_list("pk", flat=True)[: at_most + 1]
    )
    taken = list(islice(found, at_most + 1))
    corrected = sum(_correct(pk, asked, by) for asked, pk in taken[:at_most])
    if corrected:
        log_layout_act(layout, by, LAYOUT_GUIDES_CORRECTED, {"guides": corrected})
    return CorrectedGuides(corrected, is_finished=len(taken) <= at_most)


def _correct(pk: int, asked: Sequence[AskedColumn], by: User) -> bool:
    """Move what can be moved of one guide, keep the rest under other keys, and return whether anything was moved."""
    with transaction.atomic():
        moved = _move_values(Guide.objects.get(pk=pk), asked, by)
        guide = Guide.objects.select_for_update(no_key=True).get(pk=pk)
        extra = guide.extra_data
        for column in asked:
            text = extra.pop(column.key, None)
            if text is not None and (column.answer is None or column.answer.field not in moved):
                names = chain([column.kept_as], (f"{column.kept_as}_{number}" for number in count(2)))
                extra[next(name for name in names if name not in extra)] = text
        changed = ["extra_data"]
        if moved:
            was_waiting = guide.needs_review
            settle_review(guide, frozenset({"column_in_doubt"}))
            if was_waiting:
                end_review(guide, by.get_username())
            changed += REVIEW
        guide.save(update_fields=changed)
    return bool(moved)


def _move_values(guide: Guide, asked: Sequence[AskedColumn], by: User) -> Collection[str]:
    """Correct the guide by the values of its asked columns; return the fields. None if it is too late, or refused."""
    values = values_of(guide, asked)
    if not values or guide.status != GuideStatus.REGISTERED:
        return ()
    guides = Guide.objects.filter(pk=guide.pk)
    try:
        return correct(guides, values, By("sender", by.get_username())).after.keys() & values.keys()
    except DomainError:
        return ()
