"""Hand a secret to the page that comes next, which shows it once; keep it nowhere in the clear.

A password is made by a POST. Rendered into that answer it would be made anew by a reload; so it has to survive one
redirect, and it must not lie in the session table, nor in a backup of it, on its way. It travels in two halves: a
Fernet key made for this one occasion stays in the operator's session, on our side; the ciphertext goes into a cookie
that the browser sends to that one page. Neither half is of any use alone.

Taking the secret removes the key from the session: a reload, a second tab, a copied cookie find nothing. A secret that
nobody came for can no longer be opened after five minutes.
"""

from datetime import timedelta

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.http import HttpRequest, HttpResponse

LIFETIME = timedelta(minutes=5)

_COOKIE = "shown_once"


def hand_over(request: HttpRequest, response: HttpResponse, secret: str, *, page: str) -> None:
    """Leave `secret` for the page at the path `page`, to which `response` redirects."""
    key = Fernet.generate_key()
    request.session[_slot(page)] = key.decode("ascii")
    response.set_cookie(
        _COOKIE,
        Fernet(key).encrypt(secret.encode()).decode("ascii"),
        max_age=LIFETIME,
        path=page,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def take(request: HttpRequest) -> str | None:
    """The secret left for the page of this request; None when there is none, or it was taken before."""
    key = request.session.pop(_slot(request.path), None)
    token = request.COOKIES.get(_COOKIE)
    if key is None or token is None:
        return None
    try:
        return Fernet(key).decrypt(token, ttl=int(LIFETIME.total_seconds())).decode()
    except InvalidToken:
        return None


def forget(request: HttpRequest, response: HttpResponse) -> None:
    """Take the browser's half away as well, once the page has been rendered."""
    response.delete_cookie(_COOKIE, path=request.path, samesite="Strict")


def _slot(page: str) -> str:
    return f"shown_once:{page}"
