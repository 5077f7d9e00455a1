"""What of the API is deprecated, and the headers that tell its clients.

An entry of `DEPRECATIONS` is all that a deprecation needs: the OpenAPI document marks it, a route's answers carry
`Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, and from its sunset on the route is not found. A field is
removed in code; its entry goes with it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import structlog
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.http import http_date

from companies.models import Company
from prealerts import answers

log = structlog.get_logger(__name__)

NOTICE = timedelta(days=60)
"""The least time between the announcement and the sunset; docs/integration.md promises it."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route. method: GET for HEAD too. url_name: as in the URL configuration, such as `mawb-list`."""

    method: str
    url_name: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a request or an answer. component: of the OpenAPI document, such as `Guide`. name: its property."""

    component: str
    name: str


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Something that goes.

    label: what the changelog calls it, such as `GET /mawbs/:mawb/old`. announced: the day of the announcement to
    clients.
    since: the day from which it is deprecated. sunset: the first day without it; all three begin at 00:00 UTC.
    link: a page that says what to use instead.
    """

    label: str
    of: Route | Field
    announced: date
    since: date
    sunset: date
    link: str

    @property
    def since_at(self) -> datetime:
        return datetime.combine(self.since, time(), UTC)

    @property
    def sunset_at(self) -> datetime:
        return datetime.combine(self.sunset, time(), UTC)

    @property
    def is_over(self) -> bool:
        return timezone.now() >= self.sunset_at

    @property
    def headers(self) -> dict[str, str]:
        """Those of each answer of a route."""
        return {
            "Deprecation": f"@{int(self.since_at.timestamp())}",
            "Sunset": http_date(self.sunset_at.timestamp()),
            "Link": f'<{self.link}>; rel="deprecation"; type="text/html"',
        }


DEPRECATIONS: tuple[Deprecation, ...] = ()
"""Nothing today."""


def problems(entries: Iterable[Deprecation], changelog: str) -> Iterator[str]:
    """What is wrong with entries; changelog: the text of CHANGELOG.md, which names each with the day of its sunset."""
    for entry in entries:
        if entry.sunset < entry.announced + NOTICE:
            yield f"{entry.label}: its sunset is less than {NOTICE.days} days after its announcement."
        if not entry.announced <= entry.since <= entry.sunset:
            yield f"{entry.label}: it is announced, then deprecated, then gone."
        if not any(entry.label in line and entry.sunset.isoformat() in line for line in changelog.splitlines()):
            yield f"{entry.label}: no line of the changelog has it with {entry.sunset.isoformat()}."


class DeprecationMiddleware:
    """Add the headers to the answers of deprecated routes, and answer 404 from their sunset on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        entry = _entry_of(request) if DEPRECATIONS else None
        if entry is not None and not entry.is_over:
            for name, value in entry.headers.items():
                response[name] = value
            company = getattr(request, "user", None)
            client_code = company.client_code if isinstance(company, Company) else None
            log.info("deprecated_route", label=entry.label, company=client_code)
        return response

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        entry = _entry_of(request) if DEPRECATIONS else None
        return answers.not_found(request, Http404()) if entry is not None and entry.is_over else None


def _entry_of(request: HttpRequest) -> Deprecation | None:
    match = request.resolver_match
    if match is None:
        return None
    route = Route("GET" if request.method == "HEAD" else str(request.method), match.url_name or "")
    return next((entry for entry in DEPRECATIONS if entry.of == route), None)
