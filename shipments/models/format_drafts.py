"""Drafts of workbook formats in the admin: what an operator has taught the service so far, beside the sample."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.country_names import country_choices
from companies.models import Company
from companies.scope import Viewer
from shipments.models.formats import WorkbookFormat


class FormatDraftQuerySet(models.QuerySet["FormatDraft"]):
    """Named queries."""

    def of(self, user: Viewer) -> Self:
        """Return the user's own drafts of companies that the user may change. Nobody else sees a sample."""
        return self.filter(operator_id=user.pk, company__in=Company.objects.governed_by(user).order_by().values("pk"))

    def idle_since(self, moment: datetime) -> Self:
        """Return the drafts that nobody changed since `moment`."""
        return self.filter(changed_at__lt=moment)


class FormatDraft(models.Model):
    """A format in progress, the operator's own. `sweep_files` deletes it, with its sample, after a day.

    file: the sample, in the private storage. sheet, header_row: where its headings are; the row is 0 until an operator
    confirmed it. content: the format's file as far as it goes. checked: what an operator compared with the waybill.
    format, began_from: the format that the draft changes, and its newest version when the draft began.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("operator")
    )
    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="+", verbose_name=_("company"))
    country = models.CharField(_("country"), max_length=2, choices=country_choices)
    format = models.ForeignKey(
        WorkbookFormat, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("workbook format")
    )
    began_from = models.PositiveIntegerField(null=True)
    file = models.FileField(_("file"), max_length=100)
    original_name = models.CharField(_("original name"), max_length=200, blank=True)
    sheet = models.CharField(_("sheet"), max_length=100, blank=True)
    header_row = models.PositiveIntegerField(_("row of the headings"), default=0)
    content = models.JSONField(_("content"), default=dict)
    checked = models.JSONField(default=dict)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    changed_at = models.DateTimeField(_("changed at"), auto_now=True)

    objects: ClassVar[FormatDraftQuerySet] = FormatDraftQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("draft of a workbook format")
        verbose_name_plural = _("drafts of workbook formats")
        default_permissions = ()  # drafts require the permission to add workbook formats
        ordering = ["-changed_at"]

    def __str__(self) -> str:
        return str(self.content.get("name", ""))
