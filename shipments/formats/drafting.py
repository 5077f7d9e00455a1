"""Drafts of formats from the sample to the saved version: a row in the database, the sample in the private storage.

The sample is stored before its row is written and deleted after it; `sweep_files` deletes what a
crash leaves. The sample is read in the child process of `opening`, never here.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext

from companies.models import Company
from shipments.errors import FormatInvalid
from shipments.files.storage import file_store, store_waiting
from shipments.files.stored_files import delete_stored
from shipments.formats.kept_tests import learned
from shipments.formats.publishing import Saved, publish, save_version
from shipments.manifests.cells import Cell, Row, Workbook
from shipments.manifests.mapped.guess import Guess, carried_over
from shipments.manifests.mapped.guess import draft as guessed
from shipments.manifests.mapped.sample import (
    HeadingPlace,
    LabelledCell,
    SampledHeading,
    find_headings,
    labelled_cells,
    sample_at,
    texts_of_column,
)
from shipments.manifests.mapped.spec import (
    FILE_VERSION,
    LONGEST_NAME,
    NAME_PARTS,
    TRANSLATED,
    FormatSpec,
    from_json,
    missing_fields,
)
from shipments.manifests.sheets.surveys import normal_value
from shipments.manifests.xlsx import opening, parse_slots
from shipments.models import FormatDraft, WorkbookFormat

MOST_ROWS = 10_000
"""The most rows of a sample that the pages read; the commands read `MAX_GUIDES`."""

MOST_MEANINGS = 20
"""The most different texts of a column whose meanings are asked for."""

_SHOWN_ROWS = 30
_SLOT_SECONDS = 10


class SampleColumn(NamedTuple):
    """A column of a sample. told: as the draft has it. values: the first filled cells. texts: the different ones of the
    whole column, where each needs a meaning.
    """

    heading: SampledHeading
    guess: Guess
    told: Mapping[str, Any]
    values: Sequence[Cell]
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen of a sample, and the draft as it would be for the headings at `place`.

    sheets, hidden: names. sheet: the one that is shown, with its first `rows`. labels: above the headings. columns:
    empty without headings.
    """

    content: dict[str, Any]
    sheets: Sequence[str]
    hidden: Sequence[str]
    sheet: str
    rows: Sequence[Row]
    place: HeadingPlace | None = None
    labels: Sequence[LabelledCell] = ()
    columns: Sequence[SampleColumn] = ()


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


def sample_path(draft: FormatDraft) -> AbstractContextManager[Path]:
    """Give a local path of the sample. Raises `FileNotFoundError`."""
    return file_store().local_copy(str(draft.file.name))


def look_at(draft: FormatDraft, place: HeadingPlace | None = None, sheet: str | None = None) -> Look:
    """Look at the sample, at the headings at `place`: by default the draft's own, else the likeliest of that sheet.

    Raises `WorkbookUnreadable`, `ParserBusy` and `FileNotFoundError`.
    """
    with sample_path(draft) as path, _opened(path) as book:
        place = place or _usual_place(draft, book, sheet)
        names = [each.name for each in book.sheets]
        shown = place.sheet if place else sheet if sheet in names else next(iter(names), "")
        found = next((each for each in book.sheets if each.name == shown), None)
        rows = list(islice(found.rows, 2 * _SHOWN_ROWS)) if found else []
        last = max(_SHOWN_ROWS, sum(number <= place.row for number, _cells in rows) if place else 0)
        seen = Look(draft.content, names, book.hidden, shown, rows[:last], place)
        table = sample_at(book, place) if place else None
        if place is None or table is None:
            return seen
        content, guesses = _content_at(draft, book, place)
        columns = [
            SampleColumn(heading, guess, told, table.values(heading.column), _meant(book, place, heading, told))
            for heading, guess, told in zip(table.headings, guesses, content["columns"], strict=True)
        ]
        return replace(seen, content=content, labels=labelled_cells(book, place), columns=columns)


def place_of(draft: FormatDraft) -> HeadingPlace:
    """Where the draft's headings are."""
    return HeadingPlace(draft.sheet, draft.header_row, draft.content.get("header_rows", 1))


def change_draft(draft: FormatDraft, content: dict[str, Any], place: HeadingPlace | None = None) -> None:
    """Save the draft's content, and where its headings are if they are others."""
    draft.content = content
    if place:
        draft.sheet, draft.header_row = place.sheet, place.row
    draft.save(update_fields=["content", "sheet", "header_row", "changed_at"])


def needs(content: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """What the format must have -> the headings of the columns that serve it, empty while it is missing."""
    headings: dict[str, list[str]] = {}
    for column in content["columns"]:
        headings.setdefault(column.get("field") or "", []).append(column["heading"] or f"({column.get('right_of')} +1)")
    elsewhere = [name for name in ("mawb", "destination") if name not in content]
    return {
        name: [
            text for each in ({name, *NAME_PARTS} if name in NAME_PARTS else {name}) for text in headings.get(each, ())
        ]
        for name in (*elsewhere, *missing_fields(content["country"], ()))
    }


def _usual_place(draft: FormatDraft, book: Workbook, sheet: str | None) -> HeadingPlace | None:
    if draft.header_row and sheet in {None, draft.sheet}:
        return place_of(draft)
    sheets = tuple(each for each in book.sheets if sheet in {None, each.name})
    return find_headings(replace(book, sheets=sheets))


def _meant(book: Workbook, place: HeadingPlace, heading: SampledHeading, told: Mapping[str, Any]) -> Sequence[str]:
    """The first different texts of a column whose values are translated."""
    if told.get("field") not in TRANSLATED:
        return ()
    return sorted({normal_value(text) for text in texts_of_column(book, place, heading.column)})[:MOST_MEANINGS]


def _content_at(draft: FormatDraft, book: Workbook, place: HeadingPlace) -> tuple[dict[str, Any], list[Guess]]:
    """The draft's content for the headings at `place`, and the guesses at their columns.

    Under headings that the draft did not have yet its columns begin anew: as guessed, doubtful guesses included, which
    the pages mark, or as the version in use has them.
    """
    new, guesses = guessed(book, draft.country, draft.content["name"], place)
    if draft.header_row and place == place_of(draft):
        return {**draft.content, "columns": [dict(column) for column in draft.content["columns"]]}, guesses
    for column, guess in zip(new["columns"], guesses, strict=True):
        column["field"] = guess.field or None
    version = draft.format.in_use if draft.format else None
    if version is None:
        return new, guesses
    told = {key: version.spec[key] for key in ("mawb", "destination", "flight") if key in version.spec}
    return carried_over(new | told, from_json(version.spec)), guesses


def save_draft(
    draft: FormatDraft,
    spec: FormatSpec,
    *,
    actor: str,
    note: str,
    is_used: bool,
    despite_headings: bool = False,
    despite_tests: bool = False,
) -> Saved:
    """Save a draft as the next version, with a test in the manner of its sample, and use it if `is_used`; all or
    nothing. The draft and its sample are deleted.

    spec: the draft as a format. Raises as `save_version`, `publish` and `learned` do.
    """
    with sample_path(draft) as sample:
        tests, unread, profile = learned(draft.company, spec, sample)
    with transaction.atomic():
        saved = save_version(
            draft.company,
            msgspec.structs.replace(spec, profile=dict(profile)),
            actor=actor,
            note=note,
            tests=tests,
            began_from=draft.began_from if draft.format else 0,
            despite_headings=despite_headings,
        )
        if is_used:
            publish(saved.version.format, saved.version.number, actor=actor, despite_tests=despite_tests)
    end_draft(draft)
    return replace(saved, unread=unread)


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
