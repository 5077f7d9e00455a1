"""The rows of the admin's lists.

unfold's own tag builds the headings again for each row and renders each checkbox from templates, which takes most of
the time of a page. This tag builds the headings once, and its HTML is a third as long.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import lookup_field
from django.contrib.admin.views.main import ChangeList
from django.db.models import ForeignKey, Model
from django.template import Library
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from unfold.admin import checkbox
from unfold.templatetags.unfold_list import result_headers
from unfold.utils import display_for_field, display_for_value

register = Library()

_TICK = "action_checkbox"


class ListColumn(NamedTuple):
    """A column of a list: its name, its heading, and whether it links to the row's page.

    Narrow screens show the heading next to each value.
    """

    name: str
    heading: str
    is_link: bool


@register.inclusion_tag("admin/shipments/rows.html")
def change_list_rows(cl: ChangeList) -> dict[str, Any]:
    """Return the context for the table of a change list, or for the message shown when it is empty."""
    headers = list(result_headers(cl))  # type: ignore[no-untyped-call]  # unfold's
    columns = _columns(cl, headers)
    return {
        "cl": cl,
        "result_headers": headers,
        "rows": [_row(cl, columns, row) for row in cl.result_list],
        "has_add_permission": False,  # only the service writes these rows
    }


def _columns(cl: ChangeList, headers: Sequence[dict[str, Any]]) -> list[ListColumn]:
    names = [str(name) for name in cl.list_display]
    linked = next((name for name in names if name != _TICK), "")
    return [
        ListColumn(name, str(capfirst(header["text"])), is_link=name == linked)
        for name, header in zip(names, headers, strict=True)
    ]


def _row(cl: ChangeList, columns: Sequence[ListColumn], row: Model) -> SafeString:
    return format_html_join("", "{}", ((cell,) for cell in _cells(cl, columns, row)))


def _cells(cl: ChangeList, columns: Sequence[ListColumn], row: Model) -> Iterator[SafeString]:
    for name, heading, is_link in columns:
        if name == _TICK:
            yield _tick(row)
        elif is_link:
            address = cl.url_for_result(row) + (f"?{cl.preserved_filters}" if cl.preserved_filters else "")
            yield format_html(
                '<th class="pa-cell field-{}" data-label="{}"><a href="{}">{}</a></th>',
                name, heading, address, _shown(cl, name, row),
            )  # fmt: skip
        else:
            yield format_html(
                '<td class="pa-cell field-{}" data-label="{}">{}</td>', name, heading, _shown(cl, name, row)
            )


def _tick(row: Model) -> SafeString:
    return format_html(
        '<td class="pa-cell action-checkbox" data-label="{}">'
        '<input type="checkbox" name="{}" value="{}" class="{}" aria-label="{}"></td>',
        _("Select record"), ACTION_CHECKBOX_NAME, row.pk, checkbox.attrs["class"], _("Select record"),
    )  # fmt: skip


def _shown(cl: ChangeList, name: str, row: Model) -> object:
    field, shown_by, value = lookup_field(name, row, cl.model_admin)
    empty = cl.model_admin.get_empty_value_display()
    if field is None:
        return display_for_value(value, empty, boolean=getattr(shown_by, "boolean", False))
    return value if isinstance(field, ForeignKey) else display_for_field(value, field, empty)
