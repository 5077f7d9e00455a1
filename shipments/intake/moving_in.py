"""Moving in: the parcels that a client has under way in another system become guides with the codes that they have.

All or nothing: guides, their past events and the counts are one transaction, which a dry run rolls back. Nobody is told
of what happened before, unless it is asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from companies.models import Company
from shipments.intake.ingest import (
    Posting,
    Registrations,
    note_hawbs_elsewhere,
    require_sandbox_size,
    write_manifest,
)
from shipments.intake.moving_files import MovingFile, refusal
from shipments.models import Channel, Guide, Manifest
from shipments.models.manifests import violates
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance_each
from shipments.tracking.announcements import announce_ingest
from shipments.tracking.lookup import guides_by_code
from shipments.tracking.moves import CLOCK_TOLERANCE, Move, ReportedEvent, in_future

_NAMED = 10
_UNKNOWN = ReportedEvent(GuideStatus.REGISTERED, Source.PRE_ALERT)


class MovedIn(NamedTuple):
    """What was written, or would be. events: with those that registered the guides.

    manifest: a dry run's is not stored. is_unchanged: the company has the MAWB with the same codes already.
    """

    manifest: Manifest
    guides: int
    events: int = 0
    is_unchanged: bool = False


def move_in(
    company: Company,
    file: MovingFile,
    *,
    actor: str,
    operator: User | None = None,
    dry_run: bool = False,
    is_announced: bool = False,
    finish: Callable[[MovedIn], object] = lambda _moved: None,
) -> MovedIn:
    """Write the manifest of a file, its guides with their codes, and the events of their past.

    actor: of the events, as in `advance_each`. operator: who entered it. finish: called in the same transaction, its
    last call; not in a dry run, nor if nothing changed.

    Raises `ValidationFailed`, which names codes or HAWBs and never whose they are: for a MAWB that stands with other
    codes or guides, a code that another guide has, and an event that cannot follow the one before it.
    """
    parsed = file.parsed
    require_sandbox_size(len(parsed.guides), is_json=parsed.rows is None)
    if standing := _find_standing(company, file):
        return standing
    _require_free(file)
    file = file._replace(read=replace(file.read, parsed=note_hawbs_elsewhere(company, parsed)))
    posting = Posting(
        owner=company, posted_by=company, channel=Channel.ADMIN, entered_by=operator, layout=file.read.layout
    )
    try:
        with transaction.atomic():
            moved = _write(file, posting, actor, is_announced=is_announced)
            if dry_run:
                transaction.set_rollback(True)
            else:
                finish(moved)
    except IntegrityError as exc:  # another one was quicker
        if violates(exc, "manifest_once_per_company") and (standing := _find_standing(company, file)):
            return standing
        if violates(exc, "guide_tracking_code_once"):
            _require_free(file)
        raise
    return moved


def _find_standing(company: Company, file: MovingFile) -> MovedIn | None:
    """Return that the company has the manifest already. Raises `ValidationFailed` if it has another with its MAWB."""
    parsed = file.parsed
    manifest = Manifest.objects.of(company).without_findings().filter(mawb=parsed.mawb).first()
    if manifest is None:
        return None
    stored: Mapping[str, str] = dict(manifest.guides.order_by("pk").values_list("hawb", "tracking_code"))
    sent = {guide.hawb: past.code for guide, past in zip(parsed.guides, file.pasts, strict=True)}
    if stored == sent:
        return MovedIn(manifest, len(sent), is_unchanged=True)
    others = [code for hawb, code in sent.items() if stored.get(hawb) != code] or [*stored.keys() - sent.keys()]
    text = gettext("The MAWB %(mawb)s already exists with other guides or codes. Different: %(named)s.")
    raise refusal([text % {"mawb": parsed.mawb, "named": _join(others)}])


def _require_free(file: MovingFile) -> None:
    taken = guides_by_code(Guide.objects.all(), {past.code for past in file.pasts})
    if taken:
        text = gettext("Other guides have these tracking codes: %s.")
        raise refusal([text % _join([past.code for past in file.pasts if past.code in taken])])


def _join(codes: Sequence[str]) -> str:
    more = len(codes) - _NAMED
    return ", ".join(codes[:_NAMED]) + (f" (+{more})" if more > 0 else "")


def _write(file: MovingFile, posting: Posting, actor: str, *, is_announced: bool) -> MovedIn:
    """Write everything in the caller's transaction. Raises as `move_in`."""
    first = {past.code: past.events[0] if past.events else _UNKNOWN for past in file.pasts}
    ahead = timezone.now() + CLOCK_TOLERANCE
    if early := [code for code, event in first.items() if event.occurred_at and event.occurred_at > ahead]:
        raise refusal([f"{code}: {in_future().message}" for code in early])
    registrations = Registrations(first, actor)
    manifest = write_manifest(file.parsed, posting, [*first], registrations=registrations)
    if is_announced:
        announce_ingest(manifest)
    ids = dict(manifest.guides.order_by().values_list("tracking_code", "pk"))
    moves = [Move(ids[past.code], manifest.pk, event) for past in file.pasts for event in past.events[1:]]
    results = advance_each(moves, actor=actor, is_announced=is_announced)
    if refused := [f"{each.tracking_code}: {each.refusal.in_words}" for each in results if each.refusal]:
        raise refusal(refused)
    manifest.refresh_from_db(fields=["guides_by_status", "status", "version", "changed_at"])
    return MovedIn(manifest, len(first), len(first) + sum(each.event is not None for each in results))
