"""Handing one message to the SMTP server, so that it is known afterwards whether the server took it."""

import smtplib
from collections.abc import Callable
from contextlib import suppress
from email.utils import parseaddr
from typing import Any, cast

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.mail.backends.smtp import EmailBackend
from django.utils.encoding import punycode

from base.errors import Translatable

SECONDS = 10
"""For each answer of the server."""
LAST_SECONDS = 30
"""For the last answer, which says that it took the message. A server may look at the whole message before it."""
OK = range(200, 300)


class NotTaken(Exception):  # an outcome
    """The server did not take the message.

    is_refused: it refused this reader, or this message, for good (5xx). is_away: it would take no other message either.
    """

    def __init__(self, said: object, *, is_refused: bool = False, is_away: bool = False) -> None:
        super().__init__(str(said))
        self.is_refused, self.is_away = is_refused, is_away


class Unconfirmed(Exception):  # as above
    """The server got the message, and its answer did not come in time: it may have taken it, or not."""


def hand_over(message: EmailMultiAlternatives, begin: Callable[[], None]) -> None:
    """Send `message` to its one reader.

    begin: called when nothing but the message is left to be sent; what it raises ends the attempt, and the server has
    taken nothing. Raises `NotTaken` and `Unconfirmed`.
    """
    mime: Any = message.message()  # Django's own, which the stubs do not know
    content: bytes = mime.as_bytes(linesep="\r\n")
    server = EmailBackend(**settings.MAIL, timeout=SECONDS)
    try:
        smtp = _open(server)
        _require(smtp.rcpt(_as_ascii(message.to[0])))
        begin()
        smtp.sock.settimeout(LAST_SECONDS)  # type: ignore[union-attr]  # there is one while it is open
        _require(_answer_to(smtp, content))
    except OSError as error:  # smtplib's errors, too
        raise NotTaken(_in_words(error)) from error
    finally:
        _close(server)


def _open(server: EmailBackend) -> smtplib.SMTP:
    """Return the connection, logged in. What goes wrong until then concerns every message."""
    _name, sender = parseaddr(settings.EMAIL_FROM)
    code: int
    said: bytes | str
    try:
        server.open()
        smtp = cast("smtplib.SMTP", server.connection)
        smtp.ehlo_or_helo_if_needed()
        code, said = smtp.mail(_as_ascii(sender))
    except smtplib.SMTPResponseException as refused:
        code, said = refused.smtp_code, refused.smtp_error
    except OSError as error:
        raise NotTaken(_in_words(error), is_away=True) from error
    if code not in OK:
        raise NotTaken(_format_answer(code, said), is_away=True)
    return smtp


def _answer_to(smtp: smtplib.SMTP, content: bytes) -> tuple[int, bytes | str]:
    try:
        return smtp.data(content)
    except smtplib.SMTPDataError as refused:  # before the message
        return refused.smtp_code, refused.smtp_error
    except OSError as error:
        if isinstance(error.__context__, TimeoutError):
            raise Unconfirmed(Translatable("The server received the mail but did not confirm it.")) from error
        raise


def _as_ascii(address: str) -> str:
    name, _, domain = address.rpartition("@")
    return f"{name}@{punycode(domain)}"


def _require(answer: tuple[int, bytes | str]) -> None:
    code, said = answer
    if code not in OK:
        raise NotTaken(_format_answer(code, said), is_refused=500 <= code < 600)


def _format_answer(code: int, said: bytes | str) -> str:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"


def _in_words(error: OSError) -> str:
    if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):
        return Translatable("The server did not answer in time.")
    return " ".join(str(error).split()) or type(error).__name__


def _close(server: EmailBackend) -> None:
    """Say good-bye without waiting for the answer: the message is taken, or it is not."""
    if server.connection is not None:
        with suppress(OSError):  # it is gone already
            server.connection.putcmd("quit")
        server.connection.close()
