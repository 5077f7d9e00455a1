"""Words on a coloured ground. unfold renders its own in lists only, each from a template; these work on any page."""

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString


def badge(text: str | Promise, colour: str) -> SafeString:
    """Render a badge. colour: info, success, warning, danger or muted, as defined in `companies/lists.css`."""
    return format_html('<span class="pa-badge pa-{}">{}</span>', colour, text)
