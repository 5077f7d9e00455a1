"""docker/install.sh: three questions, one run of compose, and nothing changed by a second one."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.container import files
from tests.container.files import DOCKER, ROOT

ANSWERS = "prealerts.example.com\nana@example.com\nana\n"

ENGINE = """#!/bin/sh
echo "$*" >> "{calls}"
"""


class Machine:
    """A copy of docker/ and a compose that only notes how it was called."""

    def __init__(self, directory: Path) -> None:
        shutil.copytree(
            DOCKER, directory / "docker", ignore=shutil.ignore_patterns(".env", "tls", "postgres_password*")
        )
        self.docker, self.called = directory / "docker", directory / "calls"
        engine = directory / "compose"
        engine.write_text(ENGINE.format(calls=self.called))
        engine.chmod(0o755)
        self.engine = engine

    def install(self, *arguments: str, answers: str = ANSWERS, **environment: str) -> Any:
        return subprocess.run(
            [self.docker / "install.sh", *arguments],
            env=os.environ | {"COMPOSE": str(self.engine)} | environment,
            input=answers,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def calls(self) -> list[str]:
        return self.called.read_text().splitlines() if self.called.exists() else []

    @property
    def made(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.docker)): path.read_text()
            for path in (self.docker / ".env", self.docker / "postgres_password.txt", *self.docker.glob("tls/*"))
            if path.exists()
        }


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_writes_secrets_starts_the_containers_and_makes_the_first_operator(machine: Machine) -> None:
    finished = machine.install()
    assert finished.returncode == 0, finished.stderr
    assert (machine.docker / ".env").stat().st_mode & 0o777 == 0o600
    written = dict(line.split("=", 1) for line in machine.made[".env"].splitlines() if not line.startswith("#"))
    assert written["ALLOWED_HOSTS"] == written["PREALERTS_HOST"] == "prealerts.example.com"
    assert written["CSRF_TRUSTED_ORIGINS"] == "https://prealerts.example.com"
    assert machine.made["postgres_password.txt"] in written["DATABASE_URL"]
    assert min(len(written[name]) for name in ("SECRET_KEY", "API_PASSWORD_PEPPER")) >= 50
    assert "BEGIN CERTIFICATE" in machine.made["tls/fullchain.pem"]
    up, operator = machine.calls[1], machine.calls[-1]
    assert up == "-f compose.yaml -f compose.tls.yaml up --detach --wait --build"
    assert operator.endswith(
        "first_run --address https://prealerts.example.com --operator ana --email ana@example.com --without-company"
    )


def test_what_it_wrote_is_what_the_service_starts_with(machine: Machine) -> None:
    machine.install()
    lines = [line.split("=", 1) for line in machine.made[".env"].splitlines() if not line.startswith("#")]
    environment = dict(lines) | {"DATABASE_URL": os.environ["DATABASE_URL"], "PATH": os.environ["PATH"]}
    checked = subprocess.run(
        [ROOT / ".venv" / "bin" / "python", "manage.py", "check", "--deploy", "--fail-level", "ERROR"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr


def test_a_second_run_asks_nothing_and_changes_nothing(machine: Machine) -> None:
    machine.install()
    before = machine.made
    again = machine.install(answers="")
    assert again.returncode == 0, again.stderr
    assert machine.made == before
    assert machine.calls[-1].endswith("--without-company")


def test_with_the_settings_of_another_machine_the_database_gets_their_password(machine: Machine) -> None:
    machine.install()
    before = machine.made["postgres_password.txt"]
    (machine.docker / "postgres_password.txt").unlink()
    assert machine.install(answers="").returncode == 0
    assert machine.made["postgres_password.txt"] == before


def test_an_image_with_a_tag_is_pulled_where_it_is_named(machine: Machine) -> None:
    machine.install(PREALERTS_IMAGE="registry.example.com/prealerts:1.0.0")
    assert machine.calls[1].endswith("up --detach --wait --pull missing")
    assert "PREALERTS_IMAGE=registry.example.com/prealerts:1.0.0" in machine.made[".env"]
    machine.install(answers="")
    assert machine.calls[-3].endswith("up --detach --wait --pull missing")


def test_a_dry_run_shows_the_host_the_settings_and_the_command_and_writes_nothing(machine: Machine) -> None:
    shown = machine.install("--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "https://prealerts.example.com" in shown.stdout
    assert "SECRET_KEY=(generated)" in shown.stdout
    assert "-f docker/compose.yaml -f docker/compose.tls.yaml up --detach" in shown.stdout
    assert (machine.made, machine.calls) == ({}, [])


@pytest.mark.parametrize(
    "answers",
    [
        "\n", "localhost:8000\n", "https://prealerts.example.com\n", "nodot\n", "a..b\n", "-a.example.com\n",
        "a.example.com; rm -rf /\n", f"{'a' * 64}.example.com\n", "a.example.com\nno-mail\nana\n",
        'a.example.com\nana@example.com"\nana\n', "a.example.com\nana@example.com\nana soto\n", "a.example.com\n", "",
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_used_is_named_and_nothing_is_written(machine: Machine, answers: str) -> None:
    refused = machine.install(answers=answers)
    assert refused.returncode not in (0, 1)
    assert "install.sh: " in refused.stderr
    assert (machine.made, machine.calls) == ({}, [])


def test_settings_made_by_hand_are_left_alone(machine: Machine) -> None:
    (machine.docker / ".env").write_text("SECRET_KEY=mine\n")
    refused = machine.install()
    assert refused.returncode == 1
    assert "this script did not write it" in refused.stderr
    assert machine.made == {".env": "SECRET_KEY=mine\n"}


def test_without_random_numbers_it_writes_no_settings(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "openssl").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "openssl").chmod(0o755)
    refused = machine.install(PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert refused.returncode == 1
    assert "openssl makes no random numbers" in refused.stderr
    assert machine.made == {}
    assert machine.install(answers=ANSWERS).returncode == 0


def test_a_machines_own_compose_file_comes_last(machine: Machine) -> None:
    (machine.docker / "compose.override.yaml").write_text("services: {}\n")
    machine.install()
    assert machine.calls[1].startswith("-f compose.yaml -f compose.tls.yaml -f compose.override.yaml up ")


def test_containers_that_do_not_start_are_said_and_the_next_run_goes_on(machine: Machine) -> None:
    machine.engine.write_text('#!/bin/sh\ncase "$*" in *" up "*) exit 1;; esac\n')
    failed = machine.install()
    assert failed.returncode == 1
    assert "logs' says why" in failed.stderr
    before = machine.made
    machine.engine.write_text(ENGINE.format(calls=machine.called))
    assert machine.install(answers="").returncode == 0
    assert machine.made == before


class TestComposeWithTls:
    def test_nginx_publishes_no_port_and_believes_caddys_address_alone(self) -> None:
        class Loader(yaml.SafeLoader):
            """Knows compose's `!reset`, which takes away what the file below says."""

        Loader.add_constructor("!reset", lambda loader, node: None)  # noqa: ARG005  # PyYAML's signature
        above = yaml.load((DOCKER / "compose.tls.yaml").read_text(encoding="utf-8"), Loader)  # noqa: S506  # safe
        caddy, proxy = above["services"]["caddy"], above["services"]["proxy"]
        assert proxy["ports"] is None
        address = caddy["networks"]["edge"]["ipv4_address"]
        believed = (DOCKER / "caddy" / "real_ip.conf").read_text(encoding="utf-8")
        assert f"set_real_ip_from {address};" in believed
        assert believed.count("set_real_ip_from") == 1
        assert set(proxy["networks"]) == {"inside", "edge"}
        assert proxy["networks"]["edge"]["ipv4_address"] != address, "or it is given Caddy's: it starts first"
        mounted = [volume for service in (caddy, proxy) for volume in service["volumes"]]
        for volume in mounted:
            source = volume.split(":")[0]
            assert source == "certificates" or source.startswith("./tls/") or (DOCKER / source).exists(), source
        assert files.compose()["services"]["proxy"]["ports"], "without Caddy nginx has its own"
