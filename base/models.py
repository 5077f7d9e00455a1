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
    """Written by `base.buckets` alone, in SQL. PostgreSQL does not log the tables: a crash empties them.

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
