"""The version: written in pyproject.toml alone, and shown wherever people ask which one runs."""

import re
import subprocess
import sys
import tomllib

import pytest
from django.test import Client

from base.exposition import Build
from prealerts.version import VERSION
from tests.country_scope.operators import operator_of
from tests.live.server import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_is_three_numbers_and_that_of_the_image_and_of_the_newest_entry_of_the_changelog() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    assert PYPROJECT["project"]["version"] == VERSION
    dockerfile = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"^ARG VERSION=(.+)$", dockerfile, re.MULTILINE) == [VERSION]
    assert 'org.opencontainers.image.version="${VERSION}"' in dockerfile
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert VERSION in re.findall(r"^## (\S+)", changelog, re.MULTILINE)[:2]  # below what is not released yet


@pytest.mark.parametrize("word", ["version", "--version"])
def test_manage_py_tells_ours_without_settings(word: str) -> None:
    command = [sys.executable, "manage.py", word]
    assert (
        subprocess.run(command, cwd=ROOT, env={}, capture_output=True, text=True, check=True).stdout == f"{VERSION}\n"
    )


@pytest.mark.django_db
def test_the_admin_shows_it_to_operators_and_to_nobody_else(client: Client) -> None:
    for page in ("/admin/", "/admin/shipments/guide/"):
        assert f"Pre-Alerts {VERSION}" in operator_of("CL", username=page).get(page).content.decode()
    assert VERSION not in client.get("/admin/login/").content.decode()


@pytest.mark.django_db
def test_both_documents_have_it_beside_the_version_of_the_api() -> None:
    operator = operator_of("CL")
    for name in ("openapi", "operators"):
        info = operator.get(f"/docs/{name}.json").json()["info"]
        assert info["x-service-version"] == VERSION
        assert info["version"] != VERSION


def test_the_metrics_of_each_process_have_it() -> None:
    (metric,) = Build().collect()
    (sample,) = metric.samples
    assert (sample.name, sample.labels, sample.value) == ("prealerts_build_info", {"version": VERSION}, 1)
