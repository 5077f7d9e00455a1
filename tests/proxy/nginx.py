"""A real nginx with the configuration of docker/nginx, on ports and in directories of the test's own."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests
import trustme

from tests.live.server import BASE, ROOT, free_port

SOURCE = ROOT / "docker" / "nginx"
START_SECONDS = 20


@dataclass(frozen=True)
class Proxy:
    """A running nginx: its two ports, whom its clients trust, and what it logs."""

    directory: Path
    http_port: int
    https_port: int

    @property
    def authority(self) -> str:
        """The file of the certificate authority, for `verify=`."""
        return str(self.directory / "ca.pem")

    @property
    def https(self) -> str:
        return f"https://localhost:{self.https_port}"

    @property
    def http(self) -> str:
        return f"http://localhost:{self.http_port}"

    @property
    def api(self) -> str:
        return self.https + BASE

    @property
    def api_path(self) -> str:
        return BASE

    def log(self) -> str:
        """Access and error log."""
        return "".join((self.directory / name).read_text(encoding="utf-8") for name in ("access.log", "error.log"))

    def get(self, path: str, **options: object) -> requests.Response:
        """GET over TLS, as a client that follows nothing."""
        return requests.get(self.https + path, verify=self.authority, allow_redirects=False, timeout=60, **options)  # type: ignore[arg-type]  # whatever requests takes

    def post(self, path: str, **options: object) -> requests.Response:
        """The same for POST."""
        return requests.post(self.https + path, verify=self.authority, allow_redirects=False, timeout=60, **options)  # type: ignore[arg-type]  # as above


def is_installed() -> bool:
    return _program() is not None


def _program() -> str | None:
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@contextmanager
def running(directory: Path, upstreams: Sequence[str], changes: Mapping[str, str] | None = None) -> Iterator[Proxy]:
    """Serve docker/nginx before `upstreams` (host:port each); `changes`: what to write instead in any of its files."""
    proxy = Proxy(directory, free_port(), free_port())
    _write_certificate(directory)
    _write_configuration(proxy, upstreams, changes or {})
    user = "user root; " if os.geteuid() == 0 else ""
    command = [str(_program()), "-c", str(directory / "nginx.conf"), "-g", f"{user}daemon off;"]
    command += ["-e", str(directory / "error.log")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _wait_until_it_listens(proxy, process)
        yield proxy
    finally:
        process.terminate()
        process.wait(timeout=60)


def _write_certificate(directory: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(directory / "ca.pem"))
    issued = authority.issue_cert("localhost", "127.0.0.1")
    tls = directory / "tls"
    tls.mkdir()
    issued.private_key_pem.write_to_path(str(tls / "privkey.pem"))
    for blob in issued.cert_chain_pems:
        blob.write_to_path(str(tls / "fullchain.pem"), append=True)


def _write_configuration(proxy: Proxy, upstreams: Sequence[str], changes: Mapping[str, str]) -> None:
    """The very files, but for what belongs to a container: ports, directories, the name server."""
    places = {
        "/tmp/nginx/": f"{proxy.directory}/tmp/",  # noqa: S108  # as in the file
        "/tmp/bodies": f"{proxy.directory}/bodies",  # noqa: S108  # as above
        "/tmp/answers/": f"{proxy.directory}/tmp/",  # noqa: S108  # as above
        "/tmp/carriers": f"{proxy.directory}/carriers",  # noqa: S108  # as above
        "/etc/nginx/": f"{proxy.directory}/",
        "/dev/stdout": f"{proxy.directory}/access.log",
        "/dev/stderr": f"{proxy.directory}/error.log",
        "listen 8080;": f"listen 127.0.0.1:{proxy.http_port};",
        "listen 8443 ssl;": f"listen 127.0.0.1:{proxy.https_port} ssl;",
    }
    unused = {**places, **changes}
    (proxy.directory / "tmp").mkdir()
    (proxy.directory / "bodies").mkdir()
    (proxy.directory / "carriers").mkdir(exist_ok=True)  # a test may have mounted a small one
    for file in SOURCE.glob("*.conf"):
        text = file.read_text(encoding="utf-8")
        for old, new in {**places, **changes}.items():
            if old in text:
                unused.pop(old, None)
                text = text.replace(old, new)
        (proxy.directory / file.name).write_text(text, encoding="utf-8")
    assert not unused, f"docker/nginx no longer says {list(unused)}"
    servers = "".join(f"server {upstream}; " for upstream in upstreams)
    (proxy.directory / "upstream.conf").write_text(
        f'map "" $application {{ default application; }}\nupstream application {{ {servers}}}\n', encoding="utf-8"
    )
    shutil.copytree(SOURCE / "answers", proxy.directory / "answers")
    (proxy.directory / "mime.types").write_text(
        "types { text/html html; application/json json; text/css css; }\n", encoding="utf-8"
    )


def _wait_until_it_listens(proxy: Proxy, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, (proxy.directory / "error.log").read_text(encoding="utf-8")
        try:
            requests.get(f"{proxy.http}/api/", timeout=1, allow_redirects=False)
        except (requests.ConnectionError, requests.Timeout):
            time.sleep(0.05)
        else:
            return
    raise AssertionError("nginx does not listen")
