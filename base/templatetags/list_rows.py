"""The rows of the admin's lists.

unfold's own tag builds the headings again for each row and renders each checkbox from templates, which takes half of
the time of a page or more. This tag builds the headings and the beginning of each column's cells once, and its HTML is
a third as long.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import lookup_field
from django.contrib.admin.views.main import ChangeList
from django.db.models import ForeignKey, Model
from django.template import Context, Library
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from unfold.admin import checkbox
from unfold.templatetags.unfold_list import result_headers
from unfold.utils import display_for_field, display_for_value

register = Library()

_TICK = "action_checkbox"


class ListColumn(NamedTuple):
    """A column of a list: its name, how its cells begin and end, and whether they link to the row's page.

    A cell begins with its heading, which narrow screens show next to the value.
    """

    name: str
    begin: SafeString
    end: SafeString
    is_link: bool


@register.inclusion_tag("base/list_rows.html", takes_context=True)
def change_list_rows(context: Context, cl: Any) -> dict[str, Any]:  # noqa: ANN401  # a `ChangeList` of a `StrictAdmin`
    """Return the context for the table of a change list, or for the message shown when it is empty."""
    headers = list(result_headers(cl))  # type: ignore[no-untyped-call]  # unfold's
    columns = _columns(cl, headers)
    return {
        "cl": cl,
        "result_headers": headers,
        "num_sorted_fields": sum(header.get("sorted", False) for header in headers),
        "rows": [
            mark_safe("".join(f"{each.begin}{conditional_escape(_cell(cl, each, row))}{each.end}" for each in columns))  # noqa: S308  # each part is escaped
            for row in cl.result_list
        ],
        "first_steps": [
            (label, reverse(view))
            for label, view, permission in cl.model_admin.first_steps
            if context["request"].user.has_perm(permission)
        ],
    }


def _columns(cl: ChangeList, headers: Sequence[dict[str, Any]]) -> list[ListColumn]:
    names = [str(name) for name in cl.list_display]
    heading = next((name for name in names if name != _TICK), "")
    columns = []
    for name, header in zip(names, headers, strict=True):
        is_number = getattr(getattr(cl.model_admin, name, None), "is_number", False)
        header["class_attrib"] = format_html("{}{}", header["class_attrib"], " pa-number" if is_number else "")
        links = name in (cl.list_display_links or ())
        columns.append(_column(name, header["text"], is_link=links, is_heading=name == heading, is_number=is_number))
    return columns


def _column(name: str, heading: str, *, is_link: bool, is_heading: bool, is_number: bool) -> ListColumn:
    if name == _TICK:
        begin = format_html('<td class="pa-cell action-checkbox" data-label="{}">', _("Select record"))
        return ListColumn(name, begin, mark_safe("</td>"), is_link=False)
    tag = "th" if is_heading and is_link else "td"
    number = mark_safe(" data-number") if is_number else ""
    scope = mark_safe(' scope="row"') if tag == "th" else ""
    begin = format_html(
        '<{}{} class="pa-cell field-{}"{} data-label="{}">', tag, scope, name, number, capfirst(heading)
    )
    return ListColumn(name, begin, format_html("</{}>", tag), is_link)


def _cell(cl: ChangeList, column: ListColumn, row: Model) -> Any:  # noqa: ANN401  # whatever a cell shows
    if column.name == _TICK:
        return format_html(
            '<input type="checkbox" name="{}" value="{}" class="{}" aria-label="{}">',
            ACTION_CHECKBOX_NAME, row.pk, checkbox.attrs["class"], _("Select record"),
        )  # fmt: skip
    if not column.is_link:
        return _render_value(cl, column.name, row)
    address = cl.url_for_result(row) + (f"?{cl.preserved_filters}" if cl.preserved_filters else "")
    return format_html('<a href="{}">{}</a>', address, _render_value(cl, column.name, row))


def _render_value(cl: ChangeList, name: str, row: Model) -> Any:  # noqa: ANN401  # as above
    field, shown_by, value = lookup_field(name, row, cl.model_admin)
    empty = getattr(shown_by, "empty_value_display", cl.model_admin.get_empty_value_display())
    if field is None:
        return display_for_value(value, empty, boolean=getattr(shown_by, "boolean", False))
    if isinstance(field, ForeignKey):
        return empty if value is None else value
    return display_for_field(value, field, empty)
