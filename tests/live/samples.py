"""The shell samples of a page, run one after the other as a reader would paste them."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_STATUS = re.compile(r"^HTTP status (\d{3})$", re.MULTILINE)


@dataclass(frozen=True)
class Sample:
    """A shell sample. announced: the refusal that the text after it begins with, such as `404 not_found`."""

    text: str
    announced: frozenset[int]


@dataclass(frozen=True)
class Ran:
    """What became of a sample: what it printed, and the status of each answer that its curls got."""

    sample: Sample
    printed: str
    statuses: tuple[int, ...]


def shell_samples(page: str) -> list[Sample]:
    """The blocks marked `sh`, in their order."""
    found = []
    for match in FENCE.finditer(page):
        if match[1] == "sh":
            following = re.sub(FENCE, "", page[match.end() :]).lstrip()
            found.append(Sample(match[2], frozenset(map(int, re.findall(r"\A`([45]\d\d) ", following)))))
    return found


def run_samples(
    page: str, place: Path, replaced: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> list[Ran]:
    """Run the samples of a page in one shell, in `place`; variables last from one to the next.

    replaced: text of the page -> what stands there for this run, such as the service's address. environment: the
    shell's. Raises `AssertionError` when a command fails, or an answer is a refusal that the page does not announce.
    """
    samples = shell_samples(page)
    _counting_curl(place / "bin")
    script = ["set -eu"]
    for number, sample in enumerate(samples):
        text = sample.text
        for old, new in replaced.items():
            text = text.replace(old, new)
        script.append(f"exec >{number}.out 2>{number}.err\n{text}")
    environment = {**environment, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=place, env=environment, check=False, timeout=240)
    ran = []
    for number, sample in enumerate(samples):
        printed, said = ((place / f"{number}.{kind}") for kind in ("out", "err"))
        assert said.exists(), f"{samples[number - 1].text}\nended the shell with {done.returncode}"
        statuses = tuple(map(int, _STATUS.findall(said.read_text(encoding="utf-8"))))
        output = printed.read_text(encoding="utf-8", errors="replace")
        refused = {status for status in statuses if status >= 400}
        assert refused == sample.announced, f"{sample.text}\n{statuses}\n{output}\n{said.read_text(encoding='utf-8')}"
        ran.append(Ran(sample, output, statuses))
    assert done.returncode == 0, (place / f"{len(samples) - 1}.err").read_text(encoding="utf-8")
    return ran


def _counting_curl(place: Path) -> None:
    """A curl that reports the status of each answer beside what it prints."""
    place.mkdir()
    curl = place / "curl"
    real = shlex.quote(str(shutil.which("curl")))
    curl.write_text(f"#!/bin/sh\nexec {real} -w '%{{stderr}}\nHTTP status %{{http_code}}\n' \"$@\"\n")
    curl.chmod(0o755)
