"""Buckets of tokens that limit requests, and how often they were empty."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from base.models import Bucket
from companies.models.company import Company


class RateBucket(Bucket):
    company = models.OneToOneField(Company, on_delete=models.CASCADE, primary_key=True, related_name="rate_bucket")

    class Meta:
        verbose_name = _("rate limit")
        verbose_name_plural = _("rate limits")

    def __str__(self) -> str:
        return str(self.company_id)


class OperatorBucket(Bucket):
    """An operator's or a machine's, in the operators' API."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="rate_bucket"
    )

    class Meta:
        verbose_name = _("rate limit of an operator")
        verbose_name_plural = _("rate limits of operators")
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.user_id)


class AttemptBucket(Bucket):
    """Passwords that may still be refused: to an address, or to a browser that has logged in before."""

    WINDOW_SECONDS = 60
    KEPT_SECONDS = 60 * 60

    key = models.CharField(max_length=64, primary_key=True)

    class Meta:
        verbose_name = _("limit of refused logins")
        verbose_name_plural = _("limits of refused logins")
        default_permissions = ()
