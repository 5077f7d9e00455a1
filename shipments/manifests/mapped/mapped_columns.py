"""The columns and headings of a table that a format names."""

from shipments.manifests.mapped.recognise import Match
from shipments.manifests.mapped.spec import DECIMAL_MARKS, SHARED_FIELDS
from shipments.manifests.mapped.spec_values import normal_value
from shipments.manifests.sheets.columns import CellRules, Columns
from shipments.manifests.sheets.headers import HeaderBlock
from shipments.manifests.sheets.measures import Measures
from shipments.manifests.words.headings import UNREADABLE, Heading
from shipments.manifests.words.lexicon import Field, Meaning

_NAME_PARTS: tuple[Field, ...] = ("given_name", "middle_name", "surname", "second_surname")
_NOT_SINGLE = SHARED_FIELDS | {"mawb", "weight_unit", "currency"}


def header_of(match: Match) -> HeaderBlock:
    """The headings of the sheet, with the meaning that the format gives them."""
    headings = {column: Heading(text=text) for column, text in match.texts.items()}
    for index, place in match.places.items():
        name = match.spec.columns[index].field
        if name and name != "extra_data":
            headings[place] = Heading((Meaning(name, 0),), text=match.texts.get(place, ""))
    return HeaderBlock(match.first_row, match.last_row, headings, match.texts)


def columns_of(match: Match) -> Columns:
    """The columns of the sheet that serve the format's fields."""
    by_field: dict[str, list[int]] = {}
    for index, place in sorted(match.places.items(), key=lambda item: item[1]):
        by_field.setdefault(match.spec.columns[index].field, []).append(place)
    by_field.pop("", None)
    single = {name: places[0] for name, places in by_field.items() if name not in _NOT_SINGLE}
    whole = tuple(by_field.get("consignee_name", ()))
    joined = tuple(single[name] for name in _NAME_PARTS if name in single)
    more = [single[name] for name in ("address_more", "destination") if name in single]
    if whole:
        single["consignee_name"] = whole[0]
    return Columns(
        single=single,
        names=tuple(name for name in (whole, joined) if name),
        address=(*by_field.get("consignee_address", ()), *more),
        address_number=single.get("address_number"),
        mawb=tuple(by_field.get("mawb", ())),
        measures=_measures(match, by_field),
        loose=(),
        not_understood=(),
        alike={},
        rules=_rules(match) if match.is_read else None,
    )


def _measures(match: Match, by_field: dict[str, list[int]]) -> Measures:
    weights = (column.unit for column in match.spec.columns if column.field == "weight_kg")
    units, currencies = by_field.get("weight_unit"), by_field.get("currency")
    return Measures(
        unit=next(weights, "") or UNREADABLE,
        unit_column=units[0] if units else None,
        currency="USD",
        currency_column=currencies[0] if currencies else None,
    )


def _rules(match: Match) -> CellRules:
    placed = [(place, match.spec.columns[index]) for index, place in match.places.items()]
    return CellRules(
        empty={place: frozenset(map(normal_value, column.empty)) for place, column in placed if column.empty},
        decimals={
            column.field: DECIMAL_MARKS.get(column.decimals, column.decimals) for _, column in placed if column.decimals
        },
        values={place: column.values for place, column in placed if column.values},
        extra={place: column.key for place, column in placed if column.key},
    )
