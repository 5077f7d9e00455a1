"""Writing mails, as rows, in the caller's transaction. Nothing is written where mail is off."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import get_language

from base.work import prune as prune_rows
from companies.models.mails import KEPT_FOR, TRIED_FOR, Mail, MailKind, MailState, readers

MOST_UNRESOLVED = 1_000
"""Typed addresses that may wait to be looked up: more come only from programs."""


def is_on() -> bool:
    return bool(settings.MAIL)


def write(kind: MailKind, operator: User, *, about: str = "", request: HttpRequest | None = None) -> None:
    """Write a mail to one operator, once for each `about`. request: whose host the links of the mail name."""
    if is_on():
        mail = Mail(kind=kind, operator=operator, about=about, origin=_origin(request))
        Mail.objects.bulk_create([mail], ignore_conflicts=True)


def alert(kind: MailKind, about: str) -> None:
    """Write a mail to every operator who wants alerts; of those only who may see what it is about get one."""
    if is_on():
        wanted = readers().exclude(operator_profile__has_alerts=False)
        mails = [Mail(kind=kind, operator=operator, about=about) for operator in wanted]
        Mail.objects.bulk_create(mails, ignore_conflicts=True)


def ask_for_new_password(request: HttpRequest, address: str) -> None:
    """Let the worker look up whose address it is: the request does the same for each, and takes as long."""
    unresolved = Mail.objects.filter(operator=None, state=MailState.WAITING).order_by()
    if unresolved[:MOST_UNRESOLVED].count() < MOST_UNRESOLVED:
        language = (get_language() or "")[:2]
        Mail.objects.create(kind=MailKind.NEW_PASSWORD, address=address, language=language, origin=_origin(request))


def send_again(mail: Mail) -> None:
    now = timezone.now()
    anew = {"due_at": now, "tried_until": now + TRIED_FOR, "handed_over_at": None, "finished_at": None}
    Mail.objects.filter(pk=mail.pk).exclude(error="").update(state=MailState.WAITING, error="", **anew)


def prune(now: datetime | None = None) -> bool:
    """Delete mails that ended a month ago. Returns whether there may be more."""
    return prune_rows(Mail.objects.filter(finished_at__lt=(now or timezone.now()) - KEPT_FOR))


def _origin(request: HttpRequest | None) -> str:
    return settings.SITE_URL or (f"{request.scheme}://{request.get_host()}" if request is not None else "")
