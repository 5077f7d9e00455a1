"""What the templates contain, from `layouts.toml`: columns, labels, instructions, examples; and the format of each."""

import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from shipments.manifests.countries import rules_for
from shipments.manifests.mapped.spec import FILE_VERSION, FormatSpec, from_json

TEXT, WHOLE, MOMENT = "@", "0", "dd/mm/yyyy hh:mm"

LEFT_OUT: frozenset[str] = frozenset({
    "consignee_document_type",  # in Chile, where a document is a RUT
    "consignee_postal_code",
    "product_value",  # the FOB is what customs asks for
    "vat_collected", "platform_tax_id", "sale_id",  # elsewhere than in Chile
})  # fmt: skip
"""Fields that workbooks may have and that not every template asks for."""

DESTINATION = "Aeropuerto de destino"


class TemplateColumn(NamedTuple):
    """A column to fill in.

    field: as the format names it, or `+` and a key of extra data. hint: shown as a comment. values: text -> meaning.
    """

    field: str
    heading: str
    width: int
    hint: str
    number_format: str = TEXT
    is_required: bool = False
    values: Mapping[str, str] = {}


class TemplateLayout(NamedTuple):
    """A country's template.

    name: of its format. labels: above the table, with example values. guides: examples, in the order of the columns; an
    empty text is an empty cell.
    """

    name: str
    title: str
    labels: Mapping[str, str | datetime]
    instructions: Sequence[str]
    columns: Sequence[TemplateColumn]
    guides: Sequence[Sequence[str | float]]


_FILE: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "layouts.toml").read_text(encoding="utf-8"))


def _layout(country: str) -> TemplateLayout:
    told = _FILE[country]
    instructions = [*_FILE["before"], *told["instructions"], *_FILE["after"]]
    columns = [_column(each, rules_for(country).document_codes) for each in told["columns"]]
    return TemplateLayout(**told | {"instructions": instructions, "columns": columns})


def _column(told: str | Mapping[str, Any], document_codes: Mapping[str, str]) -> TemplateColumn:
    """told: a column, or the field of one that all templates have."""
    column = TemplateColumn(told, **_FILE["columns"][told]) if isinstance(told, str) else TemplateColumn(**told)
    if column.field != "consignee_document_type":
        return column
    return column._replace(values={**document_codes, **column.values})  # clients write customs' own codes, too


LAYOUTS: Mapping[str, TemplateLayout] = {country: _layout(country) for country in ("CL", "PE", "AR")}
"""Country, alpha-2 -> its template."""


def house_spec(country: str) -> FormatSpec:
    """The format of a country's template (alpha-2). Packages left empty are 1, so their column may be absent."""
    layout = LAYOUTS[country]
    columns = [_column_of(column) for column in layout.columns]
    return from_json({"prealerts_format": FILE_VERSION, "name": layout.name, "country": country, "columns": columns})


def _column_of(column: TemplateColumn) -> dict[str, Any]:
    field, _plus, key = column.field.partition("+")
    told = {
        "key": key,
        "unit": "kg" if field == "weight_kg" else "",
        "values": column.values,
        "required": column.is_required and field != "packages_count",
    }
    return {"heading": column.heading, "field": field or "extra_data"} | {name: it for name, it in told.items() if it}
