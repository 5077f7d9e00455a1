"""Carry what a format says about its columns over to a draft from a newer sample."""

from collections.abc import Mapping
from typing import Any

from shipments.manifests.mapped.spec import FormatSpec, heading_key, to_json


def carried_over(content: Mapping[str, Any], spec: FormatSpec) -> dict[str, Any]:
    """The draft, with each column that the format has as the format says it. Other columns stay as guessed, unless the
    format has their field already.

    content: a draft, as `guess.draft` gives it.
    """
    known = {
        spelling: written
        for column, written in zip(spec.columns, to_json(spec)["columns"], strict=True)
        for spelling in column.spellings()
    }
    fields = {column.field for column in spec.mapped()}
    columns = []
    for column in content["columns"]:
        own = known.get(heading_key(column["heading"], column.get("group", ""))) if column["heading"] else None
        if own:
            columns.append({**own})
        elif column["field"] in fields:
            columns.append({**{key: column[key] for key in column if key != "unit"}, "field": None})
        else:
            columns.append(dict(column))
    return {**content, "columns": columns}
