"""Imports of event files in the admin: who uploaded what, and the results."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.scope import Viewer, scope_of


class ImportState(models.TextChoices):
    """The state of an import. `STOPPED`: its process ended before the import was finished."""

    WAITING = "waiting", _("Not imported yet")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    STOPPED = "stopped", _("Stopped")


class EventImportQuerySet(models.QuerySet["EventImport"]):
    """Named queries."""

    def of(self, user: Viewer) -> Self:
        """Return the user's own imports. Only they see a file's content, because its rows may be of any country."""
        return self.filter(operator_id=user.pk)

    def visible_to(self, user: Viewer) -> Self:
        """Return the imports listed for an operator: their own, or all for operators with access to every country."""
        return self if scope_of(user).is_everywhere else self.of(user)

    def waiting(self) -> Self:
        """Return the imports that were uploaded but not run."""
        return self.filter(state=ImportState.WAITING)

    def begun_before(self, moment: datetime) -> Self:
        """Return the imports that started before `moment` and have not ended."""
        return self.filter(state=ImportState.RUNNING, started_at__lt=moment)


class EventImport(models.Model):
    """One uploaded file. The row is kept as history; `sweep_files` empties it after a day.

    file: empty once the import was run. lines: the result of each row, as stored by `Report`. tally: outcome -> rows.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("operator")
    )
    actor = models.CharField(_("imported by"), max_length=150)
    state = models.CharField(_("state"), max_length=8, choices=ImportState.choices, default=ImportState.WAITING)
    file = models.FileField(_("file"), max_length=100, blank=True)
    original_name = models.CharField(_("original name"), max_length=200, blank=True)
    total_rows = models.PositiveIntegerField(_("rows"))
    tally = models.JSONField(_("result"), default=dict)
    lines = models.JSONField(_("result by row"), default=list)
    created_at = models.DateTimeField(_("uploaded at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)

    objects: ClassVar[EventImportQuerySet] = EventImportQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("import of events")
        verbose_name_plural = _("imports of events")
        default_permissions = ()  # importing events requires the change permission on guides
        indexes = [
            # The newest for the page, the oldest for `sweep_files` and `anonymise`.
            models.Index(fields=["-created_at"], name="event_import_newest"),
        ]

    def __str__(self) -> str:
        return self.original_name or "–"  # blanked with age
