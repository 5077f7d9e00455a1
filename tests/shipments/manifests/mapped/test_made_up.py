"""Kept tests of made-up guides: a format reads its own as they are meant, and no other single choice reads them so."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import msgspec
import pytest

from shipments.errors import FormatInvalid
from shipments.manifests.mapped.house.house_layouts import house_spec
from shipments.manifests.mapped.made_up import Habits, differences, made_up
from shipments.manifests.mapped.spec import FormatSpec, from_json, to_json

HABITS = (
    Habits(),
    Habits(7, {"weight_kg": ",", "fob_usd": ","}, frozenset({"consignee_document", "hawb"}), has_totals=True),
)
ODD: dict[str, list[Any]] = {
    "PE": [
        ("Código", "hawb"), ("Quién", "consignee_name"), ("Papel", "consignee_document"),
        ("Tipo", "consignee_document_type", {"values": {"6": "RUC", "1": "DNI", "7": "PASSPORT"}}),
        ("Cosas", "description_original", {"group": "Bienes"}), ("Marca", "extra_data", {"key": "brand"}),
        ("Nota", "extra_data", {"key": "note", "empty": ["n/a"]}),
        ("Clase", "category", {"values": {"A": "1", "B": "3", "C": "4"}}),
        ("Peso", "weight_kg", {"group": "Medidas", "unit": "g", "decimals": "point"}),
        ("Valor", "fob_usd", {"group": "Medidas", "decimals": "comma", "empty": ["s/v"]}), ("Nada", None),
    ],
    "CL": [
        ("N°", "hawb"), ("Nombre", "given_name"), ("Segundo", "middle_name"), ("Apellido", "surname"),
        ("RUN", "consignee_document"), ("", "check_digit", {"right_of": "RUN"}), ("Calle", "consignee_address"),
        ("Nro", "address_number"), ("Depto", "address_more", {"empty": ["sin"]}), ("Bienes", "description_original"),
        ("Masa", "weight_kg", {"unit": "oz"}), ("US", "fob_usd", {"decimals": "numeric"}),
        ("Llega", "scheduled_arrival", {"zone": "America/Lima"}),
        ("Sale", "scheduled_departure", {"month_first": True}),
    ],
    "AR": [
        ("主单号", "mawb"), ("分单号", "hawb"), ("收件人", "consignee_name"), ("税号", "consignee_document"),
        ("类型", "consignee_document_type"), ("品名", "description_original"), ("重量", "weight_kg"),
        ("单位", "weight_unit"), ("价值", "fob_usd"), ("起", "origin"), ("终", "destination"),
        ("航班", "flight_number"), ("电话", "consignee_phone"), ("邮编", "consignee_postal_code"),
        ("编码", "hs_code"), ("件数", "packages_count"),
    ],
}  # fmt: skip
"""Country -> columns: heading, field, and what else the format says."""


def odd(country: str) -> FormatSpec:
    columns = [{"heading": heading, "field": field} | dict(*more) for heading, field, *more in ODD[country]]
    rows = 2 if any("group" in column for column in columns) else 1
    content = {"prealerts_format": 1, "name": "odd", "country": country, "header_rows": rows, "columns": columns}
    return from_json({**content, "mawb": {} if country == "AR" else {"label": "GUIA MADRE"}})


FORMATS = [*map(odd, ODD), *map(house_spec, ("CL", "PE", "AR"))]


def changed(form: FormatSpec) -> Iterator[tuple[str, FormatSpec]]:
    """The format with a single choice made otherwise: two fields swapped, or one column read in another way."""
    content = to_json(form)
    for changes in _changes(content["columns"]):
        columns = [{**column, **changes.get(at, {})} for at, column in enumerate(content["columns"])]
        columns = [
            {key: value for key, value in each.items() if value is not None or key == "field"} for each in columns
        ]
        try:
            yield str(changes), from_json({**content, "columns": columns})
        except FormatInvalid:
            continue


def _changes(columns: list[dict[str, Any]]) -> Iterator[dict[int, dict[str, Any]]]:
    reading = ("field", "key", "unit", "decimals", "values", "empty", "zone", "month_first", "required")
    for (one, first), (other, second) in combinations(enumerate(columns), 2):
        if first["field"] != second["field"]:
            yield {one: {key: second.get(key) for key in reading}, other: {key: first.get(key) for key in reading}}
    for at, column in enumerate(columns):
        yield {at: dict.fromkeys(reading)} if column["field"] else {}
        if "unit" in column:
            yield from ({at: {"unit": unit}} for unit in ("kg", "lb", "oz", "g", "mg", "t") if unit != column["unit"])
        if column.get("decimals") in {"comma", "point"}:
            yield {at: {"decimals": "comma" if column["decimals"] == "point" else "point"}}
        yield {at: {"empty": None}} if "empty" in column else {}
        for text in column.get("values", ()):
            yield {at: {"values": {key: value for key, value in column["values"].items() if key != text}}}


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: f"{form.name} {form.country}")
def test_made_up_guides_are_read_as_they_are_meant_and_by_no_other_single_choice(form: FormatSpec) -> None:
    for habits in HABITS:
        test = msgspec.to_builtins(made_up(form, habits))
        assert differences(form, test["grid"], test["expected"]) == []
    test = msgspec.to_builtins(made_up(form))
    others = {name: other for name, other in changed(form) if other != form}
    assert len(others) > len(form.columns)
    assert [name for name, other in others.items() if not differences(other, test["grid"], test["expected"])] == []
