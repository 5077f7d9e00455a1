"""Mails to operators: what each is about, never what it says. The worker writes it when it sends it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from base.work import HeldWork, is_free

TRIED_FOR = timedelta(days=3)
"""How long what the server does not take is tried again."""
KEPT_FOR = timedelta(days=30)


def end_of_attempts() -> datetime:
    return timezone.now() + TRIED_FOR


class MailKind(models.TextChoices):
    INVITATION = "invitation", _("Invitation")
    NEW_PASSWORD = "new_password", _("Forgotten password")  # no password
    DIGEST = "digest", _("Daily summary")
    ENDPOINT_DISABLED = "endpoint_disabled", _("An endpoint was disabled")
    ERASURE_OVERDUE = "erasure_overdue", _("Personal data was not erased")


class MailState(models.TextChoices):
    """UNCONFIRMED: handed over, and the server's answer never came. It is not sent again by itself.

    NEEDLESS: there was nothing to tell its reader. The row stays, so that it is not written again.
    """

    WAITING = "waiting", pgettext_lazy("mail", "waiting")
    SENT = "sent", pgettext_lazy("mail", "sent")
    FAILED = "failed", pgettext_lazy("mail", "not taken")
    UNCONFIRMED = "unconfirmed", pgettext_lazy("mail", "not confirmed")
    NEEDLESS = "needless", pgettext_lazy("mail", "not needed")


IN_TROUBLE = [MailState.WAITING.value, MailState.FAILED.value, MailState.UNCONFIRMED.value]
"""The states of mails that the server has not taken, or did not say so."""


class MailQuerySet(models.QuerySet["Mail"]):
    def claimable(self, now: datetime) -> Self:
        return self.filter(is_free(now), state=MailState.WAITING, due_at__lte=now).order_by("due_at", "pk")

    def in_trouble(self) -> Self:
        """Return those that the server has not taken, or did not say so."""
        return self.exclude(error="")


class Mail(HeldWork):
    """One mail to one reader.

    operator: the reader; None while nobody has looked up whose `address` it is, which somebody typed who forgot a
    password. about: what it is about, once for a reader and kind: a key, a day. language, origin: of the page that
    caused it; empty: the reader's, and the settings'. handed_over_at: when the server was about to get it all.
    """

    kind = models.CharField(_("kind"), max_length=20, choices=MailKind.choices)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("operator")
    )
    address = models.CharField(max_length=254, blank=True, default="", db_default="", editable=False)
    about = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    language = models.CharField(max_length=2, blank=True, default="", db_default="", editable=False)
    origin = models.CharField(max_length=300, blank=True, default="", db_default="", editable=False)
    state = models.CharField(_("state"), max_length=12, choices=MailState.choices, default=MailState.WAITING)
    error = models.CharField(_("what the server said"), max_length=300, blank=True, default="", db_default="")
    created_at = models.DateTimeField(_("made at"), default=timezone.now)
    due_at = models.DateTimeField(_("next attempt at"), default=timezone.now)
    tried_until = models.DateTimeField(_("tried until"), default=end_of_attempts)
    handed_over_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(_("ended at"), null=True)

    objects: ClassVar[MailQuerySet] = MailQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("mail")
        verbose_name_plural = _("mails")
        ordering = ["-pk"]
        default_permissions = ()  # who may see and change operators may see these and send them again
        indexes = [
            models.Index(fields=["due_at"], name="mail_waiting", condition=Q(state="waiting")),
            models.Index(fields=["finished_at"], name="mail_finished"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["operator", "kind", "about"], name="mail_once", condition=~Q(about=""))
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.operator or '?'}"


def readers() -> models.QuerySet[User]:
    """Return the operators that mail reaches."""
    return User.objects.filter(is_active=True, is_staff=True, operator_access=None).exclude(email="")
