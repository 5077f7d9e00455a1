"""Manifests that operators upload for a client, from the preview to the confirmation."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.models import Company
from companies.scope import Viewer
from shipments.models.manifests import Manifest


class StoredUpload(models.Model):
    """An upload's files and form, stored before the manifest is created.

    manifest_file, invoice_file: names in the private storage. They are the manifest's own once it is created.
    received: file kind -> original_name, size_bytes and sha256. flight: the upload's flight fields, as text.
    """

    manifest_file = models.FileField(_("manifest"), max_length=100)
    invoice_file = models.FileField(_("invoice"), max_length=100, blank=True)
    received = models.JSONField(_("received files"), default=dict)
    flight = models.JSONField(_("flight"), default=dict)

    class Meta:
        abstract = True


class ManifestDraftQuerySet(models.QuerySet["ManifestDraft"]):
    """Named queries."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the user's own drafts, for companies that are still the user's: a draft is personal data."""
        return self.filter(operator_id=user.pk, company__in=Company.objects.governed_by(user).order_by())

    def older_than(self, moment: datetime) -> Self:
        """Return those uploaded before `moment`."""
        return self.filter(created_at__lt=moment)


class ManifestDraft(StoredUpload):
    """One upload. It waits for the operator's confirmation, and `sweep_files` deletes it after a day.

    manifest: what the confirmation created; a repeated click leads there.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("operator")
    )
    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="+", verbose_name=_("company"))
    is_json = models.BooleanField("JSON", default=False)
    manifest = models.ForeignKey(
        Manifest, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("manifest")
    )
    created_at = models.DateTimeField(_("uploaded at"), auto_now_add=True)

    objects: ClassVar[ManifestDraftQuerySet] = ManifestDraftQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("draft of a manifest")
        verbose_name_plural = _("drafts of manifests")
        default_permissions = ()  # entering a manifest requires the change permission on manifests

    def __str__(self) -> str:
        return f"{self.company_id} {self.created_at:%Y-%m-%d %H:%M}Z"
