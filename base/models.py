"""Views of the admin's lists that an operator keeps under a name: a query string, and no more rights than it has.
And the buckets of tokens that limit requests, without those who draw on them.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

MOST_VIEWS = 20
"""The most views of one operator for one list: what fits above it."""
LONGEST_QUERY = 2_000
SEARCH = "q"


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    def of(self, user: AbstractBaseUser | AnonymousUser, list_name: str) -> Self:
        return self.filter(operator_id=user.pk, list_name=list_name)

    def with_search(self) -> Self:
        """Return the views that search for something, which may be a person's name or document."""
        return self.filter(Q(query__startswith=f"{SEARCH}=") | Q(query__contains=f"&{SEARCH}="))


class SavedView(models.Model):
    """The filters, search and order of a list.

    list_name: the list's model, such as `shipments.guide`. query: the query string, sorted by parameter, without the
    page.
    """

    operator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    list_name = models.CharField(max_length=60)
    name = models.CharField(_("name"), max_length=60)
    query = models.CharField(max_length=LONGEST_QUERY)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[SavedViewQuerySet] = SavedViewQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        ordering = ["name"]
        default_permissions = ()  # who may open a list may save views of it
        constraints = [models.UniqueConstraint(fields=["operator", "list_name", "name"], name="saved_view_name_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def search(self) -> str:
        return QueryDict(self.query).get(SEARCH, "")


def forget_searches(before: datetime, *, dry_run: bool = False) -> int:
    """Delete the views with a search that were saved before `before`, and return how many."""
    old = SavedView.objects.with_search().filter(created_at__lt=before)
    return old.count() if dry_run else old.delete()[0]


class Bucket(models.Model):
    """Written by `base.buckets` alone, in SQL. PostgreSQL does not log the table: a crash empties it.

    kind, key: of whom it limits. tokens: requests that were left at `filled_at`. refused: refusals since
    `refused_since`, the beginning of a series without a pause. kept_until: when it counts as idle. Times are seconds
    since 1970, so that the database can reckon with them as with tokens.
    """

    pk = models.CompositePrimaryKey("kind", "key")
    kind = models.CharField(max_length=16)
    key = models.CharField(max_length=64)
    tokens = models.FloatField()
    filled_at = models.FloatField()
    refused = models.PositiveIntegerField(default=0)
    refused_since = models.FloatField(default=0)
    refused_at = models.FloatField(default=0)
    kept_until = models.FloatField(default=0)

    class Meta:
        verbose_name = _("rate limit")
        verbose_name_plural = _("rate limits")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
