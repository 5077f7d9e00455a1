"""Layouts that a person should answer for."""

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from prealerts.dashboard.entries import Entry
from prealerts.dashboard.figures import list_of
from shipments.models import LayoutQuerySet

_MOST = 200


def layouts_to_answer(layouts: LayoutQuerySet) -> Iterator[Entry]:
    """Yield a line for each company: how many layouts are new or changed, and how many questions they have.

    A single layout is led to, several to their list.
    """
    found: dict[str, dict[str, Any]] = {}
    for layout in layouts.waiting().select_related("company").order_by("-last_seen_at")[:_MOST]:
        line = found.setdefault(layout.company.client_code, {"one": layout, "new": 0, "changed": 0, "questions": 0})
        line["changed" if layout.changed_columns else "new"] += 1
        line["questions"] += len(layout.questions)
    for code, line in found.items():
        counted = [
            ngettext("%d new layout", "%d new layouts", line["new"]) % line["new"] if line["new"] else "",
            ngettext("%d changed layout", "%d changed layouts", line["changed"]) % line["changed"]
            if line["changed"]
            else "",
            ngettext("%d question", "%d questions", line["questions"]) % line["questions"] if line["questions"] else "",
        ]
        layouts_of_it = line["new"] + line["changed"]
        link = list_of("layout", company=code, state="waiting")
        if layouts_of_it == 1:
            link = reverse("admin:shipments_layout_change", args=[line["one"].pk])
        text = ", ".join(filter(None, counted))
        yield Entry(
            "view_column", line["one"].company.name, text, link, gettext("Say what its columns are"), layouts_of_it
        )
