"""The child process that reads workbooks: its exit codes, its limits, and that it never outlives its parent."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from base.errors import DomainError
from shipments.errors import ParserBusy, WorkbookUnreadable
from shipments.manifests.xlsx import opening, workbook_child
from shipments.manifests.xlsx.opening import reading
from tests.shipments.manifests import hostile
from tests.shipments.manifests.hostile import row, workbook_parts
from tests.shipments.manifests.xlsx_files import rows_of

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")

PROJECT = Path(__file__).parents[4]
Becomes = Callable[[str], None]


@pytest.fixture
def good(xlsx: Path) -> Path:
    return hostile.pack(xlsx, workbook_parts(row("HAWB1")))


@pytest.fixture
def child_becomes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Becomes:
    """Have another script run in the child's place."""

    def become(script: str) -> None:
        stand_in = tmp_path / "stand_in.py"
        stand_in.write_text(f"import os, signal, sys, time\nsys.path.insert(0, {str(PROJECT)!r})\n{script}\n")
        monkeypatch.setattr(opening, "_CHILD", str(stand_in))

    return become


def refusal_of(path: Path) -> DomainError:
    with pytest.raises((WorkbookUnreadable, ParserBusy)) as refused, reading(path):
        pass
    return refused.value


# --- how a child may end ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "refusal", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", WorkbookUnreadable, "too large when unpacked"),
        ("os.kill(os.getpid(), signal.SIGXCPU)", WorkbookUnreadable, "too large when unpacked"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", WorkbookUnreadable, "its content is damaged"),
        ("raise SystemExit(3)", WorkbookUnreadable, "its content is damaged"),
        ("os.write(1, b'bad \\x1b[1m cell'); raise SystemExit(3)", WorkbookUnreadable, "(bad [1m cell)"),
        ("raise SystemExit(0)", WorkbookUnreadable, "interrupted"),
        ("os.write(1, b'[1,[2]]\\n' * 9)", WorkbookUnreadable, "interrupted"),
        ("os.write(1, b'[[00000000000000000000')", WorkbookUnreadable, "interrupted"),
        ("raise SystemExit(5)", ParserBusy, "send the upload again"),
        ("os.kill(os.getpid(), signal.SIGTERM)", ParserBusy, "send the upload again"),
    ],
)
def test_every_end_of_the_child_is_a_plain_refusal(
    good: Path, child_becomes: Becomes, script: str, refusal: type[DomainError], reason: str
) -> None:
    child_becomes(script)
    refused = refusal_of(good)
    assert type(refused) is refusal
    assert reason in refused.message


def test_a_child_that_is_told_that_its_time_is_up_says_how_far_it_came(good: Path, child_becomes: Becomes) -> None:
    child_becomes("""
from shipments.manifests.xlsx import workbook_child

def write(sent, opened, mended, output, seen):
    seen.rows, seen.longest = 7, 32_767
    output.write(b"half a row")
    os.kill(os.getpid(), signal.SIGXCPU)
    time.sleep(3600)

sys.path.append(sys.argv[1])
workbook_child.write_workbook = write
os._exit(workbook_child.run(sys.argv[3]))
""")
    refused = refusal_of(good)
    assert "too long to read: 7 rows, longest cell 32767 characters" in refused.message


def test_a_child_that_never_ends_is_ended(good: Path, child_becomes: Becomes, monkeypatch: pytest.MonkeyPatch) -> None:
    child_becomes("time.sleep(3600)")
    monkeypatch.setattr(opening, "WALL_SECONDS", 0.1)
    assert "too large when unpacked" in refusal_of(good).message


def test_an_exception_in_the_waiting_parent_leaves_no_child(good: Path, child_becomes: Becomes) -> None:
    child_becomes("time.sleep(3600)")

    def interrupt(*_: object) -> None:
        raise InterruptedError("a worker told to stop")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(InterruptedError), reading(good):
            pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- a machine with nothing to spare ----------------------------------------------------------------------------


def failing(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("what", "number"),
    [("subprocess.Popen", errno.EAGAIN), ("subprocess.Popen", errno.ENOMEM), ("tempfile.TemporaryFile", errno.EMFILE),
     ("tempfile.mkdtemp", errno.ENOSPC)],
)  # fmt: skip
def test_no_process_or_disk_to_spare_is_busy_and_not_the_senders_fault(
    good: Path, monkeypatch: pytest.MonkeyPatch, what: str, number: int
) -> None:
    monkeypatch.setattr(what, failing(OSError(number, os.strerror(number))))
    assert type(refusal_of(good)) is ParserBusy


def test_no_thread_to_spare_is_busy_and_leaves_no_child(
    good: Path, child_becomes: Becomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    child_becomes("time.sleep(3600)")
    monkeypatch.setattr(threading.Timer, "start", failing(RuntimeError("can't start new thread")))
    assert type(refusal_of(good)) is ParserBusy


def test_a_broken_installation_is_not_called_a_broken_workbook(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FileNotFoundError), reading(good):
        pass


def test_a_full_disk_under_the_output_is_distinguished_from_a_large_workbook(good: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, workbook_child.__file__, "/nowhere", str(os.getpid()), str(good)],
            stdout=full,
            check=False,
        )
    assert ended.returncode == workbook_child.NO_ROOM


# --- what the child may use -------------------------------------------------------------------------------------


def test_the_child_knows_none_of_our_secrets(
    good: Path, child_becomes: Becomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "secret")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    child_becomes("os.write(1, ' '.join(sorted(os.environ)).encode()); raise SystemExit(3)")
    assert "(LC_ALL LD_LIBRARY_PATH RUST_BACKTRACE)" in refusal_of(good).message


def test_the_child_limits_itself_and_cannot_lift_a_limit_it_was_born_with() -> None:
    script = """if True:
        import resource, sys
        from shipments.manifests.xlsx import workbook_child
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
        workbook_child.limit_resources()
        for kind in ("AS", "CPU", "FSIZE", "NOFILE", "CORE"):
            print(resource.getrlimit(getattr(resource, f"RLIMIT_{kind}")))
    """
    told = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True)
    limits = [(2**30, 2**30), (20, 21), (128 * 2**20, 128 * 2**20), (32, 32), (0, 0)]
    assert told.stdout.splitlines() == [*map(str, limits)]


# --- life and death ---------------------------------------------------------------------------------------------


def test_many_threads_read_at_once(tmp_path: Path) -> None:
    paths = [hostile.pack(tmp_path / f"{n}.xlsx", workbook_parts(row(f"HAWB{n}"))) for n in range(8)]
    with ThreadPoolExecutor(max_workers=4) as pool:
        assert list(pool.map(rows_of, paths)) == [[[(1, [f"HAWB{n}"])]] for n in range(8)]


def is_alive(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_a_child_does_not_outlive_its_killed_parent() -> None:
    child = (
        "import os, sys, time; from shipments.manifests.xlsx import workbook_child; "
        "workbook_child.die_with(int(sys.argv[1])); print(os.getpid(), flush=True); time.sleep(3600)"
    )
    parent = (
        "import os, subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1], str(os.getpid())], check=False)"
    )
    command = [sys.executable, "-c", parent, child]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        child_id = int(process.stdout.readline())
        assert is_alive(child_id)
        process.kill()
    while is_alive(child_id):  # for ever, were it not for the kernel: the suite's time limit would end this
        time.sleep(0.01)


def test_a_child_whose_parent_was_gone_before_it_looked_ends(good: Path) -> None:
    not_the_parent = os.getppid()
    command = [sys.executable, workbook_child.__file__, "/nowhere", str(not_the_parent), str(good)]
    assert subprocess.run(command, check=False).returncode == workbook_child.NO_ROOM
