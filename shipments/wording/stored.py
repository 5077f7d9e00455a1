"""Warnings and notices as a manifest keeps them: code and parameters, put into words when they are shown.

An entry has `code`, `sentence` (the key in the catalogue), `params`, `row_index` and `hawb`; a warning also `field`.
Where a sentence was not recognised when it was turned into code and parameters, `legacy_text` holds it; an entry of the
version before, which serves while a new one is installed, has its `message`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from shipments.manifests.manifest import Notice, RowWarning
from shipments.manifests.payload.row_findings import InvalidRow
from shipments.wording.rendering import english, in_words

Entry = dict[str, Any]


def stored_warning(warning: RowWarning) -> Entry:
    """What is kept of a warning."""
    return {
        "row_index": warning.row_index,
        "hawb": warning.hawb,
        "field": warning.field,
        "code": warning.code,
        "sentence": warning.reason.sentence,
        "params": dict(warning.reason.params),
    }


def stored_notice(notice: Notice) -> Entry:
    """What is kept of a notice."""
    return {
        "code": notice.code,
        "sentence": notice.reason.sentence,
        "params": dict(notice.reason.params),
        "row_index": notice.row_index,
        "hawb": notice.hawb,
    }


def answered_warning(entry: Mapping[str, Any]) -> Entry:
    """A stored warning in the contract's words."""
    return {
        "row_index": entry["row_index"],
        "hawb": entry["hawb"],
        "field": entry["field"],
        "error_code": _code(entry),
        "severity": "warning",
        "message": _legacy_text(entry) or english(_sentence(entry), entry.get("params", {})),
    }


def answered_notice(entry: Mapping[str, Any]) -> Entry:
    """A stored notice in the contract's words."""
    return {
        "code": _code(entry),
        "message": _legacy_text(entry) or english(_sentence(entry), entry.get("params", {})),
        "row_index": entry["row_index"],
        "hawb": entry["hawb"],
    }


def answered_rows(rows: Iterable[InvalidRow]) -> list[Entry]:
    """`invalid_rows` in the contract's words."""
    return [
        {
            "row_index": row.row_index,
            "hawb": row.hawb,
            "field": row.finding.field,
            "error_code": row.finding.code,
            "message": english(row.finding.reason.sentence, row.finding.reason.params),
        }
        for row in rows
    ]


def shown(entry: Mapping[str, Any]) -> Entry:
    """A stored warning or notice for an operator: row, HAWB, code and what it says in the active language."""
    return {
        "row_index": entry["row_index"],
        "hawb": entry["hawb"],
        "code": _code(entry),
        "message": _legacy_text(entry) or in_words(_sentence(entry), entry.get("params", {})),
    }


def forget_params(entry: Entry) -> None:
    """Leave of a stored warning or notice what it says without its parameters."""
    entry["params"] = {}
    for name in ("legacy_text", "message"):
        entry.pop(name, None)


def _code(entry: Mapping[str, Any]) -> str:
    return str(entry.get("code") or entry.get("error_code", ""))


def _sentence(entry: Mapping[str, Any]) -> str:
    return str(entry.get("sentence") or _code(entry))


def _legacy_text(entry: Mapping[str, Any]) -> str:
    return str(entry.get("legacy_text") or entry.get("message") or "")
