"""Attempts of a delivery that were followed by another, with their reasons."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from webhooks.models.delivery import Delivery
from webhooks.verdicts import Failure


class DeliveryAttempt(models.Model):
    """One POST of a delivery that is, or was, sent more than once.

    Holds failures, and the outcome that a replay or resend overwrites. If the first attempt succeeds, its outcome is
    only on the delivery's row. `number` restarts at 1 after a replay.
    """

    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="past_attempts", verbose_name=_("delivery")
    )
    number = models.PositiveSmallIntegerField(_("number"))
    begun_at = models.DateTimeField(_("sent at"))
    duration_ms = models.PositiveIntegerField(_("duration (ms)"), null=True)
    http_status = models.PositiveSmallIntegerField(_("HTTP status"), null=True)
    error = models.CharField(_("error"), max_length=20, choices=Failure.choices, blank=True)
    reason = models.CharField(_("reason"), max_length=255, blank=True)
    remote_address = models.CharField(_("remote address"), max_length=45, blank=True)
    excerpt = models.CharField(_("start of the response"), max_length=1024, blank=True)

    objects: ClassVar[models.Manager[DeliveryAttempt]] = models.Manager()

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.number}: {self.error or self.http_status}"
