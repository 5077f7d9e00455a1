"""Layouts as files: what a company's workbooks are, and what was said of them, for another installation or company."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from msgspec import Meta, Struct

from base.errors import DomainError, Translatable, ValidationFailed
from companies.models import Company
from shipments.layouts.answering import confirm, lock, read_answers, told_body, write_answers
from shipments.layouts.asked_values import Differences
from shipments.layouts.reading import KEPT_UNCONFIRMED, answer_of
from shipments.manifests.cells import MAX_COLUMNS
from shipments.manifests.sheets.answer_rules import TOLD_FIELDS, answer_problems
from shipments.manifests.sheets.layouts import offers_of
from shipments.models import AnswerKind, Layout, LayoutAnswer

FILE_VERSION = 1
"""The value of `prealerts_layouts` that this code writes and reads."""

MAX_FILE_BYTES = 16 * 2**20
MOST_LAYOUTS = 1_000


class _Layout(Struct, forbid_unknown_fields=True):
    """A layout in a file. answers, labels, rows_without_hawb: as the API has them."""

    country: str
    fingerprint: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    is_confirmed: bool
    columns: Annotated[list[dict[str, Any]], Meta(max_length=MAX_COLUMNS)]
    questions: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    labels: list[dict[str, Any]]
    rows_without_hawb: str | None


class _File(Struct, forbid_unknown_fields=True):
    prealerts_layouts: int
    layouts: Annotated[list[_Layout], Meta(max_length=MOST_LAYOUTS)]


def export_layouts(company: Company) -> dict[str, Any]:
    """Return the layouts of a company as JSON: headings, how they were read, what was said; no value of a row."""
    layouts = Layout.objects.of(company).order_by("country", "first_seen_at", "pk").prefetch_related("answers")
    return {"prealerts_layouts": FILE_VERSION, "layouts": list(map(_export_layout, layouts))}


def _export_layout(layout: Layout) -> dict[str, Any]:
    return {
        "country": layout.country,
        "fingerprint": layout.fingerprint,
        "is_confirmed": layout.confirmed_at is not None,
        "columns": layout.columns,
        "questions": layout.questions,
        **told_body(layout),
    }


def import_layouts(
    company: Company, content: Mapping[str, Any] | bytes, *, dry_run: bool = False
) -> Sequence[tuple[Layout, str]]:
    """Write the layouts of a file for a company: those with the same headings are answered as in the file.

    Returns each layout with what became of it: `new`, `changed` or `unchanged`.

    A layout that is confirmed in the file is confirmed here; one that is confirmed here stays so. Layouts that the
    file does not have stay. content: as `export_layouts` returns it, or the file.

    Raises, and changes nothing: `ValidationFailed` for the file, `CountryNotAllowed`; `details` name the layout.
    """
    file = _read(content)
    imported: list[tuple[Layout, str]] = []
    problems: dict[str, list[str]] = {}
    with transaction.atomic():
        for position, each in enumerate(file.layouts):
            try:
                company.require_country(each.country)
                with transaction.atomic():
                    imported.append(_import(company, each))
            except DomainError as refused:
                details = refused.details or {"country": [refused.message]}
                problems |= {f"layouts[{position}].{name}": texts for name, texts in details.items()}
        if problems:
            raise ValidationFailed(details=problems)
        transaction.set_rollback(dry_run)
    return imported


def check(layouts: QuerySet[Layout]) -> Iterator[tuple[Layout, Sequence[str]]]:
    """Yield those layouts seen within 90 days that would be read otherwise now, or refused if they are confirmed, each
    with the columns that are the reason, in words.

    It compares what each version's words and evidence offer for the headings that nobody has answered; of a confirmed
    one, whether its answers are still possible and the headings contradict none.
    """
    recent = layouts.filter(last_seen_at__gte=timezone.now() - KEPT_UNCONFIRMED)
    for layout in recent.select_related("company").prefetch_related("answers").order_by("company", "country", "pk"):
        told = {each.name: each for each in layout.answers.all() if each.kind == AnswerKind.COLUMN}
        changed = [
            f"{column['column']}, {column['heading'] or '–'}: {problem}"
            for column in layout.columns
            if (problem := _explain_refusal(layout, told.get(column["name"]), column) or _compare_offers(told, column))
        ]
        if changed:
            yield layout, changed


def _explain_refusal(layout: Layout, answer: LayoutAnswer | None, column: Mapping[str, Any]) -> str:
    """Why an answer would refuse a workbook now; empty if it would not, or nobody confirmed it."""
    if answer is None or not answer.field or not layout.confirmed_at:
        return ""
    if answer.field not in TOLD_FIELDS or answer_problems(answer_of(answer), layout.country):
        return f"{answer.field} is no longer a possible answer"
    before, now = column.get("offers"), offers_of(column)
    for name in ("unit", "currency"):
        told = getattr(answer, name)
        if before is not None and told and now.get(name, told) != told and now.get(name) != before.get(name):
            return f"the answer is {told}, but the heading says {now[name]}"
    return ""


def _compare_offers(told: Mapping[str, LayoutAnswer], column: Mapping[str, Any]) -> str:
    """What the heading of a column that nobody has answered offers otherwise than before; empty if nothing."""
    before, now = column.get("offers"), offers_of(column)
    if before is None or column["name"] in told or before == now:
        return ""
    pair = (", ".join(f"{name} {what}" for name, what in sorted(offers.items())) or "–" for offers in (before, now))
    return " → ".join(pair)


def confirm_seen(layout: Layout, body: object | None) -> Differences:
    """Confirm a layout for a command, first with the answers of `body`, as the API has them, if it is not None.

    Raises `InvalidBody`, `ValidationFailed`.
    """
    with transaction.atomic():
        locked = lock(layout)
        if body is not None:
            write_answers(locked, read_answers(locked, body), None)
        return confirm(locked, None)


def _read(content: Mapping[str, Any] | bytes) -> _File:
    read: Any = content
    if isinstance(content, bytes):
        if len(content) > MAX_FILE_BYTES or rb"\u0000" in content:  # which PostgreSQL stores in no JSON
            raise ValidationFailed(details={"file": [f"It is larger than {MAX_FILE_BYTES // 2**20} MB, or has NUL."]})
        try:
            read = msgspec.json.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ValidationFailed(details={"file": ["It is not JSON in UTF-8."]}) from None
    if not isinstance(read, Mapping) or read.get("prealerts_layouts") != FILE_VERSION:
        raise ValidationFailed(details={"file": ["export_layouts of this version did not print this file."]})
    try:
        return msgspec.convert(dict(read), _File)
    except msgspec.ValidationError as error:
        raise ValidationFailed(details={"file": [str(error).replace("`", "")]}) from None


def _import(company: Company, read: _Layout) -> tuple[Layout, str]:
    """Write one layout. Raises `ValidationFailed` for its columns and answers."""
    required = ("name", "column", "heading", "group")
    if not all(isinstance(each.get(name), str) for each in read.columns for name in required):
        raise ValidationFailed(details={"columns": [Translatable("A column has no name, heading or group.")]})
    now = timezone.now()
    layout, is_new = Layout.objects.select_for_update(of=("self",)).get_or_create(
        company=company, country=read.country, fingerprint=read.fingerprint,
        defaults={"columns": read.columns, "questions": read.questions, "last_seen_at": now},
    )  # fmt: skip
    before = json.dumps([_export_layout(layout)], sort_keys=True)
    told = {"answers": read.answers, "labels": read.labels, "rows_without_hawb": read.rows_without_hawb}
    write_answers(layout, read_answers(layout, told), None)
    if read.is_confirmed and not layout.confirmed_at:
        layout.confirmed_at = now
        layout.save(update_fields=["confirmed_at"])
    is_changed = json.dumps([_export_layout(layout)], sort_keys=True) != before
    return layout, "new" if is_new else "changed" if is_changed else "unchanged"
