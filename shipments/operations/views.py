"""`/api/operators/v1/guides`. Each view checks what was sent, finds the guides, acts and responds."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from base.admin.activity import log_act
from base.errors import DomainError
from companies.operators.tokens.api_views import OperatorView, operator, require_country
from companies.scope import scope_of
from shipments.activity import CORRECTED, OPENED, correction_params, log_moves
from shipments.carriers.pull import refresh
from shipments.errors import GuideAlreadyTerminal, InvalidQuery, NotFound
from shipments.models import Guide
from shipments.operations import bodies
from shipments.operations.answers import guide_answer, moved
from shipments.operations.feed_views import feed_page
from shipments.operations.naming import guide_of, named_guides, require_distinct, require_one_country, seen_by
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance_each
from shipments.tracking.batches import Move, Result
from shipments.tracking.lookup import Found
from shipments.tracking.moves import ReportedEvent, refusal
from shipments.tracking.review import correct_consignee
from shipments.v1.bodies import sent_object

VIEW, CHANGE = "shipments.view_guide", "shipments.change_guide"


class GuideView(OperatorView):
    """`GET guides/<id>`."""

    permissions = {"GET": VIEW}

    def get(self, request: Request, id: str) -> Response:  # noqa: A002  # as the document names it
        return _opened(request, guide_of(id, scope_of(operator(request))))


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
        return _opened(request, guide_of(wanted, scope_of(operator(request))))


class _BulkView(OperatorView):
    """One event for up to 200 guides, in one transaction of `advance_each`."""

    permissions = {"POST": CHANGE}

    def move(self, request: Request, sent: Mapping[str, Any], reported: ReportedEvent) -> Response:
        if country := sent.get("country"):
            require_country(request, country)
        ids, dry_run, scope = sent["ids"], sent["dry_run"], scope_of(operator(request))
        named = named_guides(ids)
        found = [seen_by(scope, guides) for guides in named]
        require_distinct(ids, found)
        if country:
            require_one_country(ids, named, country, scope)
        moves = [Move(guide.id, guide.manifest_id, reported) for guide in found if isinstance(guide, Found)]
        results = iter(
            advance_each(
                moves,
                actor=operator(request).get_username(),
                dry_run=dry_run,
                in_batch=lambda batch: log_moves(request, batch),
            )
        )
        outcomes: list[Result | DomainError] = [
            guide if isinstance(guide, DomainError) else next(results) for guide in found
        ]
        return Response(moved(ids, outcomes, dry_run=dry_run))


class AdvanceView(_BulkView):
    """`POST guides/bulk-advance-status`."""

    def post(self, request: Request) -> Response:
        sent = bodies.Advance.read(sent_object(request))
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
        sent = bodies.Customs.read(sent_object(request))
        status = bodies.CUSTOMS_STATUSES[sent["customs_status"]]
        note = ", ".join(sent[name] for name in ("declaration", "channel") if name in sent)
        reported = ReportedEvent(status, Source.CUSTOMS, sent.get("occurred_at"), note, sent.get("client_note", ""))
        return self.move(request, sent, reported)


class ConsigneeView(OperatorView):
    """`PATCH guides/<tracking_code>/consignee`."""

    permissions = {"PATCH": CHANGE}

    def patch(self, request: Request, tracking_code: str) -> Response:
        changes = bodies.Consignee.read(sent_object(request))
        found = guide_of(tracking_code, scope_of(operator(request)))
        guide = Guide.objects.get(pk=found.id)
        status = GuideStatus(guide.status)
        if status.is_terminal:
            raise refusal(GuideAlreadyTerminal, "The guide is %(status)s, which is final.", status=status)
        with transaction.atomic():
            correction = correct_consignee(guide, changes, actor=operator(request).get_username())
            if correction.after:
                log_act(request._request, guide, CORRECTED, **correction_params(correction))  # noqa: SLF001  # DRF's name
                return _answer(found)
        return _opened(request, found)


def _opened(request: Request, guide: Found) -> Response:
    """Respond with a guide, and record who looked at its person."""
    response = _answer(guide)
    subject = Guide(pk=guide.id, tracking_code=guide.tracking_code)
    log_act(request._request, subject, OPENED)  # noqa: SLF001  # DRF's name
    return response


def _answer(guide: Found) -> Response:
    try:
        return Response(guide_answer(guide.id))
    except Guide.DoesNotExist:
        raise NotFound("No guide has this id.") from None


class RefreshView(OperatorView):
    """`POST guides/<tracking_code>/refresh`: asks the carrier that has a number for the guide."""

    permissions = {"POST": CHANGE}

    def post(self, request: Request, tracking_code: str) -> Response:
        bodies.Refresh.read(sent_object(request))
        guide = guide_of(tracking_code, scope_of(operator(request)))
        return Response({"success": True, **refresh(guide.id)})
