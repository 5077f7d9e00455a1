"""An operator's browser, which may be sent to any web server of the service."""

import re

import requests

from faults.environment.running import Service

_SECONDS = 90
_LOG_IN = """
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
user, _is_new = User.objects.get_or_create(username="olga", defaults={"is_staff": True, "is_superuser": True})
browser = Client()
browser.force_login(user)
print(f"{settings.SESSION_COOKIE_NAME}={browser.session.session_key}")
"""


class Operator:
    """An operator with all permissions, in one session that began at `service`, by its clock.

    authority: the file of whom the browser trusts.
    """

    def __init__(self, service: Service, authority: str = "") -> None:
        self._authority = authority
        self._cookies = service.server.manage("shell", "-v", "0", "-c", _LOG_IN).strip()

    def get(self, address: str) -> requests.Response:
        """A page. Nothing is followed: a redirect to the login would look like success."""
        return self._ask("GET", address)

    def post(self, address: str, file: tuple[str, bytes] | None = None) -> requests.Response:
        """Send the page's form, with `file` (name, content) in its field `file`."""
        page = self.get(address)
        assert page.status_code == 200, page.status_code
        (token, *_) = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        (secret,) = re.findall(r"csrftoken=[^;]+", page.headers["Set-Cookie"])
        form = {"data": {"csrfmiddlewaretoken": token}, "files": {"file": file} if file else None}
        return self._ask("POST", address, cookies=f"{self._cookies}; {secret}", **form)

    def _ask(self, method: str, address: str, *, cookies: str = "", **content: object) -> requests.Response:
        headers = {
            "Cookie": cookies or self._cookies,
            "Accept-Language": "en",
            "X-Forwarded-Proto": "https",  # as the proxy says, where there is none
            "Referer": address.replace("http://", "https://"),
        }
        return requests.request(
            method, address, headers=headers, timeout=_SECONDS, verify=self._authority or True, allow_redirects=False,
            **content,  # type: ignore[arg-type]  # what requests takes
        )  # fmt: skip
