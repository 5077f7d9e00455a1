"""Requests repeated under one `Idempotency-Key`: the first creates a manifest, the others are answered from its rows.

Only successes are kept. A refused or failed request created nothing, so its key is freed and a retry is judged anew. So
is one after its manifest was voided, but not within a minute.
Source: draft-ietf-httpapi-idempotency-key-header-07.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Any
from uuid import UUID, uuid4

import structlog
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from base.errors import Translatable
from base.work import HoldLostError, prune as prune_rows
from companies.models import Company
from shipments.errors import IdempotencyInProgress, IdempotencyKeyReused, MawbAlreadyExists
from shipments.intake.ingest import Ingested
from shipments.models import IdempotencyKey, Manifest, UploadJob

log = structlog.get_logger(__name__)

HELD_FOR = timedelta(seconds=45)
"""How long one attempt holds a key. A client whose attempt died waits no longer than this. One that takes longer may be
taken over while it works: tokens and the constraint on MAWBs decide, and both get the same answer."""
KEPT_FOR = timedelta(days=7)

_ATTEMPTS = 5
_VOIDED = Translatable(
    "The manifest of this Idempotency-Key was voided less than a minute ago. To send it again, wait as long as "
    "Retry-After says."
)

Finish = Callable[[Manifest | UploadJob], None]
"""Marks the key as done. Must be called in the transaction that creates the manifest or the job."""


@dataclass(frozen=True, slots=True)
class SentKey:
    """The key of a request. fingerprint: SHA-256 of what the request sends, as 64 hex digits."""

    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Queued:
    """An upload that the worker will read. is_replay: whether an earlier request with the same key created the job."""

    job: UploadJob
    is_replay: bool = False


@dataclass(frozen=True, slots=True)
class _Hold:
    """One attempt's hold on a key."""

    row_id: int
    token: UUID

    def finish(self, created: Manifest | UploadJob) -> None:
        """Mark the key as done. Raises `HoldLostError`."""
        if not self._unfinished().update(**{"job" if isinstance(created, UploadJob) else "manifest": created}):
            raise HoldLostError

    def free(self) -> None:
        """Delete the key, unless it is done or somebody else's by now; whatever was committed stays done."""
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()  # it may have been lost: that would be why there is no result
        try:
            self._unfinished().delete()
        except (DatabaseError, InterfaceError) as error:
            # The refusal is reported all the same. Retries get a 409 until the hold has expired.
            log.warning("idempotency_key_not_freed", exc_info=error)

    def _unfinished(self) -> Any:  # noqa: ANN401  # a QuerySet
        return IdempotencyKey.objects.filter(pk=self.row_id, token=self.token, manifest=None, job=None)


def once(
    company: Company, sent: SentKey | None, create: Callable[[Finish | None], Ingested | Queued]
) -> Ingested | Queued:
    """Return the result of `create`, or of the earlier request of `company` under the same key. Without a key, just the
    former.

    create: called with the function that it must call in the transaction of its result.

    Raises `IdempotencyKeyReused`, `IdempotencyInProgress`, and what `create` raises.
    """
    if sent is None:
        return create(None)
    hold = _claim(company, sent)
    if isinstance(hold, IdempotencyKey):
        return _replay(hold)
    try:
        return create(hold.finish)
    except (HoldLostError, MawbAlreadyExists) as refusal:
        # An attempt that took over may have created the manifest in the meantime.
        done = IdempotencyKey.objects.filter(pk=hold.row_id, fingerprint=sent.fingerprint).first()
        if done and (done.manifest_id or done.job_id):
            return _replay(done)
        hold.free()
        if isinstance(refusal, HoldLostError):
            raise IdempotencyInProgress from None
        raise
    except BaseException:
        hold.free()
        raise


def _claim(company: Company, sent: SentKey) -> _Hold | IdempotencyKey:
    """Hold the key, or return it if something was created under it.

    Each statement commits at once, so that other requests see the hold before any work begins.
    """
    for _attempt in range(_ATTEMPTS):
        now, token = timezone.now(), uuid4()
        held: dict[str, Any] = {
            "fingerprint": sent.fingerprint, "token": token, "held_until": now + HELD_FOR, "expires_at": now + KEPT_FOR,
        }  # fmt: skip
        IdempotencyKey.objects.bulk_create(
            [IdempotencyKey(company=company, key=sent.key, **held)], ignore_conflicts=True
        )
        row = IdempotencyKey.objects.filter(company=company, key=sent.key).first()
        if row is None:  # freed by another attempt in the meantime
            continue
        if row.token == token:
            return _Hold(row.pk, token)
        if row.expires_at > now:
            if not row.fingerprint:
                raise IdempotencyInProgress(_VOIDED, retry_after_seconds=ceil((row.expires_at - now).total_seconds()))
            if row.fingerprint != sent.fingerprint:
                raise IdempotencyKeyReused
            if row.manifest_id or row.job_id:
                return row
            if row.held_until > now:
                raise IdempotencyInProgress
        # Whoever else takes over, or finishes after all, has changed the row: then this changes nothing.
        seen = IdempotencyKey.objects.filter(pk=row.pk, token=row.token, manifest=row.manifest_id, job=row.job_id)
        if seen.update(manifest=None, job=None, **held):
            return _Hold(row.pk, token)
    raise IdempotencyInProgress


def _replay(key: IdempotencyKey) -> Ingested | Queued:
    if key.manifest:
        return rebuild_result(key.manifest)
    if key.job:
        return Queued(key.job, is_replay=True)
    raise IdempotencyInProgress


def rebuild_result(manifest: Manifest) -> Ingested:
    """Return the result of an earlier ingest, built from its rows."""
    codes = list(manifest.guides.order_by("id").values_list("hawb", "tracking_code"))
    return Ingested(manifest, codes, is_replay=True)


def prune() -> bool:
    """Delete expired keys. Returns whether there may be more."""
    return prune_rows(IdempotencyKey.objects.filter(expires_at__lt=timezone.now()).order_by("expires_at"))
