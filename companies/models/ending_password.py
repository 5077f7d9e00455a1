"""The password that a company had before: after a rotation it may work for some hours more."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from companies import passwords

WORKS_ON_FOR = (timedelta(), timedelta(hours=24), timedelta(days=7))
"""How long the old password may work after a rotation."""


class EndingPasswordQuerySet(models.QuerySet["EndingPassword"]):
    def working(self) -> Self:
        return self.filter(ends_at__gt=timezone.now())

    def ended(self) -> Self:
        return self.filter(ends_at__lte=timezone.now())


class EndingPassword(models.Model):
    """The previous password of a company, until it ends. A company has at most one."""

    company = models.OneToOneField(
        "companies.Company", on_delete=models.CASCADE, primary_key=True, related_name="ending_password"
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(_("API password"), max_length=passwords.HINT_LENGTH, editable=False)
    ends_at = models.DateTimeField(_("works until"))
    last_used_at = models.DateTimeField(_("last used at"), null=True)

    objects: ClassVar[EndingPasswordQuerySet] = EndingPasswordQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("ending password")
        verbose_name_plural = _("ending passwords")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.hint}…"


def sweep_ended(*, dry_run: bool = False) -> int:
    """Delete the passwords that have ended, and return how many. dry_run: only count them."""
    ended = EndingPassword.objects.ended()
    return ended.count() if dry_run else ended.delete()[0]


def expiry_of(digest: str) -> tuple[int, datetime] | None:
    """Return the company and the end of a previous password that still works; None if there is none."""
    return EndingPassword.objects.working().filter(digest=digest).values_list("company", "ends_at").first()
