"""Workbook formats of companies, their versions, the tests kept with them, and the alarms that uploads raise."""

from __future__ import annotations

from typing import ClassVar, Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from companies.country_names import country_choices
from companies.models import Company
from companies.scope import Viewer
from shipments.models.manifests import OfCountryQuerySet

MOST_ACTIVE = 5
"""Active formats of a company for one country."""


class WorkbookFormatQuerySet(OfCountryQuerySet["WorkbookFormat"]):
    def of(self, company: Company) -> Self:
        return self.filter(company=company)

    def active(self) -> Self:
        return self.filter(is_active=True)

    def reading(self, company: Company) -> Self:
        """Return the formats that the company's uploads are compared with, each with its version."""
        return self.of(company).active().filter(in_use__isnull=False).select_related("in_use").order_by("created_at")


class WorkbookFormat(models.Model):
    """A client's own layout for one country. `in_use` reads its uploads; without it the format is not used yet."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    company = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="workbook_formats", verbose_name=_("company")
    )
    country = models.CharField(_("country"), max_length=2, choices=country_choices)
    name = models.CharField(_("name"), max_length=100)
    is_active = models.BooleanField(_("active"), default=True)
    is_only = models.BooleanField(
        _("only this format"),
        default=False,
        help_text=_("Refuse this company's workbooks in any other layout, where they could be read without a format."),
    )
    in_use = models.ForeignKey(
        "shipments.FormatVersion",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("version in use"),
    )
    fingerprint = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    objects: ClassVar[WorkbookFormatQuerySet] = WorkbookFormatQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("workbook format")
        verbose_name_plural = _("workbook formats")
        ordering = ["company", "country", "name"]
        constraints = [
            models.UniqueConstraint(fields=["company", "name"], name="format_name_once_per_company"),
            # Two formats with the same required headings could not be told apart.
            models.UniqueConstraint(
                fields=["company", "country", "fingerprint"],
                condition=models.Q(is_active=True),
                name="format_once_per_layout",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class FormatVersion(models.Model):
    """A version of a format. It never changes, and is never deleted while a manifest names it."""

    format = models.ForeignKey(
        WorkbookFormat, on_delete=models.CASCADE, related_name="versions", verbose_name=_("workbook format")
    )
    number = models.PositiveIntegerField(_("version"))
    spec = models.JSONField(_("content"))
    sha256 = models.CharField("SHA-256", max_length=64)
    note = models.CharField(_("note"), max_length=255, blank=True, default="")
    created_by = models.CharField(_("created by"), max_length=150)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("version of a format")
        verbose_name_plural = _("versions of formats")
        default_permissions = ()  # versions belong to their format
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["format", "number"], name="format_version_number_once")]

    def __str__(self) -> str:
        return f"{self.format.name} v{self.number}"


class FormatTest(models.Model):
    """Made-up guides, written as the client writes its own, and what must be read of them.

    grid: rows of cells. expected: as `made_up.differences` compares it. superseded_by: the version
    that was published although it reads the test differently; the test is not run until a version passes it again.
    """

    format = models.ForeignKey(
        WorkbookFormat, on_delete=models.CASCADE, related_name="tests", verbose_name=_("workbook format")
    )
    name = models.CharField(_("name"), max_length=100)
    grid = models.JSONField()
    expected = models.JSONField()
    superseded_by = models.ForeignKey(
        FormatVersion,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("superseded by"),
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("test of a format")
        verbose_name_plural = _("tests of formats")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["format", "name"], name="format_test_name_once")]

    def __str__(self) -> str:
        # The name that `made_up` gives a test without a sample.
        return gettext("made up") if self.name == "made up" else self.name


class AlarmKind(models.TextChoices):
    """What an upload found. `CHANGED` refused it."""

    CHANGED = "changed", _("Refused: columns changed")
    COMPETES = "competes", _("A new column competes")
    UNLIKE = "unlike", _("Values unlike the sample")


class FormatAlarm(models.Model):
    """What uploads found different from a format: one row for each difference, counted while it is open.

    headings: those of the recognised heading row, never other cells.
    """

    format = models.ForeignKey(
        WorkbookFormat, on_delete=models.CASCADE, related_name="alarms", verbose_name=_("workbook format")
    )
    kind = models.CharField(_("kind"), max_length=8, choices=AlarmKind.choices)
    digest = models.CharField(max_length=64, editable=False)
    headings = models.JSONField(_("headings"))
    count = models.PositiveIntegerField(_("uploads"), default=1)
    first_seen_at = models.DateTimeField(_("first seen at"), auto_now_add=True)
    last_seen_at = models.DateTimeField(_("last seen at"))
    closed_at = models.DateTimeField(_("closed at"), null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("closed by"),
    )

    class Meta:
        verbose_name = _("alarm of a format")
        verbose_name_plural = _("alarms of formats")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["format", "kind", "digest"], condition=models.Q(closed_at=None), name="format_alarm_open_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.format.name}"


class FormatDraftQuerySet(models.QuerySet["FormatDraft"]):
    def of(self, user: Viewer) -> Self:
        """Return the user's own drafts of companies that the user may change. Nobody else sees a sample."""
        return self.filter(operator_id=user.pk, company__in=Company.objects.governed_by(user).order_by().values("pk"))


class FormatDraft(models.Model):
    """A format in progress, the operator's own. `sweep_files` deletes it, with its sample, after a day.

    file: the sample, in the private storage. sheet, header_row: where its headings are; the row is 0 until that is
    settled. content: the format's file as far as it goes. format, began_from: the format that the draft changes, and
    its newest version when the draft began.
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
