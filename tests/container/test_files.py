"""docker/ without a container engine: the linter, the Compose specification's schema, and what must hold."""

import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from prealerts.version import VERSION
from tests.container import files
from tests.container.files import DOCKER, ROOT, services
from tests.live.server import free_port
from tests.test_documents import OPERATIONS, README

SECRET = re.compile(r"secret|password|pepper|key|token", re.IGNORECASE)
SERVICES = sorted(services())
ONCE = {"release", "upkeep", "sandbox-release", "sandbox-database", "sandbox-upkeep", "new-bucket"}
"""They end by themselves."""


def seconds(duration: str) -> int:
    return int(duration.removesuffix("s"))


class TestTheImage:
    def test_the_linter_has_nothing_to_say(self) -> None:
        linter = Path(sys.executable).with_name("hadolint")
        finished = subprocess.run([linter, DOCKER / "Dockerfile"], capture_output=True, text=True, check=False)
        assert (finished.returncode, finished.stdout + finished.stderr) == (0, "")

    def test_what_is_installed_was_held_against_its_hash(self) -> None:
        installs = [rest for word, rest in files.dockerfile() if word == "RUN" and "pip " in rest]
        build, install = installs
        assert "--require-hashes" in build
        assert "--no-index" in install

    def test_it_runs_as_nobody_in_particular_by_number(self) -> None:
        assert files.said("USER") == ["10001:10001"]
        instructions = [word for word, _ in files.dockerfile()]
        assert instructions.index("USER") > max(number for number, word in enumerate(instructions) if word == "RUN")

    def test_no_secret_is_baked_in(self) -> None:
        assert [name for name in files.environment() if SECRET.search(name)] == []
        assert [rest for word, rest in files.dockerfile() if word == "ARG"] == [
            "REVISION=unknown",
            f"VERSION={VERSION}",
        ]
        assert [word for word, _ in files.dockerfile() if word == "ADD"] == []

    def test_it_holds_every_room_and_nothing_that_only_a_developer_needs(self) -> None:
        assert {"base", "companies", "webhooks", "shipments", "prealerts", "locale"} <= set(files.copied())
        assert {"tests", "benchmarks", ".", "docker", ".git"} & set(files.copied()) == set()

    def test_the_context_is_what_is_copied_and_no_file_of_secrets(self) -> None:
        lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        rules = [line for line in lines if line and not line.startswith("#")]
        assert rules[0] == "*"
        let_in = {line[1:] for line in rules if line.startswith("!")}
        assert let_in == {source.removeprefix("./") for source in [*files.copied(), "requirements.txt"]}
        assert {"**/.env", "**/.env.*"} <= set(rules[len(let_in) + 1 :])


@pytest.mark.parametrize("composed", [files.compose(), files.scaled()], ids=["compose", "with compose.scale"])
class TestEither:
    def test_follows_the_compose_specification(self, composed: dict[str, Any]) -> None:
        schema = json.loads((Path(__file__).parent / "compose-spec.json").read_text(encoding="utf-8"))
        jsonschema.Draft7Validator(schema).validate(composed)

    def test_confines_every_service(self, composed: dict[str, Any]) -> None:
        for name, service in composed["services"].items():
            assert service["read_only"] is True, name
            assert service["cap_drop"] == ["ALL"], name
            assert service["security_opt"] == ["no-new-privileges:true"], name
            assert not {"privileged", "pid", "ipc", "network_mode", "devices"} & service.keys(), name
            assert service["restart"] == ("no" if name in ONCE else "unless-stopped"), name
        assert {name for name, each in composed["services"].items() if "cap_add" in each} <= {"postgres", "standby"}

    def test_names_images_by_version_files_that_are_there_and_no_secret(self, composed: dict[str, Any]) -> None:
        for name, service in composed["services"].items():
            _, _, tag = service["image"].partition(":")
            assert tag, name
            assert "latest" not in tag, name
            settings = service.get("environment", {})
            assert [key for key in settings if SECRET.search(key) and not key.endswith("_FILE")] == [], name
            for source in (volume.split(":")[0] for volume in service.get("volumes", [])):
                is_there = (DOCKER / source).exists() if source.startswith("./") else source in composed["volumes"]
                assert is_there or source.startswith("${TLS_DIRECTORY"), source


@pytest.mark.parametrize("name", ["compose.yaml", "compose.scale.yaml"])
def test_whatever_is_interpolated_has_a_default(name: str) -> None:
    text = (DOCKER / name).read_text(encoding="utf-8")
    assert re.findall(r"\$\{(\w+)\}|\$\{\w+:?[?+]", text) == []


class TestCompose:
    def test_only_the_proxy_is_reachable_from_outside(self) -> None:
        assert [name for name, service in services().items() if "ports" in service] == ["proxy"]
        assert files.compose()["networks"]["inside"]["internal"] is True
        outside = {name for name, service in services().items() if "outside" in service["networks"]}
        assert outside == {"proxy", "dispatcher", "sandbox-dispatcher"}

    def test_nothing_starts_before_the_release_is_done(self) -> None:
        for name in ("web", "dispatcher"):
            assert services()[name]["depends_on"] == {"release": {"condition": "service_completed_successfully"}}
        assert services()["release"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
        assert services()["proxy"]["depends_on"] == {"web": {"condition": "service_healthy"}}

    def test_replicas_share_what_they_must_and_write_what_they_may(self) -> None:
        assert services()["web"]["deploy"]["replicas"] > 1
        assert services()["dispatcher"]["deploy"]["replicas"] > 1
        assert services()["web"]["volumes"] == ["media:/srv/media", "static:/srv/static:ro"]
        assert services()["release"]["volumes"] == ["static:/srv/static"]

    def test_each_is_given_longer_to_stop_than_it_takes(self) -> None:
        from prealerts.management.commands import work  # noqa: PLC0415  # not before Django is set up
        from webhooks.dispatcher.loop import STOP_SECONDS  # noqa: PLC0415  # as above

        gunicorn = (ROOT / "gunicorn.conf.py").read_text(encoding="utf-8")
        (graceful,) = re.findall(r"^graceful_timeout = (\d+)", gunicorn, re.MULTILINE)
        assert seconds(services()["web"]["stop_grace_period"]) > int(graceful)
        assert seconds(services()["proxy"]["stop_grace_period"]) > int(graceful)
        assert seconds(services()["dispatcher"]["stop_grace_period"]) > STOP_SECONDS
        assert seconds(services()["worker"]["stop_grace_period"]) > work.STOP_SECONDS

    def test_a_sandbox_has_each_process_of_ours_and_its_own_files(self) -> None:
        for name in ("web", "dispatcher", "worker"):
            sandbox, live = services()[f"sandbox-{name}"], services()[name]
            assert (sandbox["profiles"], sandbox.get("command")) == (["sandbox"], live.get("command"))
            assert "sandbox.env" in sandbox["env_file"]
            assert not any(volume.startswith("media:") for volume in sandbox["volumes"])

    def test_each_service_that_runs_on_has_a_health_check_or_says_why_not(self) -> None:
        checked: dict[str, Any] = {name: service.get("healthcheck") for name, service in services().items()}
        assert checked.pop("web") is checked.pop("sandbox-web") is None  # the image's own
        without = {name for name, check in checked.items() if check == {"disable": True}}
        assert without == ONCE - {"new-bucket"}

    @pytest.mark.parametrize(
        ("name", "age", "is_healthy"),
        [
            ("dispatcher", 0, True), ("dispatcher", 50, True), ("dispatcher", 70, False), ("dispatcher", None, False),
            ("worker", 100, True), ("worker", 130, False),
        ],
    )  # fmt: skip
    def test_a_process_without_a_port_is_healthy_while_it_looks_for_work(
        self,
        tmp_path: Path,
        name: str,
        age: int | None,
        is_healthy: bool,  # noqa: FBT001  # a table
    ) -> None:
        service = services()[name]
        place = service["environment"][f"{name.upper()}_HEARTBEAT_FILE"]
        beat = tmp_path / "beat"
        if age is not None:
            beat.touch()
            os.utime(beat, (time.time() - age,) * 2)
        _cmd, _python, *arguments = service["healthcheck"]["test"]
        assert place in arguments[-1]
        arguments[-1] = arguments[-1].replace(place, str(beat))
        checked = subprocess.run([sys.executable, *arguments], check=False, capture_output=True)
        assert (checked.returncode == 0) is is_healthy


@pytest.mark.skipif(not shutil.which("pg_isready"), reason="pg_isready is not installed (Debian: postgresql-client)")
@pytest.mark.parametrize(("family", "is_healthy"), [(socket.AF_UNIX, False), (socket.AF_INET, True)])
def test_a_database_that_is_being_set_up_is_not_healthy(
    tmp_path: Path,
    family: socket.AddressFamily,
    is_healthy: bool,  # noqa: FBT001  # a table
) -> None:
    """Its image starts a server for that which listens on the socket alone, and stops it."""
    with socket.socket(family) as server:
        port = free_port()
        server.bind(str(tmp_path / f".s.PGSQL.{port}") if family == socket.AF_UNIX else ("127.0.0.1", port))
        server.listen()

        def ask_for_a_password() -> None:
            with server.accept()[0] as asking:
                asking.recv(1000)
                asking.sendall(b"R" + struct.pack("!II", 8, 3))

        threading.Thread(target=ask_for_a_password, daemon=True).start()
        environment = {
            **os.environ,
            "PGHOST": str(tmp_path),
            "PGPORT": str(port),
            "PGSSLMODE": "disable",
            "PGGSSENCMODE": "disable",
        }
        asked = subprocess.run(services()["postgres"]["healthcheck"]["test"][1:], env=environment, check=False)
    assert (asked.returncode == 0) is is_healthy


def test_the_example_names_only_settings_there_are_and_gives_no_secret() -> None:
    text = (DOCKER / "example.env").read_text(encoding="utf-8")
    named = dict(re.findall(r"^#?([A-Z0-9_]+)=(.*)$", text, re.MULTILINE))
    described = set(re.findall(r"`([A-Z0-9_]+)`", README + OPERATIONS))
    assert named.keys() - described == set()
    assert {"SECRET_KEY", "API_PASSWORD_PEPPER", "FIELD_ENCRYPTION_KEYS", "DATABASE_URL"} <= named.keys()
    assert {name: value for name, value in named.items() if SECRET.search(name) and value} == {"LOCAL_PASSWORDS": "off"}
