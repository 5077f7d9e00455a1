"""Requests through the proxy, and what reached the application."""

import re
from collections.abc import Iterator

import requests

from tests.live.server import Server
from tests.proxy.nginx import Proxy

MIB = 1024 * 1024
UPLOAD = "/api/public/pre-alerts/v1/upload"
JSON = "/api/public/pre-alerts/v1/process-pre-alert-json"


def uploads(service: Server) -> int:
    """How many uploads reached the application."""
    return sum('"method": "POST"' in line and "/upload" in line for line in service.log().splitlines())


def logged_in(proxy: Proxy, username: str, password: str) -> requests.Session:
    """A browser in which an operator has logged in."""
    browser = requests.Session()
    browser.trust_env, browser.verify = False, proxy.authority  # the environment's own bundle would win
    page = f"{proxy.https}/admin/login/"
    (token,) = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get(page, timeout=60).text)[:1]
    fields = {"csrfmiddlewaretoken": token, "username": username, "password": password}
    entered = browser.post(page, data=fields, headers={"Referer": page}, timeout=60, allow_redirects=False)
    assert entered.status_code == 302, entered.status_code
    return browser


def pieces(body: bytes, size: int = 1000) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]
