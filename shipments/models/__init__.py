"""Manifests, guides and events. The database enforces the rules with named constraints."""

from shipments.models.bulk_moves import BulkMove, EventHeadings, MoveKind, MoveState
from shipments.models.carriers import (
    Action,
    Adapter,
    Carrier,
    CarrierClaim,
    CarrierCode,
    CarrierEvent,
    CarrierNumber,
    CarrierReceipt,
    CarrierSecret,
    EventOutcome,
    ReceiptState,
    Scheme,
)
from shipments.models.chores import Chore
from shipments.models.erasures import Erasure
from shipments.models.guides import (
    LONGEST_NOTE,
    Guide,
    GuideCorrection,
    GuideEvent,
    GuideQuerySet,
    GuideTaking,
    ListedGuides,
    Note,
)
from shipments.models.inbound import BatchState, InboundBatch, InboundScan, ScanOutcome
from shipments.models.layouts import AnswerKind, Layout, LayoutAnswer, LayoutQuerySet, OutgoingLayout
from shipments.models.manifests import (
    LIST_WINDOW,
    Channel,
    FileKind,
    Flight,
    ListedManifest,
    Manifest,
    ManifestFile,
    ManifestQuerySet,
)
from shipments.models.uploads import (
    IdempotencyKey,
    JobState,
    ManifestDraft,
    RefusedRequest,
    UploadJob,
    UploadJobQuerySet,
)
