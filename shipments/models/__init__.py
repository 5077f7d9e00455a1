"""Manifests, guides and events. The database enforces the rules with named constraints."""

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
from shipments.models.event_imports import EventImport, EventImportQuerySet, ImportState
from shipments.models.events import GuideEvent
from shipments.models.flights import Flight, FlightQuerySet
from shipments.models.format_drafts import FormatDraft, FormatDraftQuerySet
from shipments.models.formats import AlarmKind, FormatAlarm, FormatTest, FormatVersion, WorkbookFormat
from shipments.models.guides import LONGEST_NOTE, Guide, GuideQuerySet, GuideTaking, Note
from shipments.models.idempotency_keys import IdempotencyKey
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
    "Carrier",
    "CarrierBucket",
    "CarrierCode",
    "CarrierEvent",
    "CarrierNumber",
    "CarrierReceipt",
    "CarrierSecret",
    "Channel",
    "EventImport",
    "EventImportQuerySet",
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
    "ImportState",
    "JobState",
    "ListedManifest",
    "Manifest",
    "ManifestDraft",
    "ManifestDraftQuerySet",
    "ManifestFile",
    "ManifestQuerySet",
    "Note",
    "ReceiptState",
    "RefusedRequest",
    "Scheme",
    "UploadJob",
    "UploadJobQuerySet",
    "WorkbookFormat",
]
