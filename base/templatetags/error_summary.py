"""What is wrong with the forms of a page, at its top: each error leads to its field."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django import forms, template
from django.template.context import Context

register = template.Library()


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
