"""What the API refused, so that an operator can tell a client why. No values of the request are kept."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.models import Company
from companies.scope import Viewer, scope_of

KEPT_DAYS = timedelta(days=30)
MOST_A_DAY = 1_000
"""The most refusals of one company within 24 hours that are kept."""

SUBMISSIONS = ("POST upload", "POST process-pre-alert-json")
"""The endpoints that take manifests, as `endpoint` names them."""


class RefusedRequestQuerySet(models.QuerySet["RefusedRequest"]):
    """Named queries."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the refusals visible to an operator: of companies that ship only to the operator's countries.

        What was refused has no country yet.
        """
        if scope_of(user).is_everywhere:
            return self
        return self.filter(company__in=Company.objects.governed_by(user).order_by())


class RefusedRequest(models.Model):
    """One refusal of a request that writes something, by a company whose password was valid."""

    company = models.ForeignKey(
        Company, on_delete=models.CASCADE, related_name="refused_requests", verbose_name=_("company")
    )
    created_at = models.DateTimeField(_("time"), auto_now_add=True)
    endpoint = models.CharField(_("endpoint"), max_length=100)
    status = models.PositiveSmallIntegerField(_("HTTP status"))
    code = models.CharField(_("error code"), max_length=64)
    findings = models.JSONField(_("findings"), default=dict)  # code of a row's finding, or field -> count
    # Texts of a workbook's headings, cut.
    headings = models.JSONField(_("headings not understood"), default=list)
    # Of the answer: `manifest_id`, `format` (name, version), and the headings that it calls `missing` and `repeated`.
    about = models.JSONField(default=dict)
    mawb = models.CharField("MAWB", max_length=12, blank=True)
    request_id = models.CharField(_("request id"), max_length=128, blank=True)
    file_extension = models.CharField(_("file type"), max_length=10, blank=True)
    file_sha256 = models.CharField("SHA-256", max_length=64, blank=True)

    objects: ClassVar[RefusedRequestQuerySet] = RefusedRequestQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("refused request")
        verbose_name_plural = _("refused requests")
        ordering = ["-id"]
        indexes = [
            # How many a company has of the last day, and those of a company in the list.
            models.Index(fields=["company", "-created_at"], name="refused_of_company"),
            # What is old enough to be deleted.
            models.Index(fields=["created_at"], name="refused_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M} UTC"
