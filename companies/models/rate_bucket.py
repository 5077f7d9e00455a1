"""The bucket of tokens that limits a company's requests, and how often it was empty."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from companies.models.company import Company


class RateBucket(models.Model):
    """Written by `companies.limits.bucket` alone, in SQL. On PostgreSQL the table is not logged: a crash empties it.

    tokens: requests that were left at `filled_at`. refused: refusals since `refused_since`, the beginning of a series
    without a day's pause. Times are seconds since 1970, so that the database can reckon with them as with tokens.
    """

    company = models.OneToOneField(Company, on_delete=models.CASCADE, primary_key=True, related_name="rate_bucket")
    tokens = models.FloatField()
    filled_at = models.FloatField()
    refused = models.PositiveIntegerField(default=0)
    refused_since = models.FloatField(default=0)
    refused_at = models.FloatField(default=0)

    class Meta:
        verbose_name = _("rate limit")
        verbose_name_plural = _("rate limits")

    def __str__(self) -> str:
        return str(self.company_id)
