"""The worker's part: looks up whose address was typed, writes each mail, and hands it to the server.

A mail is sent once. What was handed over without an answer, because the worker died or the server hung, may have
arrived: it is shown to administrators, and not sent again by itself. What the server did not take is tried again within
two minutes, for three days.
"""

from datetime import timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from base.buckets import BucketKind, draw
from base.db.thread import LOST
from base.errors import Translatable
from base.work import HoldLostError, claim, release
from companies.mail.letters import compose
from companies.mail.smtp import NotTaken, Unconfirmed, hand_over
from companies.models import Mail, MailState
from companies.models.mails import readers
from companies.passwords import digest_with_pepper

HELD_FOR = timedelta(seconds=80)
"""Longer than a server's answers to all that comes before the message, and after it."""
AGAIN_AFTER = timedelta(seconds=60)
MOST_REFUSALS = 3
"""Attempts of a mail whose reader the server refuses for good."""
OF_ADDRESS = BucketKind("mail address", window_seconds=60 * 60, kept_seconds=60 * 60)
OF_ALL = BucketKind("mail", window_seconds=60 * 60, kept_seconds=60 * 60)
MOST_OF_ADDRESS, MOST_OF_ALL = 3, 20
"""Mails for forgotten passwords in an hour: to an address, and in all."""

log = structlog.get_logger(__name__)


def send_next() -> bool:
    """Deal with one mail that is due. Returns whether there may be more.

    Raises the database's error if it is lost.
    """
    if not settings.MAIL:
        return False
    waiting = Mail.objects.claimable(timezone.now()).select_related("operator__operator_profile")
    mail = claim(waiting, HELD_FOR)
    if mail is None:
        return False
    try:
        if mail.operator is None:
            _resolve(mail)
        else:
            _send(mail)
    except NotTaken as failure:
        _not_taken(mail, failure)
    except Unconfirmed as unknown:
        log.warning("mail_unconfirmed", mail=mail.pk)
        _end(mail, MailState.UNCONFIRMED, str(unknown))
    except HoldLostError:
        log.warning("mail_taken_over", mail=mail.pk)
    except LOST:
        raise
    except Exception:
        log.exception("mail_broken", mail=mail.pk)
        _not_taken(mail, NotTaken(Translatable("It could not be written: see the log."), is_refused=True))
    return True


def _send(mail: Mail) -> None:
    """Raises `NotTaken`, `Unconfirmed`, and `HoldLostError` if another worker has taken it over."""
    if mail.handed_over_at is not None:
        raise Unconfirmed(Translatable("The worker stopped before the server confirmed the mail."))
    message = compose(mail)
    if message is None:
        _end(mail, MailState.NEEDLESS)
        return

    def begin() -> None:
        now = timezone.now()
        mine = Mail.objects.filter(pk=mail.pk, token=mail.token)
        if not mine.update(handed_over_at=now, held_until=now + HELD_FOR):
            raise HoldLostError

    hand_over(message, begin)
    _end(mail, MailState.SENT)
    log.info("mail_sent", mail=mail.pk, kind=mail.kind)


def _end(mail: Mail, state: MailState, error: str = "") -> None:
    release(mail, state=state, error=error[:300], finished_at=timezone.now())


def _not_taken(mail: Mail, failure: NotTaken) -> None:
    """Try it again later; with it all that waits, if the server is away."""
    now = timezone.now()
    log.warning("mail_not_taken", mail=mail.pk, attempt=mail.attempts)
    if now >= mail.tried_until or (failure.is_refused and mail.attempts >= MOST_REFUSALS):
        _end(mail, MailState.FAILED, str(failure))
        return
    release(mail, error=str(failure)[:300], due_at=now + AGAIN_AFTER, handed_over_at=None)
    if failure.is_away:
        Mail.objects.claimable(now).filter(operator__isnull=False).update(due_at=now + AGAIN_AFTER)


def _resolve(mail: Mail) -> None:
    """Replace what somebody typed by a mail to each operator who has that address and a password; by none."""
    found = [each for each in readers().filter(email__iexact=mail.address) if each.has_usable_password()]
    allowed = [each for each in found if _is_allowed(mail.address)]
    if len(allowed) < len(found):
        log.warning("mails_limited", mail=mail.pk)
    said = {"kind": mail.kind, "language": mail.language, "origin": mail.origin}
    with transaction.atomic():
        Mail.objects.bulk_create(Mail(operator=each, **said) for each in allowed)
        mail.delete()


def _is_allowed(address: str) -> bool:
    key = digest_with_pepper("mail address", address.lower()).hex()[:32]
    return draw(OF_ADDRESS, key, 1, MOST_OF_ADDRESS).is_taken and draw(OF_ALL, "all", 1, MOST_OF_ALL).is_taken
