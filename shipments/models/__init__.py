"""Manifests, guides and events. The database enforces the rules with named constraints."""

from shipments.models.bulk_moves import BulkMove, BulkMoveQuerySet, MoveKind, MoveState
from shipments.models.carriers import (
    Action,
    Adapter,
    Carrier,
    CarrierBucket,
    CarrierCode,
    CarrierEvent,
    CarrierNumber,
    CarrierReceipt,
    CarrierSecret,
    EventOutcome,
    ReceiptState,
    Scheme,
)
from shipments.models.corrections import GuideCorrection
from shipments.models.erasures import Erasure
from shipments.models.events import GuideEvent
from shipments.models.flights import Flight, FlightQuerySet
from shipments.models.format_drafts import FormatDraft, FormatDraftQuerySet
from shipments.models.formats import AlarmKind, FormatAlarm, FormatTest, FormatVersion, WorkbookFormat
from shipments.models.guides import LONGEST_NOTE, Guide, GuideQuerySet, GuideTaking, Note
from shipments.models.idempotency_keys import IdempotencyKey
from shipments.models.inbound import BatchState, InboundBatch, InboundBatchQuerySet, InboundScan, ScanOutcome
from shipments.models.manifest_drafts import ManifestDraft, ManifestDraftQuerySet
from shipments.models.manifests import (
    LIST_WINDOW,
    Channel,
    FileKind,
    ListedManifest,
    Manifest,
    ManifestFile,
    ManifestQuerySet,
)
from shipments.models.refused_requests import RefusedRequest
from shipments.models.upload_jobs import JobState, UploadJob, UploadJobQuerySet

__all__ = [
    "LIST_WINDOW",
    "LONGEST_NOTE",
    "Action",
    "Adapter",
    "AlarmKind",
    "BatchState",
    "BulkMove",
    "BulkMoveQuerySet",
    "Carrier",
    "CarrierBucket",
    "CarrierCode",
    "CarrierEvent",
    "CarrierNumber",
    "CarrierReceipt",
    "CarrierSecret",
    "Channel",
    "Erasure",
    "EventOutcome",
    "FileKind",
    "Flight",
    "FlightQuerySet",
    "FormatAlarm",
    "FormatDraft",
    "FormatDraftQuerySet",
    "FormatTest",
    "FormatVersion",
    "Guide",
    "GuideCorrection",
    "GuideEvent",
    "GuideQuerySet",
    "GuideTaking",
    "IdempotencyKey",
    "InboundBatch",
    "InboundBatchQuerySet",
    "InboundScan",
    "JobState",
    "ListedManifest",
    "Manifest",
    "ManifestDraft",
    "ManifestDraftQuerySet",
    "ManifestFile",
    "ManifestQuerySet",
    "MoveKind",
    "MoveState",
    "Note",
    "ReceiptState",
    "RefusedRequest",
    "ScanOutcome",
    "Scheme",
    "UploadJob",
    "UploadJobQuerySet",
    "WorkbookFormat",
]
