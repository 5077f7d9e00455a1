"""An operator's browser, which may be sent to any web server of the service."""

import re
import subprocess
import sys

import requests

from faults.environment.running import Service

_SECONDS = 90


class Operator:
    """An operator with all permissions, in one session that began at `service`.

    authority: the file of whom the browser trusts.
    """

    def __init__(self, service: Service, authority: str = "") -> None:
        self._authority = authority
        self._cookies = subprocess.run(
            [sys.executable, "-m", "faults.observation.admin_session"],
            cwd=service.server.root, env=service.server.environment, capture_output=True, text=True, check=True,
            timeout=60,
        ).stdout  # fmt: skip

    def get(self, address: str) -> requests.Response:
        """A page. Nothing is followed: a redirect to the login would look like success."""
        return self._ask("GET", address)

    def post(self, address: str, file: tuple[str, bytes] | None = None) -> requests.Response:
        """Send the page's form, with `file` (name, content) in its field `file`."""
        page = self.get(address)
        assert page.status_code == 200, page.status_code
        (token, *_) = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        (secret,) = re.findall(r"csrftoken=[^;]+", page.headers["Set-Cookie"])
        return self._ask(
            "POST",
            address,
            cookies=f"{self._cookies}; {secret}",
            data={"csrfmiddlewaretoken": token},
            files={"file": file} if file else None,
        )

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
