"""Guessing passwords: how many an address may get wrong, and how many this process hashes at once.

A hash takes a quarter of a second of a processor. Nothing here counts by name, for that would let a stranger lock an
operator out.
"""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import structlog
from django.conf import settings
from django.core import signing
from django.db.models import F
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from base.buckets import BucketKind, count_refusal, draw
from base.errors import RateLimited, Translatable
from base.http.requests import client_network
from base.models import Bucket
from companies.errors import InvalidCredentials, PasswordsBusy

ATTEMPT = BucketKind("attempt", window_seconds=60, kept_seconds=60 * 60)
"""Passwords that may still be refused: to an address, or to a browser that has logged in before."""
MOST_REFUSED = 10
"""Attempts of an address that may be refused within a minute."""
MOST_HASHED = 2
"""Passwords that a process hashes at once."""
MOST_WAITING = 2
"""Requests of a process that wait for that. Each holds a thread, and half of them must stay free for everybody else."""
WAIT_SECONDS = 2.0

COOKIE = "known-browser"
_COOKIE_SECONDS = 90 * 24 * 60 * 60
_SALT = "companies.limits.attempts"

log = structlog.get_logger(__name__)


@contextmanager
def attempt(request: HttpRequest, username: str) -> Iterator[None]:
    """Let the block hash the password that somebody sent for `username`. Call it outside transactions.

    The attempt counts if the block raises `InvalidCredentials`. Raises `RateLimited` before the block if too many were
    refused within a minute, whatever the name, and `PasswordsBusy` if there is no place for another hash.
    """
    network = client_network(request)
    own = _own_bucket(request, username)
    key = own or f"address {network}"
    # Taken in advance and given back, so that a hundred at once are not a hundred guesses.
    drawn = draw(ATTEMPT, key, 1, MOST_REFUSED)
    if not drawn.is_taken:
        log.warning("attempts_limited", address=network)
        raise RateLimited(
            Translatable(
                "Too many wrong passwords or codes were sent from your address. Try again in %(wait)s s.",
                wait=drawn.wait_seconds,
            ),
            retry_after_seconds=drawn.wait_seconds,
        )
    try:
        with _LINE.place(_Turn(network, (bool(own), -drawn.refused))):
            yield
    except (InvalidCredentials, PasswordsBusy) as refusal:
        count_refusal(ATTEMPT, key)  # also of who hammers in spite of `Retry-After`: it decides who comes first
        if isinstance(refusal, PasswordsBusy):
            _give_back(key)
        raise
    except BaseException:
        _give_back(key)
        raise
    _give_back(key)


def _give_back(key: str) -> None:
    Bucket.objects.filter(kind=ATTEMPT.name, key=key, tokens__lt=MOST_REFUSED).update(tokens=F("tokens") + 1)


def remember_browser(response: HttpResponseBase, username: str) -> None:
    """Let others at this browser's address not use up its attempts for `username`, who has just logged in."""
    response.set_cookie(
        COOKIE,
        signing.dumps([username, secrets.token_hex(16)], salt=_SALT),
        max_age=_COOKIE_SECONDS,
        path=reverse("admin:index"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _own_bucket(request: HttpRequest, username: str) -> str:
    """Return the key of the browser's bucket if `username` has logged in with it, else nothing."""
    try:
        name, browser = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_COOKIE_SECONDS)
    except signing.BadSignature:
        return ""
    return f"browser {browser}" if name == username else ""


@dataclass(eq=False, frozen=True, slots=True)
class _Turn:
    """Somebody who wants a password hashed. standing: a known browser before others; then by refusals of the hour."""

    network: str
    standing: tuple[bool, int]


class _Line:
    """The places for hashing of this process, of which a network has one, and the short line in front of them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._hashed_for: list[str] = []
        self._waiting: list[_Turn] = []

    @contextmanager
    def place(self, turn: _Turn) -> Iterator[None]:
        """Wait for a place and hold it. Raises `PasswordsBusy` after two seconds, or where others stand better."""
        with self._changed:
            self._waiting.append(turn)
            self._waiting.sort(key=lambda each: each.standing, reverse=True)  # of equals the first who came
            if not self._is_next(turn) and len(self._waiting) > MOST_WAITING:
                self._waiting.pop()
                self._changed.notify_all()
            self._changed.wait_for(lambda: turn not in self._waiting or self._is_next(turn), WAIT_SECONDS)
            has_place = turn in self._waiting and self._is_next(turn)
            if turn in self._waiting:
                self._waiting.remove(turn)
            if not has_place:
                raise PasswordsBusy
            self._hashed_for.append(turn.network)
        try:
            yield
        finally:
            with self._changed:
                self._hashed_for.remove(turn.network)
                self._changed.notify_all()

    def _is_next(self, turn: _Turn) -> bool:
        ready = (each for each in self._waiting if each.network not in self._hashed_for)
        return len(self._hashed_for) < MOST_HASHED and next(ready, None) is turn


_LINE = _Line()
