"""The programs in Go, Java and PHP as their readers run them: against a live service, and on the webhooks' vectors."""

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.books import guide_row, workbook_bytes
from tests.live.scripted import Answer, scripted
from tests.live.server import ROOT, Server

pytestmark = [pytest.mark.live, pytest.mark.slow]

EXAMPLES = ROOT / "docs" / "examples"
JACKSON = Path("/usr/share/java/jackson-databind.jar")
PROGRAMS = {
    "go": ["go", "run", EXAMPLES / "prealerts.go"],
    "java": ["java", "-cp", "/usr/share/java/*", EXAMPLES / "Prealerts.java"],
    "php": ["php", EXAMPLES / "prealerts.php"],
}


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> list[str]:
    """The command of one language. Debian: golang-go, libjackson2-databind-java and a JDK, php-cli and php-curl."""
    language: str = request.param
    is_there = shutil.which(language) is not None and (language != "java" or JACKSON.exists())
    if not is_there:
        missing = f"the toolchain of {language} is not installed"
        if os.environ.get("REQUIRE_TOOLS"):
            pytest.fail(missing)
        pytest.skip(missing)
    return list(map(str, PROGRAMS[language]))


def run(command: list[str], place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    cache = {"HOME": str(place), "GOCACHE": str(place.parent / "go")}
    return subprocess.run(
        command, env={**os.environ, **cache, **environment}, capture_output=True, text=True, check=False, timeout=240
    )


def test_a_program_sends_a_workbook_once_and_follows_its_guides(
    program: list[str], service: Server, companies: object, tmp_path: Path
) -> None:
    mine, other = next(companies), next(companies)  # type: ignore[call-overload]
    since = f"{datetime.now(UTC) - timedelta(minutes=2):%Y-%m-%dT%H:%M:%SZ}"
    book = tmp_path / "manifest.xlsx"
    book.write_bytes(workbook_bytes([guide_row(number) for number in range(1, 54)]))
    words = [each["Authorization"].split()[1] for each in (mine, other)]
    known = {"PREALERTS_ADDRESS": service.address, "PREALERTS_PASSWORD": words[0]}

    sent = [run([*program, "send", str(book)], tmp_path, **known) for _ in range(2)]
    assert [each.returncode for each in sent] == [0, 0], sent[0].stderr
    assert sent[0].stdout == sent[1].stdout
    codes = [line.split()[1] for line in sent[0].stdout.splitlines()]
    assert len(codes) == 53

    followed = run([*program, "follow", since], tmp_path, **known)
    assert sorted(line.split()[:2] for line in followed.stdout.splitlines()) == [
        [c, "registered"] for c in sorted(codes)
    ]
    theirs = run([*program, "follow", since], tmp_path, **{**known, "PREALERTS_PASSWORD": words[1]})
    assert (theirs.returncode, theirs.stdout) == (0, "")
    refused = run([*program, "send", str(book)], tmp_path, **{**known, "PREALERTS_PASSWORD": "pa_live_wrong"})
    assert refused.returncode == 1
    assert "invalid_api_key" in refused.stderr


def test_a_program_waits_as_long_as_it_is_told_and_sends_the_same_again(program: list[str], tmp_path: Path) -> None:
    book = tmp_path / "manifest.xlsx"
    book.write_bytes(workbook_bytes())
    busy: Answer = (503, {"Retry-After": "1"}, '{"error": "parser_busy"}')
    created: Answer = (201, {}, '{"guides": [{"hawb": "H1", "tracking_code": "T1"}]}')
    with scripted(busy, created) as (address, asked):
        known = {"PREALERTS_ADDRESS": address, "PREALERTS_PASSWORD": "pa_live_x"}
        assert run([*program, "send", str(book)], tmp_path, **known).stdout == "H1 T1\n"
    keys = {name.lower(): value for each in asked for name, value in each.headers.items()}
    assert [each.headers.get("Idempotency-Key") for each in asked] == [keys["idempotency-key"]] * 2


def test_a_program_verifies_each_vector_and_no_changed_body(program: list[str], tmp_path: Path) -> None:
    said = run([*program, "verify", str(EXAMPLES / "webhook-vectors.json")], tmp_path)
    assert said.returncode == 0, said.stderr
    assert "guide.delivered verified" in said.stdout.splitlines()
    forged = tmp_path / "forged.json"
    text = (EXAMPLES / "webhook-vectors.json").read_text(encoding="utf-8")
    forged.write_text(text.replace("registered", "delivered", 1), encoding="utf-8")
    assert run([*program, "verify", str(forged)], tmp_path).returncode == 1
