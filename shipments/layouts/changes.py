"""What becomes of a layout whose last workbook contradicted its answers, by its headings or by its values."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from shipments.activity import LAYOUT_ANSWERED, LAYOUT_SET_APART, LAYOUT_VALUES_ACCEPTED
from shipments.layouts.answering import lock, log_layout_act, told_body, write_answers
from shipments.manifests.sheets.layouts import fingerprint
from shipments.models import AnswerKind, Layout, LayoutAnswer


def missing_columns(layout: Layout) -> Sequence[LayoutAnswer]:
    """Return what was told of columns that the refused workbook lacks."""
    here = {column["name"] for column in layout.changed_columns}
    told = layout.answers.filter(kind=AnswerKind.COLUMN).exclude(field="").order_by("pk")
    return [each for each in told if each.name not in here]


def new_columns(layout: Layout) -> Sequence[Mapping[str, Any]]:
    """Return the columns of the refused workbook that the layout had not, as `SeenColumn`."""
    known = {column["name"] for column in layout.columns} | {each.name for each in layout.answers.all()}
    return [column for column in layout.changed_columns if column["name"] not in known]


def take_headings(layout: Layout, renamed: Mapping[str, str], by: User) -> None:
    """Let the headings of the refused workbook be the layout's: *it is the same column*.

    renamed: name of a told column -> name of the column that it is now. What is said of it moves there; a unit or a
    currency that the workbook itself says counts from now on.
    """
    with transaction.atomic():
        locked = lock(layout)
        columns = {column["name"]: column for column in locked.changed_columns}
        if not columns:
            return
        before, answers = told_body(locked), list(locked.answers.all())
        for answer in answers:
            now = columns.get(renamed.get(answer.name, answer.name)) if answer.kind == AnswerKind.COLUMN else None
            if now:
                answer.name, answer.heading, answer.group = now["name"], now["heading"], now["group"]
                answer.unit = answer.unit and (now["unit"].removeprefix("?") or answer.unit)
                answer.currency = answer.currency and (now["currency"].removeprefix("?") or answer.currency)
        locked.columns, locked.changed_columns = locked.changed_columns, []
        digest = fingerprint(columns)
        others = Layout.objects.of(locked.company).filter(country=locked.country, fingerprint=digest)
        if not others.exclude(pk=locked.pk).exists():
            locked.fingerprint = digest
        locked.save(update_fields=["columns", "changed_columns", "fingerprint"])
        write_answers(locked, answers, by)
        log_layout_act(locked, by, LAYOUT_ANSWERED, {"before": before})


def set_apart(layout: Layout, by: User) -> Layout:
    """Make a layout of its own of the headings that were refused last: *it is another layout*. Returns it."""
    columns = layout.changed_columns
    with transaction.atomic():
        apart, _ = Layout.objects.get_or_create(
            company=layout.company,
            country=layout.country,
            fingerprint=fingerprint(column["name"] for column in columns),
            defaults={"columns": columns, "last_seen_at": layout.last_seen_at},
        )
        Layout.objects.filter(pk=layout.pk).update(changed_columns=[])
        log_layout_act(layout, by, LAYOUT_SET_APART, {})
    return apart


def accept_values(layout: Layout, by: User) -> None:
    """Take the values of the next workbooks as usual, whatever they were before: *It is right*."""
    with transaction.atomic():
        if Layout.objects.filter(pk=layout.pk).exclude(figures={}).update(figures={}):
            log_layout_act(layout, by, LAYOUT_VALUES_ACCEPTED, {})
