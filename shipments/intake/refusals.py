"""Recording refused requests and deleting old ones."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import structlog
from django.contrib.admindocs.views import simplify_regex
from django.core.files.base import File
from django.db import DatabaseError, transaction
from django.utils import timezone

from base.errors import DomainError
from companies.models import Company
from shipments.errors import CuredByAnswer
from shipments.manifests.cells import LONGEST_HEADING
from shipments.manifests.waybills import normal_mawb
from shipments.manifests.words.lexicon import may_be_personal
from shipments.models import FileKind, RefusedRequest, UploadJob
from shipments.models.uploads import KEPT_DAYS, MOST_A_DAY

log = structlog.get_logger(__name__)

_MOST_CODES = 50
_MOST_HEADINGS = 100
_FIELD = re.compile(r"[A-Za-z][\w.-]{0,63}", re.ASCII)
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,10})$")


def record_refusal(
    company: Company,
    body: Mapping[str, Any],
    refusal: DomainError | None,
    *,
    status: int,
    request: Any,  # noqa: ANN401  # DRF's request
) -> None:
    """Record a refusal in a transaction of its own. A failure is logged: the client gets the refusal all the same.

    body: the error response. refusal: has the workbook's MAWB and the headings that were not understood. Beyond
    `MOST_A_DAY` within 24 hours nothing is recorded. No values and no file names are kept, nor headings that may be a
    person's data.
    """
    extension, sha256 = _file(request)
    match = request.resolver_match
    route = simplify_regex(match.route.rpartition("v1/")[2]).strip("/") if match else ""  # without what it names
    sent = _get_parsed(request, "_full_data").get("mawb")
    mawb = normal_mawb(sent) if isinstance(sent, str) else None
    refused = RefusedRequest(
        company=company,
        endpoint=f"{request.method} {route}"[:100],
        status=status,
        mawb=mawb or (refusal.mawb if refusal else ""),
        request_id=getattr(request, "request_id", "")[:128],
        file_extension=extension,
        file_sha256=sha256,
    )
    _record(refused, body, refusal)


def record_job_refusal(job: UploadJob, body: Mapping[str, Any], refusal: DomainError, *, status: int) -> None:
    """Record the refusal of an upload that was read by the worker, as `record_refusal` does."""
    file = job.received[FileKind.MANIFEST.value]
    refused = RefusedRequest(
        company=job.company,
        endpoint="POST upload",
        status=status,
        mawb=refusal.mawb,
        request_id=job.request_id,
        file_extension=_extension(file["original_name"]),
        file_sha256=file["sha256"],
    )
    _record(refused, body, refusal)


def _record(refused: RefusedRequest, body: Mapping[str, Any], refusal: DomainError | None) -> None:
    company = refused.company
    refused.code, refused.findings = str(body["error"]), _findings(body)
    refused.headings = _safe_headings(refusal.unknown_headings if refusal else ())
    refused.about = {name: kept for name in ("missing", "repeated") if (kept := _safe_headings(body.get(name, ())))}
    if body.get("manifest_id"):
        refused.about["manifest_id"] = body["manifest_id"]
    if isinstance(refusal, CuredByAnswer) and refusal.layout is not None:
        refused.about["layout"] = str(refusal.layout.pk)
    try:
        with transaction.atomic():
            # The lock makes the limit exact when refusals arrive at once.
            Company.objects.select_for_update(no_key=True).only("pk").get(pk=company.pk)
            recent = RefusedRequest.objects.filter(
                company=company, created_at__gte=timezone.now() - timedelta(days=1)
            ).order_by()
            if recent[:MOST_A_DAY].count() < MOST_A_DAY:
                refused.save()
    except (DatabaseError, Company.DoesNotExist):
        log.exception("refusal_not_recorded", code=refused.code)


def forget_refusals(*, dry_run: bool = False) -> int:
    """Delete the refusals older than `KEPT_DAYS`, and return how many. dry_run: only count them."""
    old = RefusedRequest.objects.filter(created_at__lt=timezone.now() - KEPT_DAYS)
    return old.count() if dry_run else old.delete()[0]


def _safe_headings(headings: Sequence[str]) -> list[str]:
    return [text[:LONGEST_HEADING] for text in headings if not may_be_personal(text)][:_MOST_HEADINGS]


def _findings(body: Mapping[str, Any]) -> dict[str, int]:
    """Return how often each code of a row's finding occurs; without such, the names of the refused fields.

    A client may send anything as the name of a field: what is not like one is left out.
    """
    if rows := body.get("invalid_rows"):
        return dict(Counter(str(row["error_code"]) for row in rows).most_common(_MOST_CODES))
    details = body.get("details", {}).items()
    named = [(name, found) for name, found in details if _FIELD.fullmatch(name) and not may_be_personal(name)]
    return {name: len(found) for name, found in named[:_MOST_CODES]}


def _file(request: Any) -> tuple[str, str]:  # noqa: ANN401  # as above
    """Return the extension and the digest of the uploaded manifest, as far as it was received."""
    file = _get_parsed(request, "_files").get("manifest_file")
    if not isinstance(file, File):
        return "", ""
    try:
        file.seek(0)
        digest = hashlib.file_digest(file.file, "sha256").hexdigest()  # type: ignore[arg-type]  # a file of Django's
    except (OSError, ValueError):  # moved to the storage, or closed
        digest = ""
    return _extension(file.name or ""), digest


def _extension(name: str) -> str:
    found = _EXTENSION.search(name)
    return found[1].lower() if found and not may_be_personal(found[1]) else ""


def _get_parsed(request: Any, name: str) -> Mapping[str, Any]:  # noqa: ANN401  # as above
    """Return what DRF has parsed of the request; empty if it parsed nothing, or no mapping. Parsing here could fail."""
    parsed = vars(request).get(name)
    return parsed if isinstance(parsed, Mapping) else {}
