from typing import Any

from django.template import Library
from django.urls import reverse

from prealerts.documentation.chapters import chapter_address, chapter_of

register = Library()


@register.simple_tag(takes_context=True)
def help_address(context: Any) -> str:  # noqa: ANN401  # a template's context
    """The address of the manual's chapter about this page."""
    chapter = chapter_of(context["request"])
    return chapter_address(chapter) if chapter else reverse("manual")
