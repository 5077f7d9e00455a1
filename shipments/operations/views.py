"""`/api/operators/v1/guides`. Each view checks what was sent, finds the guides, acts and responds.

An id is a tracking code, or `MAWB/HAWB`: scanners have the first, customs brokers only the second.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from base.admin.activity import log_act
from base.errors import DomainError, InvalidQuery, NotFound, Translatable, ValidationFailed
from companies.errors import ForbiddenCountry
from companies.operators.tokens.api_views import OperatorView, operator, require_country
from companies.scope import Scope, scope_of
from shipments.activity import CORRECTED, OPENED, correction_params, log_moves
from shipments.carriers.pull import refresh
from shipments.errors import AmbiguousGuide, CountryMismatch
from shipments.manifests import waybills
from shipments.models import Guide
from shipments.operations import bodies
from shipments.operations.answers import guide_answer, move_results
from shipments.operations.feed_views import feed_page
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance_each
from shipments.tracking.corrections import By, correct
from shipments.tracking.lookup import Found, guides_by_code, guides_by_house
from shipments.tracking.moves import Move, ReportedEvent
from shipments.v1.bodies import read_json_object

VIEW, CHANGE = "shipments.view_guide", "shipments.change_guide"


class GuideView(OperatorView):
    """`GET guides/<id>`."""

    permissions = {"GET": VIEW}

    def get(self, request: Request, id: str) -> Response:  # noqa: A002  # as the document names it
        return _respond_and_log(request, _find_guide(request, id))


class GuidesView(OperatorView):
    """`GET guides`: those that changed; with `id` alone that guide, as a path cannot have an id with a slash."""

    permissions = {"GET": VIEW}

    def get(self, request: Request) -> Response:
        if "id" not in request.query_params:
            return feed_page(request)
        if others := request.query_params.keys() - {"id"}:
            raise InvalidQuery(details={name: [_("Send `id` alone.")] for name in sorted(others)})
        wanted = request.query_params["id"]
        if not wanted or len(wanted) > bodies.LONGEST_ID or "\0" in wanted:
            raise InvalidQuery(details={"id": [_("Send a tracking code, or MAWB/HAWB.")]})
        return _respond_and_log(request, _find_guide(request, wanted))


class _BulkView(OperatorView):
    """One event for up to 200 guides, in one transaction of `advance_each`."""

    permissions = {"POST": CHANGE}

    def move(self, request: Request, sent: Mapping[str, Any], reported: ReportedEvent) -> Response:
        if country := sent.get("country"):
            require_country(request, country)
        ids, dry_run, scope = sent["ids"], sent["dry_run"], scope_of(operator(request))
        named = _find_named_guides(ids)
        found = [_visible_guide(scope, guides) for guides in named]
        _require_distinct(ids, found)
        if country:
            _require_one_country(ids, named, country, scope)
        moves = [
            guide if isinstance(guide, DomainError) else Move(guide.id, guide.manifest_id, reported) for guide in found
        ]
        advance_each(
            [move for move in moves if isinstance(move, Move)],
            actor=operator(request).get_username(),
            dry_run=dry_run,
            in_batch=lambda batch: log_moves(request, batch),
        )
        return Response(move_results(ids, moves, dry_run=dry_run))


class AdvanceView(_BulkView):
    """`POST guides/bulk-advance-status`."""

    def post(self, request: Request) -> Response:
        sent = bodies.Advance.read(read_json_object(request))
        reported = ReportedEvent(
            GuideStatus(sent["status"]),
            Source(sent["source"]),
            sent.get("occurred_at"),
            sent.get("internal_note", ""),
            sent.get("client_note", ""),
        )
        return self.move(request, sent, reported)


class CustomsView(_BulkView):
    """`POST guides/bulk-customs-status`: what customs did; a release ends a retention."""

    def post(self, request: Request) -> Response:
        sent = bodies.Customs.read(read_json_object(request))
        status = bodies.CUSTOMS_STATUSES[sent["customs_status"]]
        note = ", ".join(sent[name] for name in ("declaration", "channel") if name in sent)
        reported = ReportedEvent(status, Source.CUSTOMS, sent.get("occurred_at"), note, sent.get("client_note", ""))
        return self.move(request, sent, reported)


class ConsigneeView(OperatorView):
    """`PATCH guides/<tracking_code>/consignee`."""

    permissions = {"PATCH": CHANGE}

    def patch(self, request: Request, tracking_code: str) -> Response:
        changes = bodies.Consignee.read(read_json_object(request))
        found = _find_guide(request, tracking_code)
        by = By("operator", operator(request).get_username())
        with transaction.atomic():
            correction = correct(Guide.objects.filter(pk=found.id), changes, by)
            if correction.after:
                log_act(request._request, correction.guide, CORRECTED, **correction_params(correction))  # noqa: SLF001  # DRF's name
                return _respond(found)
        return _respond_and_log(request, found)


def _respond_and_log(request: Request, guide: Found) -> Response:
    """Respond with a guide, and record who looked at its person."""
    response = _respond(guide)
    subject = Guide(pk=guide.id, tracking_code=guide.tracking_code)
    log_act(request._request, subject, OPENED)  # noqa: SLF001  # DRF's name
    return response


def _respond(guide: Found) -> Response:
    try:
        return Response(guide_answer(guide.id))
    except Guide.DoesNotExist:
        raise NotFound("No guide has this id.") from None


class RefreshView(OperatorView):
    """`POST guides/<tracking_code>/refresh`: asks the carrier that has a number for the guide."""

    permissions = {"POST": CHANGE}

    def post(self, request: Request, tracking_code: str) -> Response:
        bodies.Refresh.read(read_json_object(request))
        guide = _find_guide(request, tracking_code)
        return Response({"success": True, **refresh(guide.id)})


# --- which guides are meant -------------------------------------------------------------------------------------


_Name = str | tuple[str, str] | None
"""A tracking code, (MAWB, HAWB), or None for an id that is neither."""


def _name_of(sent: str) -> _Name:
    if "/" not in sent:
        return sent.strip().upper()
    mawb, _, hawb = sent.partition("/")
    number, house = waybills.read_sought_mawb(mawb), waybills.normal_hawb(hawb)
    return (number, house) if number and house else None


def _find_named_guides(ids: Iterable[str]) -> list[Sequence[Found]]:
    """Return the guides that each id names, of all countries; several if companies sent the same MAWB and HAWB.

    Voided ones are unknown.
    """
    names = [_name_of(each) for each in ids]
    standing = Guide.objects.filter(manifest__voided_at=None)
    codes = guides_by_code(standing, {name for name in names if isinstance(name, str)})
    found: dict[_Name, Sequence[Found]] = {code: [guide] for code, guide in codes.items()}
    found.update(guides_by_house(standing, {name for name in names if isinstance(name, tuple)}).items())
    return [found.get(name, ()) for name in names]


def _visible_guide(scope: Scope, found: Sequence[Found]) -> Found | DomainError:
    """Return the guide that an operator means, or `NotFound`, `ForbiddenCountry` or `AmbiguousGuide`.

    found: what the id names, as from `_find_named_guides`.
    """
    seen = [guide for guide in found if scope.covers([guide.country])]
    if len(seen) == 1:
        return seen[0]
    if seen:
        return AmbiguousGuide()
    return ForbiddenCountry(country=found[0].country) if found else NotFound("No guide has this id.")


def _find_guide(request: Request, sent: str) -> Found:
    """Return the guide with an id. Raises what `_visible_guide` returns."""
    found = _visible_guide(scope_of(operator(request)), *_find_named_guides([sent]))
    if isinstance(found, DomainError):
        raise found
    return found


def _require_distinct(ids: Sequence[str], found: Sequence[Found | DomainError]) -> None:
    """Raise `ValidationFailed` if two ids name the same guide."""
    first: dict[object, str] = {}
    twice = []
    for sent, guide in zip(ids, found, strict=True):
        # Of a guide that was not found, the id alone is known.
        key = guide.id if isinstance(guide, Found) else _name_of(sent)
        if key is not None and key in first:
            twice.append(Translatable("%(one)s names the same guide as %(other)s.", one=sent, other=first[key]))
        first.setdefault(key, sent)
    if twice:
        raise ValidationFailed(details={"ids": twice})


def _require_one_country(ids: Sequence[str], named: Sequence[Sequence[Found]], country: str, scope: Scope) -> None:
    """Raise `CountryMismatch` if an id names guides of other countries only: a wrong country means a wrong file.

    named: as from `_find_named_guides`. An operator is not told a country outside the scope.
    """
    mismatched = []
    for sent, guides in zip(ids, named, strict=True):
        countries = {guide.country for guide in guides}
        if countries and country not in countries:
            own = sorted(each for each in countries if scope.covers([each]))
            mismatched.append({"id": sent, **({"country": own[0]} if own else {})})
    if mismatched:
        raise CountryMismatch(mismatched=mismatched)
