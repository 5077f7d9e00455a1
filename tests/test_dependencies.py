"""What we run on: each with its reason, its licence written down, its known flaws a failure."""

import json
import re
from typing import Any

import pytest

from tools import licences, vulnerabilities
from tools.vulnerabilities import judge

FOUND: dict[str, Any] = {
    "name": "django",
    "version": "5.2.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["5.2.1"]}],
}
CLEAN: dict[str, Any] = {"name": "segno", "version": "1.6.6", "vulns": []}
SKIPPED: dict[str, Any] = {"name": "rich", "skip_reason": "Dependency not found on PyPI"}


def reported(*dependencies: dict[str, Any]) -> str:
    return json.dumps({"dependencies": dependencies, "fixes": []})


def test_a_flaw_that_is_known_fails() -> None:
    verdict = judge(reported(CLEAN, FOUND, SKIPPED), "Found 1 known vulnerability")
    assert verdict.is_failure
    assert "django 5.2.0: PYSEC-1, mended in 5.2.1" in verdict.said


@pytest.mark.parametrize(
    ("output", "errors", "words"),
    [
        (reported(CLEAN), "", "none in 1 packages."),
        (reported(CLEAN, SKIPPED), "", "none in 1 packages. Not known there: rich"),
        (reported(SKIPPED), "", "NOT CHECKED"),
        ("", "Traceback\nConnectionError: Failed to resolve", "NOT CHECKED. pip-audit gave no answer: ConnectionError"),
        ("", "", "NOT CHECKED"),
        ("[]", "", "NOT CHECKED"),
    ],
)
def test_what_was_not_checked_is_said_and_is_not_a_failure(output: str, errors: str, words: str) -> None:
    verdict = judge(output, errors)
    assert words in verdict.said
    assert not verdict.is_failure


def test_asking_never_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys  # noqa: PLC0415  # kept beside its only use

    monkeypatch.setattr(vulnerabilities, "_COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(vulnerabilities, "SECONDS", 0.2)
    verdict = vulnerabilities.audit()
    assert "NOT CHECKED" in verdict.said
    assert not verdict.is_failure


@pytest.mark.parametrize("file", ["requirements.in", "requirements-dev.in"])
def test_each_dependency_says_why_it_is_here(file: str) -> None:
    lines = (licences.ROOT / file).read_text(encoding="utf-8").splitlines()
    named = [line for line in lines if line and not line.startswith(("#", "-c"))]
    assert len(named) > 15
    assert [line for line in named if not re.search(r"\s# \w.{10,}", line)] == []


def test_the_page_of_licences_holds_what_is_pinned() -> None:
    assert licences.page() == licences.PAGE.read_text(encoding="utf-8")
    assert len(licences.pinned()) > 40


def test_no_licence_asks_more_than_a_service_can_give() -> None:
    rows = licences.page().splitlines()
    strong = re.compile(r"AGPL|Affero|(?<!L)GPL|(?<!Lesser )General Public|not stated")
    assert [row for row in rows if strong.search(row)] == []
