"""Texts that operators send to a client, in each language; `base/texts_to_send.html` shows them to be copied.

One that begins gets: where to send, how, and where to read on. Never the password.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language, get_language_info, gettext, override

from companies.models import Company


class TextToSend(NamedTuple):
    """A text with its language, by code and by its own name."""

    code: str
    language: str
    text: str


def in_each_language(text: Callable[[], str]) -> Sequence[TextToSend]:
    """Return the text in each language, the operator's own first."""
    own = get_language()
    codes = sorted((code for code, _name in settings.LANGUAGES), key=lambda code: code != own)
    found = []
    for code in codes:
        with override(code):
            found.append(TextToSend(code, get_language_info(code)["name_local"].capitalize(), text()))
    return found


_API = "/api/public/pre-alerts/v1/"


def welcome_texts(request: HttpRequest, company: Company) -> Sequence[TextToSend]:
    """Return the text for `company` in each language, with this service's own addresses."""
    return in_each_language(lambda: _welcome(request, company))


def _welcome(request: HttpRequest, company: Company) -> str:
    api = request.build_absolute_uri(_API)
    documentation = request.build_absolute_uri(reverse("api-reference"))
    file = f'curl -H "Authorization: Bearer $API_PASSWORD" -F "manifest_file=@manifest.xlsx" {api}upload'
    body = (
        'curl -H "Authorization: Bearer $API_PASSWORD" -H "Content-Type: application/json" '
        f"-d @pre-alert.json {api}process-pre-alert-json"
    )
    lines = [
        gettext("Pre-alerts of %s are sent to our API:") % company.name,
        api,
        "",
        *([] if company.is_courier else [gettext("An Excel workbook:"), file, ""]),
        gettext("Or JSON:"),
        body,
        "",
    ]
    if not company.is_courier:
        templates = (reverse(f"template-{country}") for country in company.allowed_countries)
        lines += [gettext("Workbook templates:"), *map(request.build_absolute_uri, templates), ""]
    lines += [
        gettext("Documentation: %s") % documentation,
        gettext("Your API password comes separately. Keep it secret, and tell us at once if it becomes known."),
    ]
    return "\n".join(lines)
