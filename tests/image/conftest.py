"""The image, built once, and a service that runs in it on a database of its own."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.image import engine
from tests.image.engine import Engine
from tests.live.databases import scratch_database
from tests.live.server import free_port
from tests.processes import descendants
from tests.webhooks.receivers import Authority

USER = 10001
NAME = "localhost/prealerts:test"


@dataclass(frozen=True)
class Image:
    """The built image, a container of it, and the environment that its processes get."""

    engine: Engine
    container: str
    environment: dict[str, str]
    data: Path

    @property
    def address(self) -> str:
        return f"http://{self.environment['BIND']}"

    def command(self, *words: str) -> list[str]:
        """What starts these words in the container, as the unprivileged user."""
        volumes = {self.data / "media": "/srv/media", self.data / "static": "/srv/static"}
        return self.engine.run_command(self.container, list(words), self.environment, volumes)

    def run(self, *words: str) -> str:
        """Run to the end; what was printed to stdout."""
        finished = subprocess.run(self.command(*words), capture_output=True, text=True, check=False, timeout=180)
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return finished.stdout

    @contextmanager
    def started(self, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
        """Run beside the test, its output in a log; killed at the end if it still runs."""
        with (self.data / "log").open("ab") as log:
            process = subprocess.Popen(self.command(*words), stdout=log, stderr=log)
            try:
                yield process
            finally:
                for each in [*descendants(process.pid), process.pid]:  # buildah's end is not its program's
                    with suppress(ProcessLookupError):
                        os.kill(each, signal.SIGKILL)
                process.wait(60)

    def log(self) -> str:
        return (self.data / "log").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """buildah with the image in its store."""
    if why := engine.missing():
        pytest.skip(why)
    place = tmp_path_factory.mktemp("buildah")
    made = Engine(place)
    made.commit_base(engine.base())
    made.build(NAME)
    yield made
    made.buildah("rm", "--all")
    shutil.rmtree(place)


@pytest.fixture(scope="session")
def image(built: Engine, authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    """The image after its release job."""
    data = tmp_path_factory.mktemp("image")
    for parent in (data, *data.parents[:2]):
        parent.chmod(0o755)  # the unprivileged user has to get there
    for name in ("media", "static"):
        (data / name).mkdir()
        os.chown(data / name, USER, USER)
    shutil.copy(authority.bundle, data / "media" / "ca.pem")
    (data / "media" / "ca.pem").chmod(0o444)
    with scratch_database(os.environ["DATABASE_URL"], data) as url:
        container = built.buildah("from", "--pull-never", NAME)
        yield Image(built, container, environment(url), data)
        built.buildah("rm", container)


def environment(database_url: str) -> dict[str, Any]:
    """What docker/example.env asks for, and access to test endpoints. SQLite's file lies where the image may write."""
    secrets = ("SECRET_KEY", "API_PASSWORD_PEPPER", "FIELD_ENCRYPTION_KEYS")
    return {
        **{name: os.environ[name] for name in secrets},
        "DATABASE_URL": database_url if database_url.startswith("postgres") else "sqlite:////srv/media/live.sqlite3",
        "BIND": f"127.0.0.1:{free_port()}",
        "WEB_CONCURRENCY": "1",
        "ALLOWED_HOSTS": "127.0.0.1",
        "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        "WEBHOOK_CA_BUNDLE": "/srv/media/ca.pem",
    }
