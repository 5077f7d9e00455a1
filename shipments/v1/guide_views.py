"""Guides: one with its timeline, many in one list, and what their sender may change."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.http import HttpResponse
from django.utils import translation
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from base.db.moments import iso_text
from base.errors import InvalidBody, NotFound, ValidationFailed
from base.http.bodies import RequestBody, Text
from companies import passwords
from companies.authentication import caller
from companies.countries import SERVED
from companies.errors import ChangesNotAllowed
from companies.models import Company, ExtraSelect
from shipments.errors import ManifestAlreadyVoided
from shipments.intake.posting import owner_of
from shipments.manifests import waybills
from shipments.manifests.manifest import RowWarning
from shipments.models import Guide, GuideQuerySet, Manifest, ManifestQuerySet
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.corrections import NO_GUIDE, By, Correction, correct
from shipments.tracking.moves import REASON_LENGTH, ReportedEvent
from shipments.tracking.voiding import void_manifest
from shipments.v1 import reading
from shipments.v1.answer_types import CorrectedByCourier, Voided
from shipments.v1.answers import change_list, guide_detail
from shipments.v1.bodies import StrictJsonParser, read_json_body
from shipments.v1.conditional import ConditionalView, answer, tag_of
from shipments.v1.queries import CHANGE_COLUMNS, GuideChangesQuery, page_of_changes
from shipments.v1.views import reader
from shipments.wording.stored import render_warning, to_entry


class Cancellation(RequestBody):
    """Why a guide is cancelled."""

    reason = Text(max_length=REASON_LENGTH, help_text="For operators.")


class Voiding(Cancellation):
    """Why a MAWB is voided, and which manifest is meant."""

    manifest_id = serializers.UUIDField(
        required=False, help_text="So that a late repetition does not void what was sent again since."
    )


class GuideListView(APIView):
    """`GET guides`: many guides in one call."""

    def get(self, request: Request) -> HttpResponse:
        company = reader(request)
        asked = GuideChangesQuery.read(request.query_params)
        rows, cursor = page_of_changes(Guide.objects.of(company), asked, CHANGE_COLUMNS, company=company.pk)
        state = [part for row in rows for part in (row["id"], row["updated_at"])]
        return answer(request, tag_of("changes", company.pk, cursor, *state), lambda: change_list(rows, cursor))


class GuideView(ConditionalView):
    """`GET guides/:tracking_code`, in any case; `PATCH` corrects it."""

    parser_classes = (StrictJsonParser,)

    @staticmethod
    def state(**kwargs: str) -> ExtraSelect:
        return reading.guide_state(kwargs["tracking_code"].upper())

    @staticmethod
    def tag(state: Sequence[Any]) -> str | None:
        guide_id, updated_at, manifest_id = state
        return tag_of("guide", guide_id, updated_at) if manifest_id else None

    def get(self, request: Request, tracking_code: str) -> HttpResponse:
        guide = reading.guide(reader(request), tracking_code.upper())
        if guide is None:
            raise NotFound(NO_GUIDE)
        tag = tag_of("guide", guide.id, guide.updated_at)
        return answer(request, tag, lambda: guide_detail(guide, reading.timeline(guide.id)))

    def patch(self, request: Request, tracking_code: str) -> Response:
        sender = _sender(request)
        if not sender.body:
            raise ValidationFailed("Send at least one field to correct.")
        by = By("sender", sender.actor, passwords.hint(request.META["HTTP_AUTHORIZATION"].split()[1]))
        corrected = correct(sender.guides(tracking_code), sender.body, by)
        if sender.poster.is_courier:
            return _to_courier(corrected.guide.tracking_code, [*corrected.after])
        return _guide_answer(sender.owner, tracking_code, corrected)


class GuideCancelView(APIView):
    """`POST guides/:tracking_code/cancel`: while nothing has happened to it."""

    parser_classes = (StrictJsonParser,)

    def post(self, request: Request, tracking_code: str) -> Response:
        sender = _sender(request)
        reason = Cancellation.read(sender.body)["reason"]
        reported = ReportedEvent(GuideStatus.CANCELLED, Source.PRE_ALERT, internal_note=reason)
        with translation.override("en"):
            results = advance(sender.guides(tracking_code), reported, actor=sender.actor)
        if not results:
            raise NotFound(NO_GUIDE)
        if results[0].refusal:
            raise results[0].refusal
        if sender.poster.is_courier:
            return _to_courier(results[0].tracking_code, ["status"] if results[0].event else [])
        return _guide_answer(sender.owner, tracking_code)


class MawbVoidView(APIView):
    """`POST mawbs/:mawb/void`: while none of its guides is under way."""

    parser_classes = (StrictJsonParser,)

    def post(self, request: Request, mawb: str) -> Response:
        sender = _sender(request)
        wanted = Voiding.read(sender.body)
        sent = Manifest.objects.filter(company=sender.owner, mawb=waybills.read_sought_mawb(mawb) or "")
        if sender.poster.is_courier:
            sent = sent.filter(posted_by=sender.poster)
        manifest = _to_void(sent, wanted.get("manifest_id"))
        if manifest.voided_at is None:
            try:
                with translation.override("en"):
                    void_manifest(manifest, reason=wanted["reason"], actor=sender.actor, source=Source.PRE_ALERT)
            except ManifestAlreadyVoided:  # by another request in the meantime
                pass
            manifest.refresh_from_db(fields=["voided_at", "guides_cancelled"])
        body: Voided = {
            "success": True,
            "mawb": manifest.mawb,
            "manifest_id": str(manifest.pk),
            "voided_at": iso_text(manifest.voided_at) if manifest.voided_at else "",
            "guides_cancelled": manifest.guides_cancelled,
        }
        return Response(body)


class _Sender(NamedTuple):
    """Who changes what it sent: the caller, the owner that it is or posts for, and the request's other keys."""

    poster: Company
    owner: Company
    body: dict[str, Any]

    @property
    def actor(self) -> str:
        return f"{self.poster.kind}:{self.poster.client_code}"

    def guides(self, tracking_code: str) -> GuideQuerySet:
        """Return the guide with a code if it may be changed: by a courier, what it posted itself."""
        guides = Guide.objects.of(self.owner).filter(tracking_code=tracking_code.upper())
        return guides.filter(manifest__posted_by=self.poster) if self.poster.is_courier else guides


def _sender(request: Request) -> _Sender:
    """Return who sends a change. Raises `ChangesNotAllowed`, `InvalidBody`, and as `owner_of` says."""
    poster = caller(request)
    if not Company.objects.filter(pk=poster.pk, may_correct=True).exists():
        raise ChangesNotAllowed
    body = read_json_body(request)
    if not isinstance(body, dict):
        raise InvalidBody
    owner = owner_of(poster, body)
    owner.require_any_country(SERVED)
    return _Sender(poster, owner, {key: value for key, value in body.items() if key != "client_code"})


def _to_void(sent: ManifestQuerySet, manifest_id: UUID | None) -> Manifest:
    """Return the manifest of a MAWB that is meant: the one that stands, else the last that was voided.

    Raises `NotFound`, or `ManifestAlreadyVoided` if another manifest stands than the one with `manifest_id`.
    """
    standing = sent.without_findings().filter(voided_at=None).first()
    if standing and manifest_id not in {None, standing.pk}:
        raise ManifestAlreadyVoided("This manifest has already been voided, and its MAWB was sent again since.")
    if standing:
        return standing
    voided = sent.without_findings() if manifest_id is None else sent.without_findings().filter(pk=manifest_id)
    last = voided.order_by("-voided_at").first()
    if last is None:
        raise NotFound("None of your MAWBs has this number.")
    return last


def _guide_answer(owner: Company, tracking_code: str, corrected: Correction | None = None) -> Response:
    """Return the guide as `GET` answers it, with its ETag; after a correction, with its warnings."""
    guide = reading.guide(owner, tracking_code.upper())
    if guide is None:  # voided by another request in the meantime
        raise NotFound(NO_GUIDE)
    body: dict[str, object] = dict(guide_detail(guide, reading.timeline(guide.id)))
    if corrected:
        found = (RowWarning(0, guide.hawb, each.field, each.code, each.reason) for each in corrected.warnings)
        body["warnings"] = [render_warning(to_entry(each)) for each in found]
    return Response(body, headers={"ETag": tag_of("guide", guide.id, guide.updated_at)})


def _to_courier(tracking_code: str, fields: Sequence[str]) -> Response:
    """Return what a courier may know of a client's guide."""
    body: CorrectedByCourier = {"success": True, "tracking_code": tracking_code, "fields": list(fields)}
    return Response(body)
