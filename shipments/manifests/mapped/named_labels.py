"""Values beside the labels that a format names, in place of those that the known labels give."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from shipments.manifests.cells import Cell, Workbook, text_of
from shipments.manifests.mapped.recognise import Match
from shipments.manifests.mapped.spec import FormatSpec, Labelled, MappedColumn, heading_key
from shipments.manifests.moments import read_moment
from shipments.manifests.places import read_destination
from shipments.manifests.sheets.headers import SEARCHED_ROWS
from shipments.manifests.sheets.surveys import Destination, FoundMawbs, Survey
from shipments.manifests.waybills import labelled_mawbs
from shipments.manifests.words.labels import LONGEST_LABELLED, reads, values_around
from shipments.manifests.words.lexicon import Field

_TIMES: Sequence[Field] = ("scheduled_departure", "scheduled_arrival")


def with_labels(survey: Survey, match: Match, book: Workbook) -> Survey:
    """The survey with the MAWB, the flight and the destination that the format's own labels and rules give."""
    spec = match.spec
    flight, unread = dict(survey.flight), dict(survey.unread)
    for name, labelled in spec.flight.items():
        _set(name, beside(book, labelled.label), flight, unread)
    if spec.destination.label:
        _set("destination", beside(book, spec.destination.label), flight, unread)
    elif spec.destination.is_form_only:
        flight.pop("destination", None)
        unread.pop("destination", None)
    elif spec.destination.always:
        flight["destination"] = (spec.destination.always,)
        unread.pop("destination", None)
    clocks: dict[Field, str] = {}
    for name in _TIMES:
        month_first, zone = _order_and_zone(spec, name)
        if zone and isinstance(next(iter(flight.get(name, ())), None), str):
            clocks[name] = zone
        if name in flight and month_first:
            flight[name] = tuple(map(_month_first, flight[name]))
    return replace(
        survey,
        mawbs=_mawbs(survey.mawbs, beside(book, spec.mawb)) if spec.mawb else survey.mawbs,
        flight=flight,
        unread=unread,
        clocks=clocks,
        destination=_destination(flight.get("destination", ()), unread.get("destination", ())),
    )


def beside(book: Workbook, label: str) -> Cell:
    """The value beside, below or after a label among the first rows of the visible sheets; None without one."""
    wanted = heading_key(label)
    for sheet in book.sheets:
        cells = dict(islice(sheet.rows, SEARCHED_ROWS))
        for number, row in cells.items():
            for column, cell in enumerate(row):
                if not isinstance(cell, str) or len(cell) > LONGEST_LABELLED:
                    continue
                own, colon, inside = cell.partition(":")
                if heading_key(text_of(cell)) == wanted or (colon and heading_key(text_of(own)) == wanted):
                    return inside.strip() or next(iter(values_around(cells, number, column)), None)
    return None


def _set(name: str, cell: Cell, flight: dict[str, tuple[Cell, ...]], unread: dict[str, tuple[Cell, ...]]) -> None:
    """Take only what the format's own label gives; a cell that cannot be read is reported."""
    flight.pop(name, None)
    unread.pop(name, None)
    if cell is not None:
        (flight if reads(name, cell) else unread)[name] = (cell,)


def _mawbs(found: FoundMawbs, cell: Cell) -> FoundMawbs:
    if cell is None:
        return found
    mawbs = tuple(labelled_mawbs(text_of(cell)))
    return FoundMawbs(master=mawbs) if mawbs else FoundMawbs(unread=(text_of(cell),))


def _order_and_zone(spec: FormatSpec, name: str) -> tuple[bool, str]:
    """Whether the month comes first in dates typed as text, and whose clock their times show."""
    told = [each for each in (spec.flight.get(name), *spec.columns) if each and _serves(each, name)]
    return any(each.month_first for each in told), next((each.zone for each in told if each.zone), "")


def _serves(told: Labelled | MappedColumn, name: str) -> bool:
    return isinstance(told, Labelled) or told.field == name


def _month_first(cell: Cell) -> Cell:
    moment = read_moment(cell, month_first=True)
    return moment.value if moment and moment.has_time else moment.value.date() if moment else cell


def _destination(read: Sequence[Cell], unread: Iterable[Cell]) -> Destination:
    places = [(place.country, text_of(cell)) for cell in read if (place := read_destination(cell))]
    return Destination(
        countries=tuple(dict.fromkeys(country for country, _ in places)),
        quoted=tuple(dict.fromkeys(text for _, text in places)),
        unread=tuple(text_of(cell) for cell in unread if isinstance(cell, str)),
    )
