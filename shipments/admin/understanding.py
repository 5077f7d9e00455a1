"""How a workbook was read, as shown to operators on the manifest's page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from shipments.admin.field_labels import LABELS
from shipments.manifests.manifest import LeftOutReason
from shipments.models import Guide, Manifest
from shipments.wording.stored import render_for_operator

_SHOWN_REMARKS = 100

_FIELD_LABELS: Mapping[str, str | Promise] = {
    **LABELS,
    "weight_kg": _("weight (kg)"),
    "consignee_rut": "RUT",
    "eta": "ETA",
    "quantity": _("quantity"),
    "unit_value": _("unit price"),
}
"""Labels of workbook columns that are not fields of a guide."""

_REASON_LABELS: Mapping[LeftOutReason, str | Promise] = {
    "hawb_missing": _("No HAWB"),
    "duplicate_hawb": _("The HAWB of another consignee"),
    "belongs_unclear": _("No HAWB, perhaps a product of the guide above"),
    "too_few_values": _("A HAWB and fewer than two more values"),
    "no_consignee": _("Neither consignee, RUT nor description"),
    "hawb_unlike_others": _("No consignee, and a HAWB unlike the others"),
    "other_table": _("Under the headings of another table"),
    "example": _("Marked as an example"),
    "heading": _("Headings repeated"),
    "instructions": _("Instructions"),
    "note": _("A note or a footer"),
}

_ROWS: Mapping[str, str | Promise] = {
    "in_table": _("Rows under the headings"),
    "guides": _("Guides"),
    "products": _("Further products of a guide"),
    "totals": _("Totals"),
    "left_out": _("Left out"),
}

_QUESTION_REASONS: Mapping[str, str | Promise] = {
    "weak_heading": _("Its heading does not clearly name this field."),
    "rival": _("Several columns could be this field."),
    "no_column": _("No heading clearly names this field."),
    "unit_unknown": _("Its unit or currency is not known."),
    "values_unlike": _("Its values do not look like this field."),
}
"""Why a question is asked."""


def describe_reading(manifest: Manifest, *, is_created: bool = True) -> dict[str, Any]:
    """Return the template context for how a manifest was read: columns, rows and findings. is_created: it is stored."""
    account = manifest.row_account or {}
    left_out = account.get("left_out_rows", [])
    return {
        "columns": [
            {
                "letters": column["column"],
                "heading": column["heading"],
                "field": field_name(column["field"]),
                "measure": column.get("unit") or column.get("currency") or "",
            }
            for column in manifest.columns or []
        ],
        "kept_columns": manifest.kept_columns,
        "questions": [
            {"text": question_in_words(each), "columns": [column["heading"] for column in each["columns"]]}
            for each in manifest.questions
        ],
        "row_account": [(label, account[kind]) for kind, label in _ROWS.items()] if account else [],
        "left_out": [{**row, "reason": str(_REASON_LABELS.get(row["reason"], row["reason"]))} for row in left_out],
        "remarks": [
            _remarks(title, remarks, count, manifest.total_guides, is_created=is_created)
            for title, remarks, count in (
                (_("Warnings"), manifest.warnings, manifest.warnings_count),
                (_("Notices"), manifest.notices, manifest.notices_count),
            )
        ],
    }


def question_in_words(question: Mapping[str, Any]) -> str:
    """What is asked about a layout, and why. question: as the API has it."""
    return f"{capfirst(field_name(question['field']))}? {_QUESTION_REASONS.get(question['reason'], '')}"


def _remarks(
    title: str | Promise, remarks: Sequence[dict[str, Any]], count: int, guides: int, *, is_created: bool
) -> dict[str, Any]:
    """Return the first findings, and how many there are, stored or not. guides: one of all of them is said once."""
    said = [render_for_operator(each, field_name, is_created=is_created) for each in remarks]
    about = Counter(each["message"] for each in said if each["hawb"])
    of_all = [message for message, rows in about.items() if rows == guides > 1]
    listed = [each for each in said if each["message"] not in of_all]
    left = count - (len(said) - len(listed))
    return {
        "title": title,
        "count": count,
        "of_all": of_all,
        "shown": listed[:_SHOWN_REMARKS],
        "more": max(0, left - _SHOWN_REMARKS),
    }


def field_name(name: str) -> str:
    """What operators call a field of a guide or a column of a workbook."""
    if label := _FIELD_LABELS.get(name):
        return str(label)
    try:
        return str(Guide._meta.get_field(name).verbose_name)  # type: ignore[union-attr]  # a column, not a relation
    except FieldDoesNotExist:
        return name.replace("_", " ")
