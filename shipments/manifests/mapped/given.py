"""What a format gives to the reading of a sheet: its headings and columns, and the values beside its labels."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from shipments.manifests.cells import Cell, Workbook, cell_at, text_of
from shipments.manifests.mapped.recognise import Match, repeats
from shipments.manifests.mapped.spec import (
    DECIMALS,
    SHARED_FIELDS,
    TIMES,
    FormatSpec,
    Labelled,
    MappedColumn,
    heading_key,
)
from shipments.manifests.moments import read_moment
from shipments.manifests.sheets.headers import SEARCHED_ROWS, HeaderBlock
from shipments.manifests.sheets.measures import Measures
from shipments.manifests.sheets.sections import Given
from shipments.manifests.sheets.surveys import CellRules, Columns, Survey, normal_value
from shipments.manifests.waybills import labelled_mawbs
from shipments.manifests.words.headings import Heading
from shipments.manifests.words.labels import LONGEST_LABELLED, LabelledValues, label_and_value, reads, value_near
from shipments.manifests.words.lexicon import Field, Meaning
from shipments.manifests.words.spelling import fold
from shipments.manifests.words.units import UNREADABLE

_NAME_PARTS: tuple[Field, ...] = ("given_name", "middle_name", "surname", "second_surname")
_NOT_SINGLE = SHARED_FIELDS | {"mawb", "weight_unit", "currency"}


def given_by(match: Match) -> Given:
    """The headings of a sheet that has a format, with the meaning that the format gives them, and its columns."""
    headings = {column: Heading(text=text) for column, text in match.texts.items()}
    for index, place in match.places.items():
        name = match.spec.columns[index].field
        if name and name != "extra_data":
            headings[place] = Heading((Meaning(name, 0),), text=match.texts.get(place, ""))
    header = HeaderBlock(match.first_row, match.last_row, headings, match.texts)
    return Given(header, columns_of(match), partial(repeats, match=match))


def columns_of(match: Match) -> Columns:
    """The columns of the sheet that serve the format's fields."""
    by_field: dict[str, list[int]] = {}
    for index, place in sorted(match.places.items(), key=lambda item: item[1]):
        if name := match.spec.columns[index].field:
            by_field.setdefault(name, []).append(place)
    first = {name: places[0] for name, places in by_field.items()}
    single = {name: place for name, place in first.items() if name not in _NOT_SINGLE}
    names = _names(tuple(by_field.get("consignee_name", ())), single, match)
    more = [single[name] for name in ("address_more", "destination") if name in single]
    if "consignee_name" in first:
        single["consignee_name"] = first["consignee_name"]
    weight = match.spec.column("weight_kg")
    unit = weight.unit if weight else ""
    return Columns(
        single=single,
        names=tuple(filter(None, names)),
        address=(*by_field.get("consignee_address", ()), *more),
        mawb=tuple(by_field.get("mawb", ())),
        measures=Measures(unit or UNREADABLE, first.get("weight_unit"), "USD", first.get("currency")),
        rules=_rules(match) if match.is_read else None,
    )


def _names(whole: tuple[int, ...], single: Mapping[str, int], match: Match) -> tuple[tuple[int, ...], ...]:
    """The columns that are joined to the name, and those to use where it is empty.

    Without a given name, a surname completes the name, unless the name has it already.
    """
    joined = tuple(single[name] for name in _NAME_PARTS if name in single)
    if not whole or "given_name" in single:
        return whole, joined
    return (*whole, *(part for part in joined if not any(_is_within(match.rows, part, name) for name in whole))), joined


def _is_within(rows: Iterable[Sequence[Cell]], part: int, whole: int) -> bool:
    """Whether the names in a column have those of another already."""
    pairs = [({*fold(text_of(cell_at(cells, part)))}, {*fold(text_of(cell_at(cells, whole)))}) for cells in rows]
    return all(surname < name for surname, name in pairs if surname and name)


def _rules(match: Match) -> CellRules:
    placed = [(place, match.spec.columns[index]) for index, place in match.places.items()]
    return CellRules(
        empty={place: frozenset(map(normal_value, column.empty)) for place, column in placed if column.empty},
        decimals={column.field: DECIMALS[column.decimals] for _, column in placed if column.field and column.decimals},
        values={place: column.values for place, column in placed if column.values},
        extra={place: column.key for place, column in placed if column.key},
    )


# --- labels ---------------------------------------------------------------------------------------------------------


def with_labels(survey: Survey, match: Match, book: Workbook) -> Survey:
    """The survey with the MAWB, the flight and the destination that the format's own labels and rules give."""
    spec, found = match.spec, survey.labelled
    for name, labelled in spec.flight.items():
        _set(name, next(beside(book, labelled.label), None), found)
    if spec.destination.label:
        _set("destination", next(beside(book, spec.destination.label), None), found)
    elif spec.destination.is_form_only or spec.destination.always:
        _set("destination", spec.destination.always.upper() or None, found)
    for name in TIMES:
        month_first, zone = _order_and_zone(spec, name)
        if zone and isinstance(next(iter(found.flight.get(name, ())), None), str):
            found.clocks[name] = zone
        if name in found.flight and month_first:
            found.flight[name] = list(map(_month_first, found.flight[name]))
    cells: list[Cell] = [cell for cell in beside(book, spec.mawb.label) if cell is not None] if spec.mawb.label else []
    if cells:
        mawbs = [mawb for cell in cells for mawb in labelled_mawbs(text_of(cell))]
        found = replace(found, master=mawbs, hinted=[], loose=[])
        found.unread["mawb"] = [*cells]
    return replace(survey, labelled=found)


def beside(book: Workbook, label: str) -> Iterator[Cell]:
    """The values beside, below or after a label among the first rows of the visible sheets; None where it has none."""
    wanted = heading_key(label)
    for sheet in book.sheets:
        cells = dict(islice(sheet.rows, SEARCHED_ROWS))
        for number, row in cells.items():
            for column, cell in enumerate(row):
                if not isinstance(cell, str) or len(cell) > LONGEST_LABELLED:
                    continue
                own, inside = label_and_value(text_of(cell))
                if wanted in {heading_key(text_of(cell)), heading_key(own)}:
                    yield inside or value_near(cells, number, column)


def _set(name: str, cell: Cell, found: LabelledValues) -> None:
    """Take only what the format's own label gives; a cell that cannot be read is reported."""
    found.flight.pop(name, None)
    found.unread.pop(name, None)
    if cell is not None:
        (found.flight if reads(name, cell) else found.unread)[name] = [cell]


def _order_and_zone(spec: FormatSpec, name: str) -> tuple[bool, str]:
    """Whether the month comes first in dates typed as text, and whose clock their times show."""
    told: list[Labelled | MappedColumn] = [spec.flight[name]] if name in spec.flight else []
    told += [column for column in spec.columns if column.field == name]
    return any(each.month_first for each in told), next((each.zone for each in told if each.zone), "")


def _month_first(cell: Cell) -> Cell:
    moment = read_moment(cell, month_first=True)
    return moment.value if moment and moment.has_time else moment.value.date() if moment else cell
