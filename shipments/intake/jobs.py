"""Uploads with `Prefer: respond-async`: stored when they arrive, read by the worker.

A job is ended only by the attempt that holds it, in the transaction that creates its manifest or records its refusal.
The job of a worker that died is taken over once its hold has expired.
"""

from datetime import timedelta

import structlog
from django.db import transaction
from django.utils import timezone, translation

from base.db.thread import LOST
from base.errors import DomainError
from base.work import HoldLostError, claim, prune as prune_rows, release
from companies.errors import InvalidApiKey
from companies.models import Company
from shipments.errors import CuredByAnswer, ParserBusy, StorageUnavailable, Superseded, TooManyJobs
from shipments.files.stored_files import columns_of, delete_stored, store_upload
from shipments.instruments import UPLOAD_JOBS
from shipments.intake.drafts import post_stored
from shipments.intake.idempotency import Finish, Queued, SentKey, once
from shipments.intake.ingest import Ingested, Posting
from shipments.intake.refusals import record_job_refusal
from shipments.intake.upload import IncomingUpload, require_upload_rights, unknown_fields
from shipments.intake.workbook_reading import check_upload
from shipments.layouts.waiting import keep, keep_refused, say_kept
from shipments.models import Channel, IdempotencyKey, JobState, Manifest, UploadJob
from shipments.models.uploads import KEPT_FOR
from shipments.tracking.announcements import announce_accepted_upload, announce_refused_upload
from shipments.wording.envelope import body_of, unexpected

log = structlog.get_logger(__name__)

MOST_UNFINISHED = 20
"""The most unfinished jobs of a company."""
HELD_FOR = timedelta(seconds=120)
"""How long an attempt holds a job. Longer than any upload takes: an older hold is of a worker that died."""
MOST_ATTEMPTS = 3


def queue(
    company: Company, upload: IncomingUpload, key: SentKey | None, *, language: str, request_id: str
) -> Ingested | Queued:
    """Store an upload for the worker. language: of the messages of a refusal.

    Returns the earlier result, which may be a manifest, if the same request succeeded under `key` before.

    Raises, in this order: `IdempotencyKeyReused`, `IdempotencyInProgress`; `NoParserForFormat` and `CountryNotAllowed`
    (if the form gives the destination), `WorkbookUnreadable` if the file is not a workbook; `TooManyJobs`.
    """

    def create(finish: Finish | None) -> Queued:
        try:
            check_upload(company, upload.path, upload.flight)
        except CuredByAnswer as refusal:
            keep_refused(company, upload.manifest_file, upload.invoice_file, upload.texts, refusal)
            raise
        with store_upload(upload.manifest_file, upload.invoice_file) as files:
            job = UploadJob(
                company=company,
                flight=upload.texts,
                language=language,
                request_id=request_id[:128],
                **columns_of(files),
            )
            with transaction.atomic():
                # The lock makes the limit exact when uploads arrive at once.
                Company.objects.select_for_update(no_key=True).only("pk").get(pk=company.pk)
                unfinished = UploadJob.objects.unfinished().filter(company=company).order_by()
                if unfinished[:MOST_UNFINISHED].count() == MOST_UNFINISHED:
                    raise TooManyJobs
                job.save(force_insert=True)
                if finish:
                    finish(job)
        return Queued(job)

    return once(company, key, create)


# --- the worker -------------------------------------------------------------------------------------------------


def read_next() -> bool:
    """Read the next waiting upload, as `UploadJobQuerySet.in_turn` says. Returns whether there may be more.

    Raises the database's error if it is lost; the job is then taken over later.
    """
    job = _claim()
    if job is None:
        return False
    with translation.override(job.language):
        try:
            if job.attempts > MOST_ATTEMPTS:  # its worker died each time
                _fail(job, None)
            else:
                _read(job)
        except (ParserBusy, StorageUnavailable):
            release(job, state=JobState.QUEUED, attempts=job.attempts - 1)
            return False
        except HoldLostError:
            log.warning("upload_job_taken_over", job=str(job.pk))
        except DomainError as refusal:
            _fail(job, refusal)
        except LOST:
            raise
        except Exception:
            log.exception("upload_job_broken", job=str(job.pk), attempt=job.attempts)
            if job.attempts < MOST_ATTEMPTS:
                release(job, state=JobState.QUEUED)
            else:
                _fail(job, None)
    return True


def _claim() -> UploadJob | None:
    now = timezone.now()
    with transaction.atomic():
        job = claim(UploadJob.objects.claimable(now).in_turn(), HELD_FOR)
        if job:
            Company.objects.filter(pk=job.company_id).update(last_job_began_at=now)
        return job


def _read(job: UploadJob) -> None:
    company = job.company
    if not company.is_active:  # since the upload was accepted
        raise InvalidApiKey
    require_upload_rights(company)
    post_stored(
        job,
        Posting(owner=company, posted_by=company, channel=Channel.UPLOAD),
        lambda manifest: _succeed(job, manifest),
        check=lambda mawb: _require_not_superseded(job, mawb),
        notices=unknown_fields(job.flight),
        wait_seconds=0,
        received_at=job.created_at,
    )


def _require_not_superseded(job: UploadJob, mawb: str) -> None:
    """Raise `Superseded` if the MAWB was voided since the upload was accepted."""
    if Manifest.objects.filter(company=job.company_id, mawb=mawb, voided_at__gte=job.created_at).exists():
        refusal = Superseded()
        refusal.mawb = mawb
        raise refusal


def _succeed(job: UploadJob, manifest: Manifest) -> None:
    """End the job, in the transaction that creates its manifest. Raises `HoldLostError`, `Superseded`."""
    _require_not_superseded(job, manifest.mawb)  # a void may have ended while this transaction waited for it
    if not release(job, state=JobState.SUCCEEDED, finished_at=timezone.now(), manifest=manifest):
        raise HoldLostError
    announce_accepted_upload(job, manifest)
    transaction.on_commit(lambda: UPLOAD_JOBS.labels("succeeded").inc(), robust=True)


def _fail(job: UploadJob, refusal: DomainError | None) -> None:
    """End the job as refused, and free its key: a retry is judged anew. Its files are deleted."""
    cured = refusal if isinstance(refusal, CuredByAnswer) and refusal.layout is not None else None
    if cured:
        say_kept(cured)
    status, body = (refusal.status, body_of(refusal)) if refusal else (500, unexpected(job.request_id))
    code, now = str(body["error"]), timezone.now()
    error = {"http_status": status, **body}
    with transaction.atomic():
        if not release(job, state=JobState.FAILED, finished_at=now, code=code, error=error):
            return
        IdempotencyKey.objects.filter(job=job).delete()
        announce_refused_upload(job, code, now)
        if refusal is not None:
            record_job_refusal(job, body, refusal, status=status)
        if cured:
            stored = {name: getattr(job, name) for name in ("manifest_file", "invoice_file", "received")}
            keep(job.company, stored, job.flight, cured)
    UPLOAD_JOBS.labels(code).inc()
    if not cured:
        delete_stored([str(file.file.name) for file in job.files()])


def prune() -> bool:
    """Delete jobs that ended long ago. Returns whether there may be more."""
    old = UploadJob.objects.filter(finished_at__lt=timezone.now() - KEPT_FOR)
    return prune_rows(old.order_by("finished_at"))
