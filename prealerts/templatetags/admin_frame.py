"""What stands around the admin's pages: headings in the words of the sidebar, a link to the manual, a form's errors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.conf import settings
from django.contrib.admin import site
from django.db.models import Model
from django.template import Context, Library
from django.urls import reverse

from companies.clocks import zone_name
from prealerts.documentation.chapters import chapter_address, chapter_of

register = Library()


@register.filter
def as_in_sidebar(parts: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """unfold's parts of a heading: application, list, row. A list linked in the sidebar has the same title there:
    "Activity log" must not lead to "Log entries". One that is linked with a filter set is of the same section, under
    its own title.

    parts: each with `title` and, unless it is the current page, `link`. A row's `title` is the row.
    """
    if len(parts) < 2:
        return parts
    application, listed, *rows = parts
    rest = [{**part, "title": _title_of(part["title"])} for part in rows]
    sidebar: Any = settings.UNFOLD["SIDEBAR"]
    for section in sidebar["navigation"]:
        for item in section["items"]:
            link, filtered, _query = str(item["link"]).partition("?")
            if link == str(listed.get("link")):
                title = listed["title"] if filtered else item["title"]
                return [{"title": section["title"]}, {**listed, "title": title}, *rest]
    return [application, listed, *rest]


def _title_of(row: Any) -> str:  # noqa: ANN401  # a row, or a page's own words
    admin: Any = site.get_model_admin(type(row)) if isinstance(row, Model) else None
    return str(admin.title_of(row) if hasattr(admin, "title_of") else row)


@register.simple_tag(takes_context=True)
def help_address(context: Any) -> str:  # noqa: ANN401  # a template's context
    """The address of the manual's chapter about this page."""
    chapter = chapter_of(context["request"])
    return chapter_address(chapter) if chapter else reverse("manual")


@register.simple_tag
def clock() -> str:
    """The name of the operator's clock, by which the page of a row reads its times."""
    return zone_name()


class FieldError(NamedTuple):
    """One error. target: the id of the field, empty for a hidden one."""

    label: str
    target: str
    text: str


@register.simple_tag(takes_context=True)
def field_errors(context: Context) -> list[FieldError]:
    """Return the errors of all fields: of the page's form, or of a row's form and its inlines."""
    adminform = context.get("adminform")
    found = [*_errors_of(adminform.form if adminform else context.get("form"))]
    for inline in context.get("inline_admin_formsets") or ():
        for form in inline.formset.forms:
            found += _errors_of(form)
    return found


def _errors_of(form: Any) -> Iterator[FieldError]:  # noqa: ANN401  # whatever the page calls its form
    if not isinstance(form, forms.BaseForm) or not form.is_bound:
        return
    for field in form:
        for text in field.errors:
            target = "" if field.is_hidden else str(field.id_for_label or field.auto_id)
            yield FieldError(str(field.label), target, str(text))
