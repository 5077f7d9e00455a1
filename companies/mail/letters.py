"""What a mail says, written when it is sent: from one text both parts of the message, in the reader's language."""

from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import formataddr, parseaddr
from typing import Protocol

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.module_loading import import_string
from django.utils.translation import gettext, ngettext

from companies.clocks import clock_of
from companies.mail.links import (
    INVITATION_HOURS,
    NEW_PASSWORD_HOURS,
    invitation_link,
    invited_at,
    new_password_link,
)
from companies.models import Mail, MailKind


class Entry(Protocol):
    """A line of the start page: what waits, and where."""

    @property
    def who(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def link(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Letter:
    """lines: paragraphs before the button, and after it. link: a path."""

    subject: str
    lines: list[str]
    link: str
    button: str
    after: list[str]
    entries: Iterable[Entry] = ()


def compose(mail: Mail) -> EmailMultiAlternatives | None:
    """Return the message, or None if its reader is no longer to get it."""
    reader: User | None = mail.operator
    if reader is None or not reader.is_active or not reader.email:
        return None
    profile = getattr(reader, "operator_profile", None)
    language = mail.language or getattr(profile, "language", "") or settings.LANGUAGE_CODE
    with translation.override(language), timezone.override(clock_of(reader)):
        letter = _letter(mail, reader)
        return _message(mail, reader, letter, language) if letter else None


def _letter(mail: Mail, reader: User) -> Letter | None:
    if mail.kind == MailKind.INVITATION:
        return _invitation(reader) if invited_at(reader) else None
    if mail.kind == MailKind.NEW_PASSWORD:
        return _new_password(reader)
    entries = list(import_string(settings.MAIL_SUBJECTS)(mail))
    if not entries:
        return None
    start = reverse("admin:index")
    wishes = gettext("Which mails you get is your choice: My notifications, in the menu of your account.")
    if mail.kind == MailKind.DIGEST:
        count = len(entries)
        subject = ngettext("%d thing waits", "%d things wait", count) % count
        return Letter(subject, [gettext("This waits:")], start, gettext("Open the start page"), [wishes], entries)
    subject = f"{MailKind(mail.kind).label}: {entries[0].who}"
    said = [gettext("This should not wait:")]
    return Letter(subject, said, entries[0].link, gettext("Open the page"), [wishes], entries)


def _invitation(reader: User) -> Letter:
    site, name = settings.SITE_NAME, reader.get_username()
    return Letter(
        gettext("Your invitation"),
        [
            gettext("You have an account at %(site)s. Your user name is %(name)s.") % {"site": site, "name": name},
            gettext("Accept the invitation to log in.")  # with or without a password, as the page offers
            if settings.OIDC_ISSUER
            else gettext("Accept the invitation to choose your password."),
        ],
        invitation_link(reader),
        gettext("Accept the invitation"),
        [
            ngettext("The link works once, within %d hour.", "The link works once, within %d hours.", INVITATION_HOURS)
            % INVITATION_HOURS,
            gettext("If you do not know what this is about, ignore this mail."),
        ],
    )


def _new_password(reader: User) -> Letter:
    hours = NEW_PASSWORD_HOURS
    return Letter(
        gettext("A new password"),
        [
            gettext("Somebody asked for a new password of your account %(name)s.") % {"name": reader.get_username()},
            gettext("With the new password all your sessions end. The second factor stays as it is."),
        ],
        new_password_link(reader),
        gettext("Choose a new password"),
        [
            ngettext("The link works once, within %d hour.", "The link works once, within %d hours.", hours) % hours,
            gettext("If it was not you, ignore this mail: your password stays as it is."),
        ],
    )


def _message(mail: Mail, reader: User, letter: Letter, language: str) -> EmailMultiAlternatives:
    origin = settings.SITE_URL or mail.origin or settings.DEFAULT_SITE_URL
    name, address = parseaddr(settings.EMAIL_FROM)
    context = {
        "letter": letter,
        "language": language,
        "origin": origin,
        "site": settings.SITE_NAME,
        "hello": gettext("Hello %(name)s,") % {"name": reader.first_name or reader.get_username()},
    }
    message = EmailMultiAlternatives(
        subject=" ".join(f"{settings.SITE_NAME}: {letter.subject}".split()),  # a header is one line
        body=render_to_string("companies/mail/letter.txt", context),
        from_email=formataddr((name or settings.SITE_NAME, address)),
        to=[reader.email],
        headers={
            # The same for each attempt: a server that did get the first one may notice.
            "Message-ID": f"<mail.{mail.pk}.{mail.created_at:%Y%m%d%H%M%S%f}@{address.rpartition('@')[2]}>",
            "Auto-Submitted": "auto-generated",
        },
    )
    message.attach_alternative(render_to_string("companies/mail/letter.html", context), "text/html")
    return message
