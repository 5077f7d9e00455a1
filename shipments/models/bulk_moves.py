"""Moves of many guides in the admin, of a file of events, a list or a manifest: who asked for them, and the results."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from base.work import HeldWork, is_free
from companies.scope import Viewer, scope_of
from shipments.models.manifests import Manifest

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class MoveKind(models.TextChoices):
    """What a bulk move does."""

    FILE = "file", _("Import of events")
    ADVANCE = "advance", _("Advance")
    TAKE_BACK = "take_back", _("Take back")
    UNDO = "undo", _("Undo of a move")


class MoveState(models.TextChoices):
    """The state of a bulk move.

    `ASKING`: its operator has to say which columns of the file are which. `WAITING`: for its operator to confirm it.
    `STOPPED`: it ended before the last guide.
    """

    ASKING = "asking", _("Columns to be named")
    PREVIEWING = "previewing", _("Preview is being made")
    WAITING = "waiting", _("Not confirmed yet")
    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    STOPPED = "stopped", _("Stopped")


UNDONE_WITHIN = timedelta(hours=24)
"""How long whoever made a move may undo it. Administrators may as long as it is known what it moved."""

_FOR_THE_WORKER = Q(state__in=[MoveState.PREVIEWING, MoveState.QUEUED, MoveState.RUNNING])


class BulkMoveQuerySet(models.QuerySet["BulkMove"]):
    """Named queries."""

    def visible_to(self, user: Viewer) -> Self:
        """Return an operator's own moves, or all for operators with access to every country.

        Nobody else sees a move: its guides, and the rows of a file, may be of any country.
        """
        return self if scope_of(user).is_everywhere else self.filter(operator_id=user.pk)

    def waiting(self) -> Self:
        return self.filter(state=MoveState.WAITING)

    def stopped_since(self, moment: datetime) -> Self:
        """Return the moves that ended before their last guide, and when."""
        return self.filter(state=MoveState.STOPPED, finished_at__gte=moment)

    def moving(self) -> Self:
        return self.filter(state__in=[MoveState.QUEUED, MoveState.RUNNING])

    def never_confirmed(self) -> Self:
        """Return the moves that were not confirmed, also those whose preview was never finished."""
        return self.filter(state__in=[MoveState.ASKING, MoveState.WAITING, MoveState.PREVIEWING])

    def begun_before(self, moment: datetime) -> Self:
        return self.moving().filter(started_at__lt=moment)

    def claimable(self) -> Self:
        """Return the moves that a worker may go on with, oldest first: nobody holds them, or the holder died."""
        return self.filter(_FOR_THE_WORKER).filter(is_free(timezone.now())).order_by("created_at")


class BulkMove(HeldWork):
    """One move. The row is kept as history; `sweep_files` empties it after a day.

    manifest: whose guides they are; None for a list or a file. event: what the form said, the language, and the
        operator's countries at that time.
    original_name: of a file of events; empty otherwise.
    guides: the ids of the guides, ordered by manifest; of a file, the number of each row with the id of its guide and
        the event, or with None, the guide as it is written and the problem; of an undo, each guide's id and the
        sequences to take back. Empty at the end.
    moved: [guide id, sequence] of each event that changed a status, in the order in which they were written.
    undoes: the move that this one takes back.
    table: of a file whose headings are not all understood: its rows from the heading on. Empty once it is confirmed.
    total: how many guides or rows. done: how many of them are previewed or moved.
    tally: outcome -> guides or rows. lines: those that need attention, then some others, as stored by `MoveLine`.
    warnings: what the preview warns of, in the operator's language -> guides.
    notices: event type -> how many are sent. recipients: the ids of the companies that are sent them.
    token, held_until, attempts: of the piece in hand.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("operator")
    )
    actor = models.CharField(_("operator"), max_length=150)
    kind = models.CharField(_("kind"), max_length=9, choices=MoveKind.choices, default=MoveKind.FILE)
    manifest = models.ForeignKey(
        Manifest, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False, verbose_name=_("manifest")
    )
    event = models.JSONField(_("event"), default=dict)
    state = models.CharField(_("state"), max_length=10, choices=MoveState.choices, default=MoveState.WAITING)
    original_name = models.CharField(_("original name"), max_length=200, blank=True)
    guides = models.JSONField(_("guides"), default=list)
    table = models.JSONField(_("rows of the file"), default=list)
    moved = models.JSONField(_("guides moved"), default=list)
    undoes = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="undone_by", db_index=False, verbose_name=_("undoes")
    )
    total = models.PositiveIntegerField(_("guides or rows"))
    done = models.PositiveIntegerField(_("done"), default=0)
    tally = models.JSONField(_("result"), default=dict)
    lines = models.JSONField(_("result by row"), default=list)
    warnings = models.JSONField(_("warnings"), default=dict)
    notices = models.JSONField(_("notices"), default=dict)
    recipients = models.JSONField(_("recipients"), default=list)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)

    objects: ClassVar[BulkMoveQuerySet] = BulkMoveQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("bulk move")
        verbose_name_plural = _("bulk moves")
        default_permissions = ()  # moving guides requires the change permission on guides
        indexes = [
            # The newest for the page, the oldest for `sweep_files` and `anonymise`.
            models.Index(fields=["-created_at"], name="bulk_move_newest"),
            # The worker: the oldest that is not finished.
            models.Index(fields=["created_at"], condition=_FOR_THE_WORKER, name="bulk_move_unfinished"),
        ]

    def __str__(self) -> str:
        if self.kind == MoveKind.FILE:
            return self.original_name or "–"  # blanked with age
        return self.manifest.mawb if self.manifest else str(self.total)

    def columns_of_attempt(self, now: datetime) -> dict[str, Any]:
        if self.state == MoveState.QUEUED:
            return {"state": MoveState.RUNNING, "started_at": now}
        # After the first piece of a preview, which its operator waits for, the worker goes on with it.
        return {"started_at": now} if self.started_at is None and self.done else {}

    @property
    def logged_as(self) -> str:
        """How the activity log names it, which is kept for ever: the name of a file may be a person's."""
        return "–" if self.kind == MoveKind.FILE else str(self)

    def may_be_undone_by(self, user: User) -> bool:
        """Return whether `user` may take back what it moved: who made it for a day, and administrators."""
        has_moved = bool(self.moved) and self.state in {MoveState.DONE, MoveState.STOPPED}
        if not has_moved or self.kind not in {MoveKind.FILE, MoveKind.ADVANCE}:
            return False
        is_fresh = self.finished_at is not None and timezone.now() - self.finished_at < UNDONE_WITHIN
        return user.is_superuser or (self.operator_id == user.pk and is_fresh)

    @property
    def guide_ids(self) -> set[int]:
        """The ids of the guides that are still to be moved, and of those before them; empty at the end."""
        match self.kind:
            case MoveKind.FILE:
                return {guide_id for _row, guide_id, *_event in self.guides if guide_id is not None}
            case MoveKind.UNDO:
                return {guide_id for guide_id, *_sequences in self.guides}
        return set(self.guides)

    @property
    def is_under_way(self) -> bool:
        """Whether it goes on by itself."""
        return self.state in {MoveState.PREVIEWING, MoveState.QUEUED, MoveState.RUNNING}


class EventHeadings(models.Model):
    """What operators have said of the headings of event files, for the next file with the same ones.

    fingerprint: SHA-256 of the headings in their order. columns: as `column_headings.header_as_chosen` takes them.
    """

    carrier = models.ForeignKey(
        "shipments.Carrier",
        on_delete=models.CASCADE,
        null=True,
        related_name="event_headings",
        verbose_name=_("carrier"),
    )
    fingerprint = models.CharField(max_length=64, editable=False)
    columns = models.JSONField(_("columns"), default=dict)
    remembered_at = models.DateTimeField(auto_now=True)
    remembered_by = models.CharField(max_length=150)

    class Meta:
        verbose_name = _("headings of event files")
        verbose_name_plural = _("headings of event files")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["fingerprint", "carrier"], name="event_headings_once_a_carrier"),
            models.UniqueConstraint(
                fields=["fingerprint"], condition=models.Q(carrier=None), name="event_headings_once_without_carrier"
            ),
        ]

    def __str__(self) -> str:
        return self.fingerprint
