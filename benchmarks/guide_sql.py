"""The SQL that fills a scratch database with guides, whatever fields a guide has."""

import json
from collections.abc import Mapping

from shipments.manifests.guide_fields import GUIDE_FIELDS

_REST = {
    "needs_review": "false",
    "review_reasons": "'[]'",
    "retention_required": "false",
    "retention_reason": "''",
}
"""Columns that no field of a manifest fills."""


def insert_guides(values: Mapping[str, str]) -> str:
    """`INSERT ... SELECT`, up to its FROM.

    values: column -> SQL expression. The columns of the field table that are left out hold what an unknown value is.
    """
    unknown = {field.name: _literal(field.unknown) for field in GUIDE_FIELDS}
    columns = {**unknown, **_REST, **values}
    return f"INSERT INTO shipments_guide ({', '.join(columns)})\nSELECT {', '.join(columns.values())}\n"  # ours


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return f"'{value}'" if isinstance(value, str) else f"'{json.dumps(value)}'"
