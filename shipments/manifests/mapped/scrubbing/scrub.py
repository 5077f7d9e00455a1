"""Keep a sample as a test without people's data: the same structure and the same findings, with invented values.

Headings, labels, kinds of rows and types of cells stay. Texts and identifiers are replaced shape by shape, valid
documents by other valid ones, and numbers are dealt to other rows of the same kind. A row that then reads differently
is drawn again, at most `MOST_DRAWS` times, and left out after that.
"""

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random, SystemRandom
from typing import Any

from shipments.manifests.cells import Workbook, text_of
from shipments.manifests.countries import rules_for
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import FlightFields, GuideRow, ParsedManifest
from shipments.manifests.mapped.kept_grid import (
    Grid,
    as_expected,
    cell_of_json,
    parsed_grid,
    workbook_of,
)
from shipments.manifests.mapped.mapped_reading import read_by, survey_by
from shipments.manifests.mapped.recognise import recognise
from shipments.manifests.mapped.sample_grid import grid_of
from shipments.manifests.mapped.scrubbing.scrubbed_grid import Sample, ScrubbedGrid
from shipments.manifests.mapped.spec import MAX_TEST_BYTES, MAX_TEST_ROWS, FormatInUse, FormatSpec, heading_key

MOST_DRAWS = 50
_MOST_ROUNDS = 4
"""Leaving rows out can change how others are read, so what is left is drawn again."""


@dataclass(frozen=True, slots=True)
class KeptTest:
    """A test to keep. grid: rows of cells. expected: how the format reads them. left_out: how many rows of the sample
    could not be replaced with the same findings, and are empty."""

    grid: Grid
    expected: Mapping[str, Any]
    left_out: int = 0

    def as_json(self, name: str) -> dict[str, Any]:
        """The test as `save_version` takes it and a format's file has it. name: at most 100 characters."""
        return {"name": name, "grid": self.grid, "expected": self.expected}


def scrub(spec: FormatSpec, book: Workbook, *, rng: Random | None = None) -> KeptTest | None:
    """The sample as a kept test without people's data, at most `MAX_TEST_ROWS` rows and `MAX_TEST_BYTES` of JSON.

    book: the sample, open. Of its sheets the first that the format reads is kept. rng: the system's randomness by
    default, so that nobody can draw the same values again.
    None if the format does not read the sample, or if no guide can be kept with the same findings. Raises the refusal
    of a sample that the format recognises and cannot read.
    """
    found = recognise(book, [_in_use(spec)])
    if not found.full:
        return None
    matches = found.full[0]
    grid = grid_of(matches[0], book)
    if parsed_grid(spec, grid) == "MawbNotFoundInFile":  # it is on another sheet, or nowhere
        mawb = read_by(survey_by(book, matches), FlightFields()).mawb
        grid = [[spec.mawb.label or "MAWB", mawb], [], *grid[: MAX_TEST_ROWS - 2]]
    rng = rng or SystemRandom()
    while grid:
        kept = _scrubbed(spec, grid, rng)
        if kept is None or len(json.dumps(kept.as_json("")).encode()) <= MAX_TEST_BYTES:
            return kept
        grid = grid[: len(grid) // 2]
    return None


def _in_use(spec: FormatSpec) -> FormatInUse:
    return FormatInUse(0, spec.name, 0, spec)


def _scrubbed(spec: FormatSpec, grid: Sequence[Sequence[Any]], rng: Random) -> KeptTest | None:
    """The grid without people's data. Rows whose findings never come out equal are empty in it."""
    original = [list(row) for row in grid]
    left_out = 0
    for _ in range(_MOST_ROUNDS):
        wanted = parsed_grid(spec, original)
        if isinstance(wanted, str):
            return None
        scrubbed, parsed, differing = _drawn(spec, ScrubbedGrid(_sample(spec, original, wanted), rng), wanted)
        if not differing:
            return None if isinstance(parsed, str) else KeptTest(scrubbed, as_expected(parsed), left_out)
        left_out += len(differing)
        for number in differing:
            original[number - 1] = []
    return None


def _drawn(
    spec: FormatSpec, drawn: ScrubbedGrid, wanted: ParsedManifest
) -> tuple[Grid, ParsedManifest | str, set[int]]:
    """The grid drawn until its findings are those wanted, how it is read, and the rows for which they never were."""
    findings = _Findings.of(wanted)
    differing: set[int] = set()
    grid: Grid = ()
    parsed: ParsedManifest | str = ""
    for attempt in range(MOST_DRAWS):
        if attempt >= MOST_DRAWS // 2:
            drawn.undeal(differing)  # other rows' numbers may be what makes them differ
        drawn.redraw(differing)
        grid = drawn.grid()
        parsed = parsed_grid(spec, grid)
        differing = findings.differing(parsed)
        if not differing:
            break
    return grid, parsed, differing


def _sample(spec: FormatSpec, grid: Grid, parsed: ParsedManifest) -> Sample:
    """What has to be known of a grid to replace its values."""
    book = workbook_of(grid)
    matches = recognise(book, [_in_use(spec)]).full[0]
    flight = survey_by(book, matches).survey.flight
    return Sample(
        cells=[[cell_of_json(cell) for cell in row] for row in grid],
        match=matches[0],
        mawb=parsed.mawb,
        hawbs=frozenset(guide.hawb for guide in parsed.guides),
        wording=frozenset({*(text_of(cell) for cells in flight.values() for cell in cells), *_own_labels(spec, grid)}),
        kinds=_kinds(spec, parsed),
    )


def _own_labels(spec: FormatSpec, grid: Grid) -> Iterator[str]:
    """The labels that the format names, as the grid has them: nobody else knows these words."""
    labels = {*map(heading_key, spec.labels())}
    for cell in (cell for row in grid for cell in row if isinstance(cell, str) and labels):
        yield from (text for text in (text_of(cell), text_of(cell.partition(":")[0])) if heading_key(text) in labels)


def _kinds(spec: FormatSpec, parsed: ParsedManifest) -> Mapping[int, Hashable]:
    """Row -> what must be equal for rows to exchange their numbers: the findings, and where the law limits what one
    consignee receives, the consignee of several guides."""
    kinds = dict(_Findings.of(parsed).by_row)
    if not rules_for(spec.country).consignee_limits:
        return kinds
    counts = Counter(guide.consignee_document for guide in parsed.guides)
    several = {guide.row_index: guide for guide in parsed.guides if counts[guide.consignee_document] > 1}
    return kinds | {number: (kinds.get(number), guide.consignee_document) for number, guide in several.items()}


@dataclass(slots=True)
class _Findings:
    """What must be equal. by_row: of each row with a guide or a finding. whole: of the manifest."""

    by_row: Mapping[int, Hashable]
    whole: Hashable

    @classmethod
    def of(cls, parsed: ParsedManifest) -> "_Findings":
        rows: dict[int, list[tuple[Any, ...]]] = {}
        for guide in parsed.guides:
            rows.setdefault(guide.row_index, []).append(("guide", *_of_guide(guide)))
        for warning in parsed.warnings:
            found = ("warning", warning.field, warning.code, warning.reason.sentence)
            rows.setdefault(warning.row_index, []).append(found)
        whole = []
        for notice in parsed.notices:
            if notice.row_index is None:
                whole.append((notice.code, notice.reason.sentence))
            else:
                rows.setdefault(notice.row_index, []).append(("notice", notice.code, notice.reason.sentence))
        account = parsed.rows
        for left in account.named if account else ():
            rows.setdefault(left.row_index, []).append(("left out", left.reason))
        counts = (account.guides, account.products, account.totals, account.left_out) if account else ()
        return cls(
            {number: tuple(sorted(found, key=str)) for number, found in rows.items()},
            (sorted(whole), counts, parsed.flight),
        )

    def differing(self, parsed: ParsedManifest | str) -> set[int]:
        """The rows with other findings in this manifest; all rows if only something else differs."""
        rows = set(self.by_row)
        if isinstance(parsed, str):
            return rows
        found = _Findings.of(parsed)
        differing = {
            number for number in rows | set(found.by_row) if self.by_row.get(number) != found.by_row.get(number)
        }
        return differing if differing or found.whole == self.whole else rows


def _of_guide(guide: GuideRow) -> tuple[Hashable, ...]:
    filled = tuple(each.name for each in GUIDE_FIELDS if getattr(guide, each.name, None) not in (None, "", ()))
    return (
        filled,
        guide.consignee_document_type,
        guide.category,
        guide.review_reasons,
        guide.retention_reason,
        len(guide.products),
    )
