"""Page headings in the words of the sidebar: "Activity log" must not lead to "Log entries"."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.template import Library

register = Library()


@register.filter
def as_in_sidebar(parts: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """unfold's parts of a heading: application, list, row. A list linked in the sidebar has the same title there; one
    that is linked with a filter set is of the same section, under its own title.

    parts: each with `title` and, unless it is the current page, `link`.
    """
    if len(parts) < 2:
        return parts
    _application, listed, *rest = parts
    sidebar: Any = settings.UNFOLD["SIDEBAR"]
    for section in sidebar["navigation"]:
        for item in section["items"]:
            link, filtered, _query = str(item["link"]).partition("?")
            if link == str(listed.get("link")):
                title = listed["title"] if filtered else item["title"]
                return [{"title": section["title"]}, {**listed, "title": title}, *rest]
    return parts
