"""An upload from an address of one's choice, and what of all bodies is on the disk."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.books import guide_row, workbook_bytes
from tests.live.test_over_http import form
from tests.proxy.dripping import UPLOAD, connected
from tests.proxy.nginx import Proxy


def upload(proxy: Proxy, headers: Mapping[str, str], address: str, number: int = 1) -> tuple[int, dict[str, object]]:
    """Send a manifest from an address; status and answer."""
    body = form(workbook_bytes([guide_row(number)], mawb=f"045-{number:08d}"))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = (
        f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}"
        f"Content-Type: multipart/form-data; boundary=BOUNDARY\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with connected(proxy, address) as connection:
        connection.settimeout(90)
        connection.sendall(head.encode() + body)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    top, _, content = answer.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(content)


def body_bytes(proxy: Proxy) -> int:
    """What of bodies lies on the disk: nginx takes the names of its files away at once, so they are found as open."""
    master = (proxy.directory / "tmp" / "nginx.pid").read_text(encoding="utf-8").strip()
    workers = Path(f"/proc/{master}/task/{master}/children").read_text(encoding="utf-8").split()
    places = (f"{proxy.directory}/bodies/", f"{proxy.directory}/carriers/", f"{proxy.directory}/tmp/client_body/")  # noqa: S108  # below our own directory
    found = 0
    for file in [file for worker in workers for file in Path(f"/proc/{worker}/fd").iterdir()]:
        with suppress(FileNotFoundError):  # closed since it was listed
            found += file.stat().st_size if str(file.readlink()).startswith(places) else 0
    return found
