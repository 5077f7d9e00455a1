"""The `Idempotency-Key` of requests that create manifests."""

from __future__ import annotations

from django.db import models

from companies.models import Company
from shipments.models.manifests import Manifest
from shipments.models.upload_jobs import UploadJob


class IdempotencyKey(models.Model):
    """A key that a company sent, and its result. Not in the admin, because the client's responses say it all.

    company: the credential's company; a courier's keys are its own, not its clients'.
    fingerprint: SHA-256 of what the request sent, in hex. A key is valid for one request only.
    token: the attempt that holds the key. Only that attempt may finish or free it.
    held_until: when another attempt may take over, because the holder must have died.
    manifest, job: what the request created, one of the two; both null while an attempt is running.
    expires_at: from then on the key counts as unused. The worker deletes the row.
    """

    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    token = models.UUIDField()
    held_until = models.DateTimeField()
    manifest = models.ForeignKey(Manifest, on_delete=models.CASCADE, related_name="+", null=True, db_index=False)
    job = models.ForeignKey(UploadJob, on_delete=models.CASCADE, related_name="+", null=True, db_index=False)
    expires_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            # Decides which of several identical requests runs, and serves the lookup.
            models.UniqueConstraint(fields=["company", "key"], name="idempotency_key_once_per_company"),
        ]
        indexes = [
            # Pruning: expired keys.
            models.Index(fields=["expires_at"], name="idempotency_key_by_expiry"),
            # The key of a job, which is freed when the job fails.
            models.Index(fields=["job"], condition=models.Q(job__isnull=False), name="idempotency_key_of_job"),
        ]

    def __str__(self) -> str:
        return self.key
