"""Buckets of tokens that limit requests, and how often they were empty."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.models.company import Company


class Bucket(models.Model):
    """Written by `companies.limits.bucket` alone, in SQL. PostgreSQL does not log the tables: a crash empties them.

    tokens: requests that were left at `filled_at`. refused: refusals since `refused_since`, the beginning of a series
    without a day's pause. Times are seconds since 1970, so that the database can reckon with them as with tokens.

    WINDOW_SECONDS: if not 0, tokens do not trickle back but return all at once, so long after the first was taken.
    KEPT_SECONDS: how long an idle bucket is kept; its refusals are counted together until there was none for so long.
    """

    WINDOW_SECONDS: ClassVar[int] = 0
    KEPT_SECONDS: ClassVar[int] = 24 * 60 * 60

    tokens = models.FloatField()
    filled_at = models.FloatField()
    refused = models.PositiveIntegerField(default=0)
    refused_since = models.FloatField(default=0)
    refused_at = models.FloatField(default=0)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.pk)


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
