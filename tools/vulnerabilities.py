"""Known vulnerabilities of what we run on, as pip-audit knows them.

python -m tools.vulnerabilities

fails when one is found. Where the advisory service cannot be reached, or knows nothing of our packages, it says so and
does not fail: a check that was not made is neither good news nor a broken build.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILES = ("requirements.txt", "requirements-dev.txt")
SECONDS = 120
_COMMAND = (
    sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--format", "json",
    "--progress-spinner", "off", "--timeout", "10",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said, and whether it is a failure."""

    said: str
    is_failure: bool = False


def audit() -> Verdict:
    """Ask; never longer than `SECONDS`."""
    command = [*_COMMAND, *(part for file in FILES for part in ("-r", file))]
    try:
        finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return Verdict(f"Known vulnerabilities: NOT CHECKED. No answer within {SECONDS} seconds.")
    return judge(finished.stdout, finished.stderr)


def judge(output: str, errors: str) -> Verdict:
    """What pip-audit's JSON means; `errors` tells why, where there is none."""
    try:
        dependencies: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        why = (errors.strip().splitlines() or ["it said nothing"])[-1]
        return Verdict(f"Known vulnerabilities: NOT CHECKED. pip-audit gave no answer: {why[:300]}")
    found = [
        f"  {each['name']} {each['version']}: {flaw['id']}, mended in {', '.join(flaw['fix_versions']) or 'no version'}"
        for each in dependencies
        for flaw in each.get("vulns", ())
    ]
    skipped = sorted(each["name"] for each in dependencies if "skip_reason" in each)
    if found:
        return Verdict("\n".join(["Known vulnerabilities: FOUND.", *found]), is_failure=True)
    if len(skipped) == len(dependencies):
        return Verdict("Known vulnerabilities: NOT CHECKED. The advisory service knows none of our packages.")
    unknown = f" Not known there: {', '.join(skipped)}." if skipped else ""
    return Verdict(f"Known vulnerabilities: none in {len(dependencies) - len(skipped)} packages.{unknown}")


if __name__ == "__main__":
    verdict = audit()
    sys.stdout.write(verdict.said + "\n")
    sys.exit(1 if verdict.is_failure else 0)
