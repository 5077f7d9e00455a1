"""The image, built and run without a registry and without a daemon: buildah, and a base made by debootstrap.

The base stands in for the one that the Dockerfile names: Debian 12 with its own Python 3.11, in a virtual environment
where the official image has its Python. It is kept in `var/`, because making it takes minutes.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.container import files
from tests.container.files import ROOT

NEEDED = ("buildah", "debootstrap")
_BASE_NAME = "docker.io/library/python:3.11-slim-bookworm"
_MIRROR = "http://deb.debian.org/debian"
_PACKAGES = "python3-distutils,python3.11-venv,ca-certificates"
_PATH = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
# What building needs of this machine where packages come through a proxy with a certificate of its own.
_MACHINES_OWN = ("/etc/ssl/certs", "/usr/share/ca-certificates", "/etc/pip.conf")


def missing() -> str:
    """Why the image cannot be built here; empty if it can."""
    if absent := [name for name in NEEDED if shutil.which(name) is None]:
        return f"needs {' and '.join(absent)} (Debian: apt-get install {' '.join(NEEDED)})"
    return "" if os.geteuid() == 0 else "needs root, for debootstrap and chroot"


class Engine:
    """buildah with a store of its own, which goes with `place`."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._buildah = [
            "buildah", "--storage-driver", "vfs", "--root", str(place / "store"), "--runroot", str(place / "run"),
        ]  # fmt: skip

    def buildah(self, *arguments: str, seconds: float = 1200) -> str:
        """Run to the end; what it printed. Its complaint is the assertion's."""
        finished = subprocess.run(
            [*self._buildah, *arguments], capture_output=True, text=True, check=False, timeout=seconds
        )
        assert finished.returncode == 0, (finished.stdout + finished.stderr)[-4000:]
        return finished.stdout.strip()

    def commit_base(self, directory: Path) -> None:
        """Commit the base under the name of the Dockerfile's FROM."""
        container = self.buildah("from", "scratch")
        # `buildah add` would pack and unpack all of it.
        subprocess.run(["cp", "--archive", f"{directory}/.", self.buildah("mount", container)], check=True)
        self.buildah("config", "--env", f"PATH={_PATH}", container)
        self.buildah("commit", "-q", "--rm", container, _BASE_NAME)

    def build(self, name: str) -> None:
        """Build docker/Dockerfile. A digest in FROM is left off: the base here is another one."""
        text = (files.DOCKER / "Dockerfile").read_text(encoding="utf-8")
        assert set(re.findall(r"^FROM (\S+?)(?:@\S+)?(?: AS \w+)?$", text, re.MULTILINE)) == {
            _BASE_NAME.removeprefix("docker.io/library/")
        }
        dockerfile = self._place / "Dockerfile"
        dockerfile.write_text(re.sub(r"^(FROM [^\s@]+)@\S+", r"\1", text, flags=re.MULTILINE), encoding="utf-8")
        volumes = [word for path in _MACHINES_OWN if Path(path).exists() for word in ("--volume", f"{path}:{path}:ro")]
        self.buildah(
            "bud", "--isolation", "chroot", "--network", "host", "--pull-never", *volumes,
            "--ignorefile", str(ROOT / ".dockerignore"), "-t", name, "-f", str(dockerfile), str(ROOT),
        )  # fmt: skip

    def bytes_of(self, container: str) -> int:
        """The size of what a container holds: its image's base, the image's own layers, and what was written since."""
        return size(Path(self.buildah("mount", container)))

    def run_command(
        self, container: str, command: list[str], environment: dict[str, str], volumes: dict[Path, str]
    ) -> list[str]:
        """What starts `command` in a container as the unprivileged user."""
        mounts = [word for path, inside in volumes.items() for word in ("--volume", f"{path}:{inside}")]
        variables = [word for name, value in environment.items() for word in ("--env", f"{name}={value}")]
        as_user = ["--isolation", "chroot", "--user", "10001:10001"]
        return [*self._buildah, "run", *as_user, *mounts, *variables, container, "--", *command]


def size(directory: Path) -> int:
    """Bytes of all files below `directory`."""
    return int(subprocess.run(["du", "-sbx", directory], capture_output=True, check=True).stdout.split()[0])


def base() -> Path:
    """The directory of the base, made now if it is not there yet. Half a one is thrown away."""
    directory = ROOT / "var" / "image-base"
    if not directory.exists():
        making = directory.with_suffix(".making")
        shutil.rmtree(making, ignore_errors=True)
        making.parent.mkdir(exist_ok=True)
        bootstrap = ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", "bookworm", str(making), _MIRROR]
        for command in (bootstrap, ["chroot", str(making), "python3.11", "-m", "venv", "--copies", "/usr/local"]):
            made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
            assert made.returncode == 0, (made.stdout + made.stderr)[-2000:]
        for unneeded in ("var/cache/apt/archives", "var/lib/apt/lists"):
            shutil.rmtree(making / unneeded)
        making.rename(directory)
    return directory
