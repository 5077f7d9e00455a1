"""Drafts of formats from the sample to the saved version: a row in the database, the sample in the private storage.

The sample is stored before its row is written and deleted after it; `sweep_files` deletes what a
crash leaves. The sample is read in the child process of `opening`, never here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext

from companies.models import Company
from shipments.errors import FormatInvalid
from shipments.files.storage import file_store, store_waiting
from shipments.files.stored_files import delete_stored
from shipments.manifests.cells import Workbook
from shipments.manifests.mapped.guess import carried_over
from shipments.manifests.mapped.guess import draft as guessed
from shipments.manifests.mapped.sample import HeadingPlace, find_headings
from shipments.manifests.mapped.spec import FILE_VERSION, LONGEST_NAME, FormatSpec, from_json
from shipments.manifests.xlsx import opening, parse_slots
from shipments.models import FormatDraft, WorkbookFormat

MOST_ROWS = 10_000
"""The most rows of a sample that the pages read; the commands read `MAX_GUIDES`."""

_SLOT_SECONDS = 10


def begin_draft(
    operator: User,
    company: Company,
    country: str,
    sample: "UploadedFile[bytes]",
    *,
    form: WorkbookFormat | None = None,
) -> FormatDraft:
    """Store a sample and begin a draft. form: the format that the draft will be a new version of.

    Raises `WorkbookUnreadable`, `ParserBusy`, and `FormatInvalid` if it is too long; nothing is stored then.
    """
    name = store_waiting(sample)
    try:
        with file_store().local_copy(name) as path, _opened(path) as book:
            _require_bounded(book)
    except BaseException:
        default_storage.delete(name)
        raise
    title = form.name if form else name_of_file(sample.name or "") or f"{company.name} {country}"[:LONGEST_NAME]
    newest = form.versions.first() if form else None
    return FormatDraft.objects.create(
        operator=operator,
        company=company,
        country=country,
        format=form,
        began_from=newest.number if newest else None,
        file=name,
        original_name=(sample.name or "")[:200],
        content={"prealerts_format": FILE_VERSION, "name": title, "country": country, "columns": []},
    )


def name_of_file(path: str) -> str:
    """The name of a draft from this sample: `enero.xlsx` gives `enero`."""
    return " ".join(Path(path).stem.split())[:LONGEST_NAME].strip()


@contextmanager
def sample_of(draft: FormatDraft) -> Iterator[Workbook]:
    """Give the sample's visible sheets. Raises `WorkbookUnreadable`, `ParserBusy` and `FileNotFoundError`."""
    with sample_path(draft) as path, _opened(path) as book:
        yield book


@contextmanager
def sample_path(draft: FormatDraft) -> Iterator[Path]:
    """Give a local path of the sample. Raises `FileNotFoundError`."""
    with file_store().local_copy(str(draft.file.name)) as path:
        yield path


def change_draft(draft: FormatDraft, **changes: Any) -> None:  # noqa: ANN401  # values of the model's fields
    """Save changed fields of a draft. What was compared with the waybill must be compared again."""
    if changes.get("content", draft.content) != draft.content:
        draft.checked = {}
    for name, value in changes.items():
        setattr(draft, name, value)
    draft.save(update_fields=[*changes, "checked", "changed_at"])


def place_of(draft: FormatDraft) -> HeadingPlace:
    """Where the draft's headings are."""
    return HeadingPlace(draft.sheet, draft.header_row, draft.content.get("header_rows", 1))


def usual_place(draft: FormatDraft, book: Workbook, sheet: str | None = None) -> HeadingPlace | None:
    """The draft's own place, else the likeliest one; of the sheet of that name, if one is given."""
    if draft.header_row and sheet in {None, draft.sheet}:
        return place_of(draft)
    sheets = tuple(each for each in book.sheets if sheet in {None, each.name})
    return find_headings(replace(book, sheets=sheets))


def content_at(draft: FormatDraft, book: Workbook, place: HeadingPlace) -> dict[str, Any]:
    """The draft's content for the headings at `place`. Under headings that it did not have yet its columns begin anew:
    as guessed, doubtful guesses included, which the pages mark, or as the version in use has them.
    """
    if draft.header_row and place == place_of(draft):
        return {**draft.content, "columns": [dict(column) for column in draft.content["columns"]]}
    new, guesses = guessed(book, draft.country, draft.content["name"], place)
    for column, guess in zip(new["columns"], guesses, strict=True):
        column["field"] = guess.field or None
    version = draft.format.in_use if draft.format else None
    return carried_over(new, from_json(version.spec)) if version else new


def spec_of_draft(draft: FormatDraft) -> FormatSpec | None:
    """The draft as a format; None while it is incomplete."""
    try:
        return from_json(draft.content)
    except FormatInvalid:
        return None


def end_draft(draft: FormatDraft) -> None:
    """Delete a draft and its sample."""
    name = str(draft.file.name)
    draft.delete()
    delete_stored([name])


def sweep_drafts(older_than: datetime, *, dry_run: bool) -> int:
    """Delete the drafts that nobody changed since `older_than`, and return how many. dry_run: only count them."""
    return _deleted(FormatDraft.objects.filter(changed_at__lt=older_than), dry_run=dry_run)


def forget_drafts(before: datetime, *, dry_run: bool = False) -> int:
    """Delete the drafts begun before `before`, even those still in use, and return how many: samples name people."""
    return _deleted(FormatDraft.objects.filter(created_at__lt=before), dry_run=dry_run)


def _deleted(drafts: Any, *, dry_run: bool) -> int:  # noqa: ANN401  # a QuerySet
    if dry_run:
        return int(drafts.count())
    found = dict(drafts.values_list("pk", "file"))
    FormatDraft.objects.filter(pk__in=found).delete()
    delete_stored([*found.values()])
    return len(found)


def _require_bounded(book: Workbook) -> None:
    if sum(1 for sheet in book.sheets for _row in sheet.rows) > MOST_ROWS:
        text = gettext("The sample has more than %(most)d rows. Send a part of it, or use the command draft_format.")
        raise FormatInvalid(text % {"most": MOST_ROWS})


@contextmanager
def _opened(path: Path) -> Iterator[Workbook]:
    with parse_slots.parse_slot(_SLOT_SECONDS), opening.reading(path) as book:
        yield book
