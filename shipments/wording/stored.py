"""Warnings and notices as stored with a manifest: code and parameters, put into words when they are shown.

An entry has `code`, `sentence` (the key in the catalogue), `params`, `row_index` and `hawb`; a warning also has
`field`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypedDict

from base.http.json_types import Count
from shipments.manifests.manifest import Notice, RowWarning
from shipments.manifests.payload.fields import InvalidRow
from shipments.wording.rendering import in_operators_words, in_words

Entry = dict[str, Any]


class AnsweredRowWarning(TypedDict):
    """A problem in a row that was accepted nevertheless."""

    row_index: Annotated[Count, "Workbook: the row as the spreadsheet numbers it, from 1. JSON: the position, from 0."]
    hawb: Annotated[str, "The row's HAWB; may be empty."]
    field: Annotated[str, "The field concerned, such as `consignee_rut`."]
    error_code: Annotated[str, "What is wrong, such as `rut_invalid_format`. More may come."]
    severity: Annotated[str, "`warning`."]
    message: Annotated[str, "For a person."]


class AnsweredNotice(TypedDict):
    """A remark on content accepted unchanged; `row_index` and `hawb` are null if it does not concern a row."""

    code: Annotated[str, "What was noticed, such as `mawb_check_digit_mismatch`. More may come."]
    message: Annotated[str, "For a person."]
    row_index: Count | None
    hawb: str | None


class AnsweredInvalidRow(TypedDict):
    """A problem of a row; `row_index` is the position in `guides`, from 0."""

    row_index: Count
    hawb: Annotated[str, "As it was sent; empty when the row has none."]
    field: Annotated[str, "Such as `weight_kg` or `products[1].quantity`."]
    error_code: Annotated[str, "Such as `required`, `invalid`, `rut_invalid_format`. More may come."]
    message: Annotated[str, "For a person."]


def to_entry(found: RowWarning | Notice) -> Entry:
    entry = {
        "code": found.code,
        "sentence": found.reason.sentence,
        "params": dict(found.reason.params),
        "row_index": found.row_index,
        "hawb": found.hawb,
    }
    return {**entry, "field": found.field} if isinstance(found, RowWarning) else entry


def render_warning(entry: Mapping[str, Any]) -> AnsweredRowWarning:
    """A stored warning with the contract's codes, in the active language."""
    return {
        "row_index": entry["row_index"],
        "hawb": entry["hawb"],
        "field": entry["field"],
        "error_code": entry["code"],
        "severity": "warning",
        "message": in_words(entry["sentence"], entry["params"]),
    }


def render_notice(entry: Mapping[str, Any]) -> AnsweredNotice:
    return {
        "code": entry["code"],
        "message": in_words(entry["sentence"], entry["params"]),
        "row_index": entry["row_index"],
        "hawb": entry["hawb"],
    }


def render_invalid_rows(rows: Iterable[InvalidRow]) -> list[AnsweredInvalidRow]:
    return [
        {
            "row_index": row.row_index,
            "hawb": row.hawb,
            "field": row.finding.field,
            "error_code": row.finding.code,
            "message": in_words(row.finding.reason.sentence, row.finding.reason.params),
        }
        for row in rows
    ]


def render_for_operator(entry: Mapping[str, Any], label: Callable[[str], str], *, is_created: bool) -> Entry:
    """A stored warning or notice for an operator: row, HAWB, code and its sentences in the active language.

    label: the words for a field's name. is_created: the guides exist already.
    """
    return {
        "row_index": entry["row_index"],
        "hawb": entry["hawb"],
        "code": entry["code"],
        "message": in_operators_words(entry["sentence"], entry["params"], label, is_created=is_created),
    }
