"""What the templates contain, from `layouts.toml`: columns, labels, instructions, examples."""

import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from shipments.manifests.countries import COUNTRIES

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
    columns = [_column(each, COUNTRIES[country].document_codes) for each in told["columns"]]
    return TemplateLayout(**told | {"instructions": instructions, "columns": columns})


def _column(told: str | Mapping[str, Any], document_codes: Mapping[str, str]) -> TemplateColumn:
    """told: a column, or the field of one that all templates have."""
    column = TemplateColumn(told, **_FILE["columns"][told]) if isinstance(told, str) else TemplateColumn(**told)
    if column.field != "consignee_document_type":
        return column
    return column._replace(values={**document_codes, **column.values})  # clients write customs' own codes, too


LAYOUTS: Mapping[str, TemplateLayout] = {country: _layout(country) for country in ("CL", "PE", "AR")}
"""Country, alpha-2 -> its template."""
