"""What the confirmation of a layout brings to guides that exist: the values of the columns that were asked."""

from collections.abc import Collection, Sequence
from itertools import chain, count, islice
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from base.errors import DomainError
from shipments.activity import LAYOUT_GUIDES_CORRECTED
from shipments.intake.corrections import correct
from shipments.layouts.answering import log_layout_act
from shipments.layouts.asked_values import AskedColumn, asked_guides, values_of
from shipments.models import Guide, GuideTaking, Layout
from shipments.statuses import GuideStatus
from shipments.tracking.review import settle_review

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
        for asked, guides in asked_guides(layout)
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
        moved = _moved(Guide.objects.get(pk=pk), asked, by)
        guide = Guide.objects.select_for_update(no_key=True).get(pk=pk)
        extra = guide.extra_data
        for column in asked:
            text = extra.pop(column.key, None)
            if text is not None and (column.answer is None or column.answer.field not in moved):
                extra[_free(column.kept_as, extra)] = text
        changed = ["extra_data"]
        if moved:
            was_waiting = guide.needs_review
            settle_review(guide, _DOUBT)
            if was_waiting and not guide.needs_review:
                guide.reviewed_at, guide.reviewed_by = timezone.now(), by.get_username()
                GuideTaking.objects.filter(pk=pk).delete()
            changed += ["needs_review", "review_reasons", "reviewed_at", "reviewed_by"]
        guide.save(update_fields=changed)
    return bool(moved)


_DOUBT = frozenset({"column_in_doubt"})


def _moved(guide: Guide, asked: Sequence[AskedColumn], by: User) -> Collection[str]:
    """Correct the guide by the values of its asked columns; return the fields. None if it is too late, or refused."""
    values = values_of(guide, asked)
    if not values or guide.status != GuideStatus.REGISTERED:
        return ()
    guides = Guide.objects.filter(pk=guide.pk)
    try:
        return {*correct(guides, values, actor=by.get_username(), password_hint="").fields} & values.keys()
    except DomainError:
        return ()


def _free(key: str, taken: Collection[str]) -> str:
    """Return the key, or one like it that is free."""
    return next(each for each in chain([key], (f"{key}_{number}" for number in count(2))) if each not in taken)
