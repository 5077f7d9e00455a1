"""`docker/pin-images.sh` with a docker that answers for the registry: what it writes, and when it writes nothing."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.container.files import DOCKER

FILES = ("Dockerfile", "pgbouncer/Dockerfile", "compose.yaml", "compose.scale.yaml")
DIGEST = "sha256:" + "0123456789abcdef" * 4
NEWER = "sha256:" + "fedcba9876543210" * 4


def images(directory: Path) -> list[str]:
    """Every image of others that the files name."""
    found = re.findall(
        r"^(?:FROM|    image:) ([^\s\"]+)",
        "".join((directory / name).read_text(encoding="utf-8") for name in FILES),
        re.MULTILINE,
    )
    assert len(found) >= 4
    return found


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A copy of docker/."""
    copy = tmp_path / "docker"
    (copy / "pgbouncer").mkdir(parents=True)
    for name in (*FILES, "pin-images.sh"):
        shutil.copy(DOCKER / name, copy / name)
    return copy


def pinned(directory: Path, docker: str) -> int:
    """Run the script with `docker`, lines of sh, in place of docker; its exit code."""
    programs = directory.parent / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "docker").write_text(f"#!/bin/sh\n{docker}\n", encoding="utf-8")
    (programs / "docker").chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    return subprocess.run([directory / "pin-images.sh"], env=environment, capture_output=True, check=False).returncode


def test_each_image_gets_its_digest_and_a_newer_one_the_next_time(directory: Path) -> None:
    tags = [image.partition("@")[0] for image in images(directory)]
    for digest in (DIGEST, NEWER):
        assert pinned(directory, f"echo {digest}") == 0
        assert images(directory) == [f"{tag}@{digest}" for tag in tags]
    assert "FROM python:3.11-slim-bookworm@" + NEWER + " AS wheels" in (directory / "Dockerfile").read_text()


@pytest.mark.parametrize(
    "docker", ["exit 1", "echo nonsense", f'case "$*" in *postgres*) exit 1;; esac; echo {DIGEST}']
)
def test_nothing_is_written_where_a_registry_does_not_answer(directory: Path, docker: str) -> None:
    before = images(directory)
    assert pinned(directory, docker) != 0
    assert images(directory) == before
