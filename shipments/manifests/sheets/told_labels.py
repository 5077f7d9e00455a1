"""What a person has said of a workbook outside its table: labels, constants, and how to read dates and times."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from shipments.manifests.cells import Cell, Workbook, text_of
from shipments.manifests.findings import shorten
from shipments.manifests.manifest import Notice, Reason
from shipments.manifests.moments import read_moment
from shipments.manifests.places import read_destination
from shipments.manifests.sheets.answers import Told, answer_key
from shipments.manifests.sheets.figures import UNLIKE
from shipments.manifests.sheets.headers import SEARCHED_ROWS
from shipments.manifests.sheets.surveys import CellRules
from shipments.manifests.waybills import find_labelled_mawbs
from shipments.manifests.words.labels import (
    FLIGHT_FIELDS,
    LONGEST_LABELLED,
    LabelledValues,
    label_and_value,
    reads,
    value_near,
)
from shipments.manifests.words.lexicon import Field

_MOMENTS: tuple[Field, ...] = ("scheduled_departure", "scheduled_arrival")


def apply_told(found: LabelledValues, told: Told, rules: Iterable[CellRules], book: Workbook) -> LabelledValues:
    """The values with those of the told labels and constants in place of what their words gave.

    rules: of the tables. A label that is not there gives nothing; a cell beside it that cannot be read is reported.
    """
    zones = {name: told.constants["zone"] for name in _MOMENTS if "zone" in told.constants}
    month_first: set[Field] = set()
    for each in rules:
        zones |= each.zones
        month_first |= each.month_first
    for label in told.labels:
        values: list[Cell] = [cell for cell in _values_beside(book, label.label) if cell is not None]
        if label.field == "mawb" and values:
            mawbs = [mawb for cell in values for mawb in find_labelled_mawbs(text_of(cell))]
            found = replace(found, master=mawbs, hinted=[], loose=[], bare=[])
            found.unread["mawb"] = values
        elif label.field in FLIGHT_FIELDS:
            _set(label.field, next(iter(values), None), found)
        if label.zone:
            zones[label.field] = label.zone
    for name, value in told.constants.items():
        if name in FLIGHT_FIELDS:
            _set(name, value, found)
    for name, zone in zones.items():
        if isinstance(next(iter(found.flight.get(name, ())), None), str):
            found.clocks[name] = zone
    for name in month_first & found.flight.keys():
        found.flight[name] = list(map(_read_month_first, found.flight[name]))
    return found


def find_contradictions(found: LabelledValues, told: Told, book: Workbook) -> Iterator[Notice]:
    """The notices on places that a workbook names and whose country is not that of the constant that was told, and on a
    label beside which it was told to have its MAWB and has none.

    found: the values before those told take their place.
    """
    for label in told.labels:
        if label.field == "mawb" and all(cell is None for cell in _values_beside(book, label.label)):
            yield Notice(UNLIKE, Reason("label_unlike_format", {"label": shorten(label.label), "field": "mawb"}))
    for name in ("origin", "destination"):
        always = read_destination(told.constants.get(name))
        for cell in found.flight.get(name, ()) if always else ():
            stated = read_destination(cell)
            if always and stated and stated.country != always.country:
                params = {"stated": shorten(text_of(cell)), "always": told.constants[name], "field": name}
                yield Notice(UNLIKE, Reason("constant_unlike_format", params))
                break


def _values_beside(book: Workbook, label: str) -> Iterator[Cell]:
    """The values beside, below or after a label among the first rows of the visible sheets; None where it has none."""
    wanted = answer_key(label)
    for sheet in book.sheets:
        cells = dict(islice(sheet.rows, SEARCHED_ROWS))
        for number, row in cells.items():
            for column, cell in enumerate(row):
                if not isinstance(cell, str) or len(cell) > LONGEST_LABELLED:
                    continue
                own, inside = label_and_value(text_of(cell))
                if wanted in {answer_key(text_of(cell)), answer_key(own)}:
                    yield inside or value_near(cells, number, column)


def _set(name: Field, cell: Cell, found: LabelledValues) -> None:
    found.flight.pop(name, None)
    found.unread.pop(name, None)
    if cell is not None:
        (found.flight if reads(name, cell) else found.unread)[name] = [cell]


def _read_month_first(cell: Cell) -> Cell:
    moment = read_moment(cell, month_first=True)
    return moment.value if moment and moment.has_time else moment.value.date() if moment else cell
