"""Find the guides, the MAWB and the flight in a workbook of unknown layout.

`survey` reads every visible sheet once and keeps only its first rows. It raises nothing for the contents of a sheet:
the caller decides what to do without a MAWB or a table.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice

from openpyxl.utils import get_column_letter

from shipments.manifests.cells import Cell, Row, Sheet, Workbook, cell_at, text_of
from shipments.manifests.destinations import is_town_abroad
from shipments.manifests.findings import shorten
from shipments.manifests.manifest import Notice, Question, Reason
from shipments.manifests.sheets.account import account_for_columns
from shipments.manifests.sheets.answers import NOTHING_TOLD, Told
from shipments.manifests.sheets.assignment import assign, find_parted_mawbs
from shipments.manifests.sheets.candidates import are_mostly, looks_like_guide, may_count_guides, values_of
from shipments.manifests.sheets.choice import GOODS_OR_CORE, choose
from shipments.manifests.sheets.encodings import Repairs, repair_sheet
from shipments.manifests.sheets.headers import (
    FEWEST_KNOWN,
    SEARCHED_ROWS,
    HeaderBlock,
    find_header,
    heading_blocks,
    hint_in,
    nearest_headings,
    value_columns,
)
from shipments.manifests.sheets.measures import Statement, find_statements
from shipments.manifests.sheets.row_kinds import says_some_stay
from shipments.manifests.sheets.sections import MOST_SPARSE_ROWS, Section, SectionSplitter, count_filled, is_sparse, pad
from shipments.manifests.sheets.surveys import Doubt, GuideTable, SheetTables, Survey
from shipments.manifests.sheets.table import Table
from shipments.manifests.sheets.told_labels import apply_told, find_contradictions
from shipments.manifests.waybills import find_labelled_mawbs, find_unlabelled_mawbs, normal_mawb
from shipments.manifests.words.amounts import reads_as_number
from shipments.manifests.words.headings import read_heading
from shipments.manifests.words.labels import (
    FLIGHT_FIELDS,
    LONGEST_LABELLED,
    LabelledValues,
    find_labelled,
    is_wording,
    labels_in,
    reads,
)
from shipments.manifests.words.lexicon import words_of
from shipments.manifests.words.nouns import UNREADABLE

_ROWS_NAMED = 10
_PLACES_NAMED = 4
_HIDDEN_NAMED = 3
_FEWEST_FIELDS = 3
_DAYS_TO_1904 = 1_462


@dataclass(slots=True)
class _SheetSurvey:
    """One sheet after it has been read. near: the row most similar to headings; hint: why there are none.

    others: the rows outside the guides; without headings, the first rows.
    """

    sheet: Sheet
    header: HeaderBlock | None = None
    sections: list[Section] = field(default_factory=list)
    near: HeaderBlock | None = None
    hint: str = ""
    others: Sequence[Row] = ()

    def notices(self) -> Iterator[Notice]:
        """What else it says about its guides: hidden rows, formulas without results, remarks that some stay behind."""
        last_row = self.header.last_row if self.header else 0
        if not self.sheet.is_seen_whole:
            yield Notice("formats_not_seen", Reason("formats_not_seen", {"sheet": self.sheet.name[:40]}))
        for section in self.sections:
            yield from self._notices_on(section)
        if hidden := [row for row in self.sheet.hidden_rows if row > last_row]:
            named = ", ".join(map(str, hidden[:_ROWS_NAMED])) + (", ..." if len(hidden) > _ROWS_NAMED else "")
            yield Notice("hidden_rows_read", Reason("hidden_rows_read", {"rows": named, "sheet": self.sheet.name[:40]}))
        hawbs = frozenset().union(*(section.hawbs for section in self.sections))
        for number, cells in self.others:
            for text in map(text_of, cells):
                if says_some_stay(text, hawbs):
                    params = {"title": shorten(text)}
                    yield Notice("may_not_travel", Reason("may_not_travel_by_remark", params), row_index=number)

    def _notices_on(self, section: Section) -> Iterator[Notice]:
        """What the cells of the HAWB, the MAWB and the flight hold or show that is not read."""
        single = section.columns.single if section.columns and not section.is_others else {}
        mawb = section.columns.mawb if section.columns else ()
        read = {"hawb": single.get("hawb"), "mawb": next(iter(mawb), None), **{n: single.get(n) for n in FLIGHT_FIELDS}}
        for name, column in read.items():
            if column is None:
                continue
            where = {
                "column": get_column_letter(column + 1),
                "heading": shorten(text_of(section.header.texts.get(column))),
            }
            lost = sum(row > section.header.last_row and at == column for row, at in self.sheet.uncalculated)
            if lost:
                reason = Reason("formulas_not_calculated", {**where, "count": lost, "field": name})
                yield Notice("formula_not_calculated", reason)
            words = self.sheet.formats.get(column, "")
            if name == "hawb" and column not in self.sheet.identifiers and any(map(str.isalnum, words)):
                yield Notice("hawbs_shown_otherwise", Reason("hawbs_shown_otherwise", {**where, "words": words}))

    def tables(self) -> SheetTables | None:
        """What of it may be read; None if it has no guides."""
        read = [section for section in self.sections if section.guides]
        if not read:
            return None
        return SheetTables(
            self.sheet,
            tuple(section.table() for section in self.sections),
            hawbs=frozenset().union(*(section.hawbs for section in read)),
            names_consignees=any(section.names_consignees() for section in read),
        )

    def values(self, name: str) -> Iterator[tuple[Section, int, Iterable[Cell]]]:
        """The different values of the columns for the MAWB, or for a field of the flight."""
        for section in self.sections:
            if section.columns:
                single = section.columns.single
                for column in section.columns.mawb if name == "mawb" else [single[name]] if name in single else []:
                    yield section, column, section.distinct.get(column, {})


def survey(workbook: Workbook, told: Told = NOTHING_TOLD) -> Survey:
    """Read a workbook's visible sheets and report what each contains; see `Survey`.

    told: what a person has said of the layout.
    """
    labelled, repairs = LabelledValues(), Repairs()
    sheets = [_survey_sheet(repair_sheet(sheet, repairs), labelled, told) for sheet in workbook.sheets]
    _settle_measures(sheets)
    filled = [(found, tables) for found in sheets if (tables := found.tables())]
    chosen, notices, refusal = choose([tables for _, tables in filled])
    for found in [found for found, _ in filled] or sheets:
        _add_mawb_columns(found, labelled)
    read = {id(tables.sheet) for tables in chosen}
    for found in [found for found in sheets if id(found.sheet) in read] or sheets[:1]:
        _add_flight_columns(found, labelled)
    rules = [section.columns.rules for found in sheets for section in found.sections if section.columns]
    contradicted = tuple(find_contradictions(labelled, told, workbook))
    labelled = apply_told(labelled, told, rules, workbook)
    if workbook.is_1904:
        for name in labelled.flight.keys() & {"scheduled_departure", "scheduled_arrival"}:
            # A date in a cell that lost its format, as other workbooks count it.
            labelled.flight[name] = [
                cell + _DAYS_TO_1904 if isinstance(cell, int | float) and cell >= 1 else cell
                for cell in labelled.flight[name]
            ]
    if not (labelled.master or labelled.hinted or labelled.loose):
        for sheet in workbook.sheets:
            find_labelled([(1, [sheet.name])], labelled)
    places = ", ".join(workbook.mended[:_PLACES_NAMED]) + (", ..." if len(workbook.mended) > _PLACES_NAMED else "")
    repaired_at = Reason("workbook_repaired", {"places": shorten(places)})
    mended = [Notice("workbook_repaired", repaired_at)] if workbook.mended else []
    asked = None if chosen else next(filter(None, (_without_house(found, told) for found in sheets)), None)
    return Survey(
        sheets=chosen,
        unread_guides=refusal
        or next(filter(None, map(_unread_section, chosen)), "")
        or next(filter(None, (_explain_continuation(found, sheets) for found in sheets if not found.header)), ""),
        labelled=labelled,
        notices=(
            *mended,
            *notices,
            *repairs.notices(),
            *contradicted,
            *(each for found in sheets if id(found.sheet) in read for each in found.notices()),
        ),
        unknown_headings=tuple(
            dict.fromkeys(
                heading.text
                for found in sheets
                for _, heading in (sorted(found.header.headings.items()) if found.header else ())
                if not heading.meanings and words_of(heading.text)
            )
        ),
        why_no_table="" if chosen else _why_no_table(sheets, workbook.hidden),
        asked=asked,
        questions=(asked.columns.doubts[0].question(asked.header.headings, asked.seen.values),) if asked else (),
        mawb_questions=() if labelled.names_one() else _may_be_mawbs(sheets),
        told=told,
    )


def _survey_sheet(sheet: Sheet, labelled: LabelledValues, told: Told) -> _SheetSurvey:
    """Read a sheet once: the labels around and between its guides, and the contents of its columns."""
    rows = iter(sheet.rows)
    head = list(islice(rows, SEARCHED_ROWS))
    header = find_header(head, sheet.merged, told)
    if header is None:
        find_labelled([*head, *islice(filter(is_sparse, rows), MOST_SPARSE_ROWS)], labelled, sheet.uncalculated)
        return _SheetSurvey(sheet, near=nearest_headings(head, sheet.merged), hint=hint_in(head), others=head)
    above = [row for row in head if row[0] < header.first_row]
    find_labelled(above, labelled, sheet.uncalculated)
    _add_labels_beside(head, header, labelled)
    below = (row for row in chain(head, rows) if row[0] > header.last_row)
    sections = SectionSplitter(sheet, header, labelled.master or labelled.hinted, told).split(below)
    _set_apart_details(sections)
    others = [*above, *chain.from_iterable(section.others for section in sections)]
    for section in sections:
        find_labelled(section.others, labelled, sheet.uncalculated)
        seen, columns = section.seen, section.columns
        for column in columns.loose if seen and columns else ():
            texts = {text_of(cell) for cell in seen.values[column]} if seen else set()
            if len(texts) == 1:  # the same on every row
                labelled.loose.extend(find_unlabelled_mawbs(texts.pop()))
    return _SheetSurvey(sheet, header, sections, others=others)


def _settle_measures(sheets: Sequence[_SheetSurvey]) -> None:
    """Decide units and currencies. What one sheet states of all rows goes for another that names none, too."""
    stated = [find_statements(found.others) for found in sheets]
    for found, own in zip(sheets, stated, strict=True):
        mine = (*own, *find_statements((), text_of(found.sheet.name)))
        known = {each.field for each in mine}
        others = (each for other in stated if other is not own for each in other)
        elsewhere = [
            each._replace(is_of_all=False)
            for each in others
            if each.is_of_all and each.field not in known and each.value != UNREADABLE  # instructions list all units
        ]
        elsewhere += [
            Statement("weight_unit", heading.unit, heading.text, is_of_all=False)
            for other in sheets
            for heading in (other.header.headings.values() if other.header and other is not found else ())
            if heading.unit and not read_heading(heading.text).unit and "weight_kg" in heading.fields()
        ]  # from a row of units, which the further sheets lack
        for section in found.sections:
            section.settle_measures((*mine, *elsewhere))


def _set_apart_details(sections: Sequence[Section]) -> None:
    """Leave out tables that only repeat HAWBs of those above, without consignees: lists of contents, invoices."""
    known: set[str] = set()
    for section in sections:
        if len(section.hawbs & known) * 2 > len(section.hawbs) and not section.names_consignees():
            section.is_others = True
        known |= section.hawbs


def _add_labels_beside(head: Sequence[Row], header: HeaderBlock, labelled: LabelledValues) -> None:
    """What a box to the right of the headings labels. Rows below them do not count, because they hold guides."""
    below = [cells for number, cells in head if number > header.last_row]
    for number, cells in head:
        if not header.first_row <= number <= header.last_row:
            continue
        beside = LabelledValues()
        for is_heading, run in groupby(enumerate(cells), lambda each: _heads_column(each[0], each[1], below)):
            if not is_heading:
                first, *rest = run
                find_labelled([(number, (*(None,) * first[0], first[1], *(cell for _, cell in rest)))], beside)
        labelled.master.extend(beside.master)
        labelled.hinted.extend(beside.hinted)
        labelled.places.update(beside.places)
        for name, found in beside.flight.items():
            labelled.flight.setdefault(name, []).extend(found)


def _heads_column(column: int, cell: Cell, below: Sequence[Sequence[Cell]]) -> bool:
    """Whether a cell in a row of headings is one, so that it is neither a label nor a value: RUT is also an airport.

    A label without a value heads a column if half of the rows below have something there that is no label.
    """
    if not isinstance(cell, str):
        return False
    labels = labels_in(cell) if len(cell) <= LONGEST_LABELLED else []
    if not labels:
        return bool(read_heading(text_of(cell)).meanings)
    filled = sum(not is_wording(each) for each in values_of(below, column))
    return all(not each.value for each in labels) and 0 < len(below) <= 2 * filled


def _add_mawb_columns(found: _SheetSurvey, labelled: LabelledValues) -> None:
    columns = list(found.values("mawb"))
    parted = list(find_parted_mawbs({column: list(values) for _, column, values in columns}))
    labelled.master.extend(mawb for _, mawb in parted)
    for section, column, values in columns if not parted else ():
        meanings = section.header.headings[column].meanings
        is_master = any(meaning.field == "mawb" and meaning.rank == 0 for meaning in meanings)
        for value in values:
            mawbs = find_labelled_mawbs(text_of(value))
            (labelled.master if is_master else labelled.hinted).extend(mawbs)
            if not mawbs:
                labelled.unread.setdefault("mawb", []).append(value)


def _add_flight_columns(found: _SheetSurvey, labelled: LabelledValues) -> None:
    for name in FLIGHT_FIELDS:
        for section, column, each in found.values(name):
            values = list(each)
            for value in values:
                labelled.places.setdefault(text_of(value), get_column_letter(column + 1))
                if reads(name, value):
                    labelled.flight.setdefault(name, []).append(value)
                elif name == "destination":  # a town abroad, or a text that every guide has; not part of an address
                    is_only = len(values) == 1 and section.guides > 1
                    if isinstance(value, str) and (is_only or is_town_abroad(text_of(value))):
                        labelled.unread.setdefault(name, []).append(value)
                else:
                    labelled.unread.setdefault(name, []).append(value)


def _unread_section(tables: SheetTables) -> str:
    """Why rows of a sheet would be left unread; empty when none would."""
    for table in tables.tables:
        if isinstance(table, GuideTable) and table.columns.house_beside is not None:
            return (
                f"The sheet {tables.short_name()!r} has a second table beside the first, with other guides from column "
                f"{get_column_letter(table.columns.house_beside + 1)} on. Put all guides below each other."
            )
        if not isinstance(table, GuideTable) and table.guide_row is not None:
            other = f"Row {table.header.first_row} of the sheet {tables.short_name()!r} has other headings"
            return (
                f"{other}, under which no guide can be read: they have no HAWB. Row {table.guide_row} looks like one. "
                "Give that table a HAWB column, or delete it."
            )
    return ""


def _explain_continuation(found: _SheetSurvey, sheets: Sequence[_SheetSurvey]) -> str:
    """Why a sheet without headings cannot be passed over: it continues the guides of another. Empty if it does not.

    Each row is compared with every table of guides, for it may continue any of them. A HAWB of few digits counts as one
    only where the guides have such HAWBs, or beside a person: on a cover it is a number of guides.
    """
    own = _rows_of_another_kind(found)
    known = frozenset().union(*(section.hawbs for other in sheets for section in other.sections))
    may_be_short = any(map(may_count_guides, known))
    sections = [section for other in sheets for section in other.sections if not section.is_others]
    for number, cells in found.others:
        is_new = False
        for section in sections:
            columns = value_columns(section.header.headings)
            house = "" if columns.house is None else text_of(cell_at(cells, columns.house)).upper()
            may_be_guide = number not in own and (may_be_short or not may_count_guides(house))
            is_person = looks_like_guide(cells, columns) and (may_be_guide or not section.is_further)
            is_guide = is_person or (may_be_guide and _is_alike(cells, section.header))
            if house in known and (is_guide or not may_count_guides(house)):
                break  # a copy, even if it looks like another guide under other headings
            is_new = is_new or (is_guide and any(reads_as_number(cell_at(cells, each)) for each in columns.measures))
        else:
            if is_new:
                return (
                    f"The sheet {text_of(found.sheet.name)[:40]!r} has no headings, and its row {number} looks like a "
                    "guide. Put all guides under the same headings."
                )
    return ""


def _rows_of_another_kind(found: _SheetSurvey) -> frozenset[int]:
    """The rows directly below headings that are not those of guides: a list of bags, a summary by city."""
    numbers: set[int] = set()
    end = 0
    for row in found.others:
        blocks = heading_blocks(row, None, found.sheet.merged)
        if blocks and blocks[0].count_known() >= FEWEST_KNOWN:
            end = row[0]
        elif row[0] == end + 1 > 1:
            numbers.add(row[0])
            end = row[0]
    return frozenset(numbers)


def _is_alike(cells: Sequence[Cell], header: HeaderBlock) -> bool:
    """Whether a row without headings fills most columns of guides, with a HAWB, texts and numbers where they belong."""
    headings = header.headings
    columns = value_columns(headings)
    filled = sum(text_of(cell_at(cells, column)) != "" for column in headings)
    measures = [cell for column in columns.measures if (cell := cell_at(cells, column)) is not None]
    names = [cell for column in columns.names if (cell := cell_at(cells, column)) is not None]
    return (
        filled * 2 > len(headings)  # wider than a cover
        and all(map(reads_as_number, measures))
        and not any(map(reads_as_number, names))
        and header.has_text(cells)
        and header.has_guide(cells)
    )


def _why_no_table(sheets: Sequence[_SheetSurvey], hidden: Sequence[str]) -> str:
    """What sheets without guides lack, by the headings that come nearest; and which sheets are hidden."""
    named = ", ".join(f"“{shorten(name)}”" for name in hidden[:_HIDDEN_NAMED])
    are_hidden = f" Hidden sheets are not read: {named}. Show the one with the guides." if named else ""
    near: HeaderBlock | None = None
    lacks: tuple[str, ...] = ()
    name = ""
    for found in sheets:
        # Rows below headings among which no column was found for the HAWB.
        has_no_house = any(section.is_others and section.seen and section.seen.sample for section in found.sections)
        near = found.near or (found.header if has_no_house else None)
        if found.hint:
            return found.hint + are_hidden
        if near:
            lacks = (near.lacks() if found.header is None else ()) or ("HAWB",)  # its column has other values
            name = text_of(found.sheet.name)[:40]
            break
    if any(each.header for each in sheets) and lacks != ("HAWB",):
        return "There is a row of headings, but no guide under it: each needs a HAWB and two more values." + are_hidden
    advice = (
        "name the columns, at least HAWB, Consignatario, RUT, Descripción, Bultos, Peso (kg) and Valor FOB (USD), or "
        "start from the template."
    )
    if near is None or not lacks:
        return (
            f"No row of headings was found among the first {SEARCHED_ROWS} rows of any visible sheet: {advice}"
            + are_hidden
        )
    headings = (shorten(text_of(heading.text)) for _, heading in sorted(near.headings.items()))
    quoted = ", ".join(f"“{heading}”" for heading in filter(None, headings))
    return (
        f"No row of headings was found under which guides can be read. Row {near.first_row} of the sheet "
        f"{name!r} comes nearest; it lacks {', '.join(lacks)}. Its headings are {quoted}. In "
        f"one row, {advice}{are_hidden}"
    )


def _may_be_mawbs(sheets: Iterable[_SheetSurvey]) -> tuple[Question, ...]:
    """The question which column has the MAWB, where several differ or nothing names it."""

    def is_mawb(value: Cell) -> bool:
        return isinstance(value, str | int | float) and normal_mawb(value) is not None

    for found in sheets:
        for seen in (each.seen for each in found.sections if each.columns and each.seen and each.seen.sample):
            headings, values = seen.headings, seen.values
            whole = tuple(column for column in headings if are_mostly(values[column], is_mawb))
            columns = whole or tuple(chain.from_iterable((each, each + 1) for each, _ in find_parted_mawbs(values)))
            if columns:
                asked = Doubt("mawb", columns, "rival" if len(columns) > 1 else "weak_heading")
                return (asked.question(headings, values),)
    return ()


def _without_house(found: _SheetSurvey, told: Told) -> GuideTable | None:
    """The table of a sheet whose headings are those of guides, but do not say which column is the HAWB."""
    header = found.near or found.header
    if header is None or len(header.fields() & GOODS_OR_CORE) < _FEWEST_FIELDS:
        return None
    below = [pad(cells, max(header.headings) + 1) for number, cells in found.others if number > header.last_row]
    below = [cells for each in found.sections if each.seen for cells in each.seen.sample] or below
    sample = [cells for cells in below if count_filled(cells) >= _FEWEST_FIELDS]
    seen = Table(header.headings, header.texts, sample)
    may_be = tuple(seen.identifying)
    if not may_be:
        return None
    columns = assign(seen, (), told)
    others = (doubt for doubt in columns.doubts if doubt.field != "hawb")
    columns = replace(
        columns,
        single={name: column for name, column in columns.single.items() if name != "hawb"},
        doubts=(Doubt("hawb", may_be, "no_column"), *others),
    )
    return GuideTable(found.sheet, header, account_for_columns(columns, seen), seen)
