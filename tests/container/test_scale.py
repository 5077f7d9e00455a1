"""docker/compose.scale.yaml on top of compose.yaml, without a container engine."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.buckets import KEYS, object_store
from tests.container import files
from tests.container.files import DOCKER
from tests.test_documents import OPERATIONS, README

ADDED = {"pgbouncer", "standby", "bucket", "new-bucket"}
OURS = {"web", "dispatcher", "worker", "upkeep", "release"}


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = files.scaled()["services"]
    return found


def test_it_adds_the_parts_and_changes_no_image() -> None:
    assert services().keys() - files.services().keys() == ADDED
    for name, service in files.services().items():
        assert services()[name]["image"] == service["image"]
    assert services()["standby"]["image"] == services()["postgres"]["image"]


def test_there_are_two_of_each_process_of_ours_and_all_share_the_bucket_and_the_pooler() -> None:
    for name in ("web", "dispatcher", "worker"):
        assert services()[name]["deploy"]["replicas"] == 2
    for name in OURS:
        environment = services()[name]["environment"]
        assert environment["BEHIND_PGBOUNCER"] == "on"
        assert environment["S3_BUCKET"] == services()["new-bucket"]["environment"]["S3_BUCKET"]
        assert environment.keys() - {"WEB_CONCURRENCY"} <= set(re.findall(r"`([A-Z0-9_]+)`", README + OPERATIONS))


def test_what_is_added_is_not_reachable_from_outside_and_its_secrets_not_in_git() -> None:
    ignored = (files.ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    for secret in files.scaled()["secrets"].values():
        assert secret["file"].replace("./", "/docker/") in ignored
    for name in ADDED:
        assert services()[name]["networks"] == ["inside"], name
        assert "ports" not in services()[name], name


def test_nothing_starts_before_the_standby_and_the_bucket() -> None:
    """Without its standby the primary would acknowledge no commit of the migrations."""
    assert services()["release"]["depends_on"] == {
        "postgres": {"condition": "service_healthy"},
        "standby": {"condition": "service_healthy"},
        "pgbouncer": {"condition": "service_healthy"},
        "new-bucket": {"condition": "service_completed_successfully"},
    }
    for name in ("web", "dispatcher"):
        assert services()[name]["depends_on"] == {"release": {"condition": "service_completed_successfully"}}


def test_pgbouncer_is_where_the_others_look_for_it() -> None:
    text = (DOCKER / "pgbouncer" / "pgbouncer.ini").read_text(encoding="utf-8")
    settings = dict(re.findall(r"^(\w+) = (.*)$", text, re.MULTILINE))
    assert settings["pool_mode"] == "transaction"
    assert settings["listen_port"] in services()["pgbouncer"]["healthcheck"]["test"]
    assert f"@pgbouncer:{settings['listen_port']}/" in (DOCKER / "example.env").read_text(encoding="utf-8")
    assert settings["auth_file"].removeprefix("/run/secrets/") in services()["pgbouncer"]["secrets"]
    assert int(settings["query_wait_timeout"]) < 30


@pytest.mark.parametrize("script", ["primary.sh", "standby.sh"])
def test_each_script_can_be_read_and_run(script: str) -> None:
    path = DOCKER / "postgres" / script
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", path], check=True)


def test_the_linter_has_nothing_to_say_of_pgbouncers_image() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    path = DOCKER / "pgbouncer" / "Dockerfile"
    finished = subprocess.run([linter, path], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout + finished.stderr) == (0, "")


def test_the_bucket_is_made_once() -> None:
    _python, *arguments = services()["new-bucket"]["command"]
    with object_store() as store:
        environment = {
            **os.environ, **KEYS, "AWS_DEFAULT_REGION": "us-east-1", "S3_ENDPOINT_URL": store.endpoint,
            "S3_BUCKET": "received",
        }  # fmt: skip
        for _ in range(2):
            subprocess.run([sys.executable, *arguments], env=environment, check=True, timeout=60)
        found = [bucket["Name"] for bucket in store.client.list_buckets()["Buckets"]]
    assert found.count("received") == 1
