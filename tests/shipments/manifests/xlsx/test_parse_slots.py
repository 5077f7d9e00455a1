"""As many workbooks at once as there are cores, whoever asks: threads, processes, and processes that died."""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from shipments.errors import ParserBusy
from shipments.manifests.xlsx import parse_slots
from shipments.manifests.xlsx.parse_slots import parse_slot, usable_cores

PROJECT = Path(__file__).parents[4]
HOLD_A_SLOT = (
    "import tempfile, sys; tempfile.tempdir = sys.argv[1]; "
    "from shipments.manifests.xlsx import parse_slots; parse_slots.usable_cores = lambda: 1; "
    "slot = parse_slots.parse_slot(); slot.__enter__(); print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Slots of this test's own: those of the machine may be in use."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_slots, "usable_cores", lambda: 1)


@pytest.fixture
def other_process(temporary: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the one slot until its standard input is closed."""
    command = [sys.executable, "-c", HOLD_A_SLOT, str(temporary)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=PROJECT, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_there_are_as_many_slots_as_usable_cores() -> None:
    with ExitStack() as held:
        for _ in range(usable_cores()):
            held.enter_context(parse_slot(wait_seconds=0))
        with pytest.raises(ParserBusy), parse_slot(wait_seconds=0):
            pass
    with parse_slot(wait_seconds=0):
        pass


def test_cores_taken_from_this_process_are_not_counted() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("one_core")
def test_a_slot_is_given_back_when_reading_fails() -> None:
    with pytest.raises(ZeroDivisionError), parse_slot(wait_seconds=0):
        raise ZeroDivisionError
    with parse_slot(wait_seconds=0):
        pass


@pytest.mark.usefixtures("one_core")
def test_one_who_waits_gets_the_slot_when_it_comes_free() -> None:
    got_it, tried = threading.Event(), threading.Event()

    def wait() -> None:
        tried.set()
        with parse_slot(wait_seconds=60):
            got_it.set()

    waiting = threading.Thread(target=wait)
    with parse_slot(wait_seconds=0):
        waiting.start()
        tried.wait()
        assert not got_it.wait(0.1)
    waiting.join()
    assert got_it.is_set()


@pytest.mark.usefixtures("one_core")
def test_never_more_than_one_of_many_threads_holds_the_one_slot() -> None:
    inside, most, served = [0], [0], [0]

    def read() -> None:
        with parse_slot(wait_seconds=60):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            served[0] += 1
            threading.Event().wait(0.001)
            inside[0] -= 1

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, served) == ([1], [8])


@pytest.mark.usefixtures("one_core")
def test_another_process_counts_too(other_process: subprocess.Popen[str]) -> None:
    with pytest.raises(ParserBusy), parse_slot(wait_seconds=0.05):
        pass
    other_process.communicate()
    with parse_slot(wait_seconds=60):
        pass


@pytest.mark.usefixtures("one_core")
def test_the_kernel_gives_back_the_slot_of_a_killed_process(other_process: subprocess.Popen[str]) -> None:
    other_process.kill()
    other_process.wait()
    with parse_slot(wait_seconds=60):
        pass


@pytest.mark.usefixtures("one_core")
def test_a_process_forked_while_a_slot_is_held_does_not_keep_it() -> None:
    with parse_slot(wait_seconds=0):
        forked = os.fork()
        if forked == 0:
            threading.Event().wait()
    try:
        with parse_slot(wait_seconds=0):
            pass
    finally:
        os.kill(forked, 9)
        os.waitpid(forked, 0)


def slots_directory(temporary: Path) -> Path:
    return temporary / f"prealerts-parse-slots-{os.geteuid()}"


def test_the_slots_are_for_this_user_alone(temporary: Path) -> None:
    with parse_slot(wait_seconds=0):
        assert slots_directory(temporary).stat().st_mode & 0o777 == 0o700


def open_to_others(directory: Path) -> None:
    directory.mkdir()
    directory.chmod(0o777)


def link_elsewhere(directory: Path) -> None:
    elsewhere = directory.with_name("elsewhere")
    elsewhere.mkdir(mode=0o700)
    directory.symlink_to(elsewhere)


def link_to_nothing(directory: Path) -> None:
    directory.symlink_to("nothing")


@pytest.mark.parametrize("made", [open_to_others, link_elsewhere, link_to_nothing, Path.touch])
def test_a_directory_somebody_else_prepared_is_refused_aloud(temporary: Path, made: Callable[[Path], None]) -> None:
    made(slots_directory(temporary))
    with pytest.raises(PermissionError, match="TMPDIR"), parse_slot(wait_seconds=0):
        pass


def test_a_directory_that_belongs_to_somebody_else_is_refused_aloud(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody_else = os.geteuid() + 1
    slots_directory(temporary).with_name(f"prealerts-parse-slots-{somebody_else}").mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: somebody_else)
    with pytest.raises(PermissionError, match="belongs to this user alone"), parse_slot(wait_seconds=0):
        pass


def test_a_slot_file_that_is_a_link_is_not_followed(temporary: Path) -> None:
    directory = slots_directory(temporary)
    directory.mkdir(mode=0o700)
    for number in range(usable_cores()):
        (directory / f"{number}.lock").symlink_to(temporary / "precious")
    with pytest.raises(OSError, match="symbolic links"), parse_slot(wait_seconds=0):
        pass
    assert not (temporary / "precious").exists()


def test_holding_a_slot_leaves_no_descriptor_open() -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = descriptors()
    with ExitStack() as held:
        for _ in range(usable_cores()):
            held.enter_context(parse_slot(wait_seconds=0))
        with pytest.raises(ParserBusy):
            held.enter_context(parse_slot(wait_seconds=0))
    assert descriptors() == before
