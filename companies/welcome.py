"""What operators send a client that begins: where to send, how, and where to read on. Never the password."""

from collections.abc import Sequence

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from companies.admin_base.texts_to_send import TextToSend, in_each_language
from companies.models import Company

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
