"""Every sample of every page that clients read, run against a live service: shell, Python and TypeScript."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.samples import FENCE, run_samples
from tests.live.server import ROOT, Server
from tests.live.test_operators import access

pytestmark = pytest.mark.live

NAMES = ("README", "docs/quickstart", "docs/workbooks", "docs/json", "docs/guides", "docs/webhooks", "docs/reference")
PAGES = [ROOT / f"{name}.md" for name in NAMES]
SANDBOX = ROOT / "docs" / "sandbox.md"
"""Its samples are run in `test_sandbox.py`."""
PASSWORD = "PREALERTS_PASSWORD"


@pytest.fixture
def word(companies: Iterator[dict[str, str]]) -> str:
    return next(companies)["Authorization"].split()[1]


@pytest.fixture(scope="module")
def worker(service: Server) -> Iterator[None]:
    """For the sample that waits for a job."""
    command = [sys.executable, "manage.py", "work"]
    process = subprocess.Popen(command, cwd=ROOT, env=service.environment, stderr=subprocess.DEVNULL)
    yield
    process.terminate()
    process.wait()


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_shell_sample_works_as_it_stands_and_for_the_next_reader(
    page: Path, service: Server, word: str, tmp_path: Path
) -> None:
    text = page.read_text(encoding="utf-8")
    replaced = {"http://127.0.0.1:8000": service.address, "pa_live_...": word}
    if "API=" not in text:
        text = f"{SET_UP}\n{text}"
    for reader in ("first", "second"):
        (tmp_path / reader).mkdir()
        (tmp_path / reader / "docs").symlink_to(ROOT / "docs")  # the README's are for a checkout
        run_samples(text, tmp_path / reader, replaced)


def test_the_samples_of_carriers_and_operators_programs_work_as_they_stand(service: Server, tmp_path: Path) -> None:
    client_id, secret = access(service, "a reader")
    service.manage(
        "create_carrier", "andes", "--name", "Andes", "--adapter", "canonical", "--scheme", "hmac",
        "--source", "carrier", "--countries", "CL", "--secret", "andes-example-secret-0001",
    )  # fmt: skip
    replaced = {"https://prealerts.example.com": service.address, "oa_7": client_id, "pa_op_...": secret}
    for name in ("carriers", "operators-api"):
        (tmp_path / name).mkdir()
        ran = run_samples((ROOT / "docs" / f"{name}.md").read_text("utf-8"), tmp_path / name, replaced)
        assert ran[-1].statuses == (200,)


SET_UP = re.findall(r"^```sh\n.*?^```$", (ROOT / "docs/quickstart.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)[0]
"""The variables of the quick start."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_samples_in_python_work_as_they_stand(page: Path, service: Server, word: str, tmp_path: Path) -> None:
    """One after the other, as one program; a receiver, which waits for ever, has a test of its own."""
    program = "\n".join(blocks(page, "python", without="serve_forever"))
    if not program:
        pytest.skip("the page has none")
    for name in ("manifest-CL.xlsx", "manifest-CL-mistakes.xlsx", "pre-alert-CL.json"):
        (tmp_path / name).symlink_to(ROOT / "docs" / "examples" / name)
    path = str(ROOT / "clients" / "python" / "src")
    environment = {**os.environ, "PREALERTS_ADDRESS": service.address, PASSWORD: word, "PYTHONPATH": path}
    for _reader in ("first", "second"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            check=False,
            timeout=120,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr


def blocks(page: Path, language: str, without: str) -> list[str]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [text for info, text in found if info == language and without not in text]


@pytest.mark.parametrize("page", [*PAGES, SANDBOX], ids=lambda page: page.name)
def test_samples_are_marked_and_have_one_name_for_the_password(page: Path) -> None:
    for info, text in FENCE.findall(page.read_text(encoding="utf-8")):
        assert info == "sh" or not re.search(r"^\s*curl ", text, re.MULTILINE), text
        names = set(re.findall(r"\$\{?(\w*PASSWORD)\b|environ\[\"(\w*PASSWORD)\"|env\.(\w*PASSWORD)", text))
        assert {name for group in names for name in group if name} <= {PASSWORD}, text
