"""`/api/operators/v1/inbound-batches`. Each view checks what was sent, finds the batch, acts and responds."""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from base.errors import NotFound
from base.http.bodies import RequestBody
from companies.operators.tokens.api_views import OperatorView, operator, require_country
from companies.scope import scope_of
from shipments.activity import log_moves
from shipments.errors import BatchNotOpen
from shipments.inbound import bodies
from shipments.inbound.answers import bag_answer, batch_answer, batch_summary, scan_record, scan_results
from shipments.inbound.receiving import Received, close, open_bag, open_batch, receive, receive_bag
from shipments.manifests import waybills
from shipments.models import InboundBatch
from shipments.v1.bodies import read_json_object
from shipments.v1.queries import read_page

VIEW, ADD, CHANGE = (f"shipments.{name}_inboundbatch" for name in ("view", "add", "change"))
_LARGEST_KEY = 2**63 - 1


class BatchesView(OperatorView):
    """`GET inbound-batches`, and `POST` to open one."""

    permissions = {"GET": VIEW, "POST": ADD}

    def get(self, request: Request) -> Response:
        asked = bodies.BatchesQuery.read(request.query_params)
        wanted: dict[str, Any] = {**asked.filters}
        batches = InboundBatch.objects.visible_to(operator(request)).prefetch_related("manifests")
        if "mawb" in wanted:
            found = batches.filter(manifests__mawb=waybills.read_sought_mawb(wanted.pop("mawb")) or "").order_by()
            batches = batches.filter(pk__in=found.values("pk"))
        if "created_from" in wanted:
            batches = batches.filter(created_at__gte=wanted.pop("created_from"))
        batches = batches.filter(**wanted)
        page, cursor = read_page(batches, asked, ("-id",), batches=operator(request).pk)
        return Response({"inbound_batches": [batch_summary(batch) for batch in page], "next_cursor": cursor})

    def post(self, request: Request) -> Response:
        sent = bodies.NewBatch.read(read_json_object(request))
        require_country(request, sent["country"])
        user, mawbs = operator(request), sent.pop("mawbs")
        batch = open_batch(sent, mawbs, scope_of(user), actor=user.get_username())
        return Response(batch_answer(batch, scope_of(user)), status=201)


class BatchView(OperatorView):
    """`GET inbound-batches/<id>`."""

    permissions = {"GET": VIEW}

    def get(self, request: Request, batch: str) -> Response:
        return Response(batch_answer(_batch(request, batch), scope_of(operator(request))))


class ScansView(OperatorView):
    """`GET inbound-batches/<id>/scans`, and `POST` to send some."""

    permissions = {"GET": VIEW, "POST": ADD}

    def get(self, request: Request, batch: str) -> Response:
        asked = bodies.ScansQuery.read(request.query_params)
        found = _batch(request, batch)
        scans = found.scans.filter(**asked.filters).select_related("guide__manifest")
        page, cursor = read_page(scans, asked, ("scanned_at", "id"), batch=found.pk)
        return Response(
            {"scans": [scan_record(scan, scope_of(operator(request))) for scan in page], "next_cursor": cursor}
        )

    def post(self, request: Request, batch: str) -> Response:
        sent = bodies.Scans.read(read_json_object(request))
        found = _batch(request, batch)
        if not found.is_open:
            raise BatchNotOpen
        return self.take(request, found, sent["scans"])

    def take(self, request: Request, batch: InboundBatch, scans: Sequence[Mapping[str, Any]]) -> Response:
        """Return the answer to valid scans of an open batch."""
        return Response(scan_results(self.record(request, batch, scans)))

    def record(self, request: Request, batch: InboundBatch, scans: Sequence[Mapping[str, Any]]) -> Sequence[Received]:
        user = operator(request)
        received = receive(batch.pk, scans, scope_of(user), actor=user.get_username())
        _log_moves(request, received)
        return received


class BagsView(OperatorView):
    """`POST inbound-batches/<id>/bags`."""

    permissions = {"POST": ADD}

    def post(self, request: Request, batch: str) -> Response:
        sent = bodies.ReceivedBag.read(read_json_object(request))
        found, scope = _batch(request, batch), scope_of(operator(request))
        if sent["dry_run"]:
            bag = open_bag(found, sent["bag"], scope)
        else:
            bag = receive_bag(found, sent["bag"], scope, actor=operator(request).get_username())
        _log_moves(request, bag.received)
        return Response(bag_answer(sent["bag"], bag, is_dry=sent["dry_run"]))


class CloseView(OperatorView):
    """`POST inbound-batches/<id>/close`."""

    permissions = {"POST": CHANGE}

    def post(self, request: Request, batch: str) -> Response:
        RequestBody.read(read_json_object(request))
        found, user = _batch(request, batch), operator(request)
        return Response(batch_answer(close(found.pk, actor=user.get_username()), scope_of(user)))


def _log_moves(request: Request, received: Sequence[Received]) -> None:
    if moves := [each.move for each in received if each.move]:
        log_moves(request, moves)


def _batch(request: Request, public_id: str) -> InboundBatch:
    """Return the batch with an id. Raises `NotFound`, or `ForbiddenCountry` if it lies outside the operator's scope."""
    key = key_of(public_id)
    batch = InboundBatch.objects.filter(pk=key).first() if key is not None else None
    if batch is None:
        raise NotFound("No inbound batch has this id.")
    require_country(request, batch.country)
    return batch


def key_of(public_id: str) -> int | None:
    prefix, _, number = public_id.partition("_")
    is_id = prefix == "ib" and number.isascii() and number.isdigit() and len(number) < len(str(_LARGEST_KEY))
    return int(number) if is_id else None
