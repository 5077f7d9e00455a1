"""As many workbooks at once as there are cores, whoever asks, and whose turn it is: threads, processes, dead ones."""

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
from tests.webhooks.running import wait_until

PROJECT = Path(__file__).parents[4]
HOLD_A_SLOT = (
    "import tempfile, sys; tempfile.tempdir = sys.argv[1]; "
    "from shipments.manifests.xlsx import parse_slots; parse_slots.usable_cores = lambda: 1; "
    "slot = parse_slots.parse_slot(1); slot.__enter__(); print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Slots of this test's own: those of the machine may be in use."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(parse_slots, "DIRECTORY", "prealerts-parse-slots")
    return tmp_path


@pytest.fixture
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    number: int = getattr(request, "param", 1)
    monkeypatch.setattr(parse_slots, "usable_cores", lambda: number)
    return number


one_two_and_four = pytest.mark.parametrize("cores", [1, 2, 4], indirect=True)


def is_free(company: int | None = None, *, is_upload: bool = False) -> bool:
    """Whether a reading would get a slot at once."""
    try:
        with parse_slot(company, 0, is_upload=is_upload):
            return True
    except ParserBusy:
        return False


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
        for company in range(usable_cores()):
            held.enter_context(parse_slot(company, 0, is_upload=True))
        assert not is_free(99, is_upload=True)
    assert is_free(99, is_upload=True)


# --- whose turn it is -------------------------------------------------------------------------------------------


@one_two_and_four
def test_a_company_holds_at_most_half_of_the_slots_and_at_least_one(cores: int) -> None:
    with ExitStack() as held:
        for _ in range(max(1, cores // 2)):
            held.enter_context(parse_slot(1, 0, is_upload=True))
        assert not is_free(1, is_upload=True)
        assert is_free(2, is_upload=True) is (cores > 1)
        assert is_free() is (cores > 1)


@one_two_and_four
def test_what_is_no_upload_leaves_a_slot_to_uploads_unless_there_is_only_one(cores: int) -> None:
    with ExitStack() as held:
        for company in range(max(1, cores - 1)):
            held.enter_context(parse_slot(company, 0))
        assert not is_free(98)
        assert not is_free()
        assert is_free(99, is_upload=True) is (cores > 1)
    with parse_slot(1, 0, is_upload=True):  # begins with the slot that is left to it
        assert is_free() is (cores > 1)


def reading_in_a_thread(company: int, order: list[int]) -> threading.Thread:
    def read() -> None:
        with parse_slot(company, 60, is_upload=True):
            order.append(company)

    thread = threading.Thread(target=read)
    thread.start()
    return thread


def is_waiting(temporary: Path, company: int) -> bool:
    found = parse_slots._readers(slots_directory(temporary)).get(str(company))
    return found is not None and found.usable > 0


@one_two_and_four
def test_the_company_that_just_had_a_slot_lets_one_that_waits_go_first(cores: int, temporary: Path) -> None:
    order: list[int] = []
    half = max(1, cores // 2)
    with ExitStack() as held, ExitStack() as first:
        first.enter_context(parse_slot(1, 0, is_upload=True))
        for company in (*[1] * (half - 1), *[3] * (cores - half)):
            held.enter_context(parse_slot(company, 0, is_upload=True))
        threads = [reading_in_a_thread(company, order) for company in (1, 1, 1, 1, 1, 1, 1, 1, 2)]
        wait_until(lambda: is_waiting(temporary, 2))
        first.close()
        wait_until(lambda: bool(order))
        assert order[0] == 2
    for thread in threads:
        thread.join()
    assert sorted(order) == [1] * 8 + [2]


@pytest.mark.usefixtures("cores")
def test_one_that_was_killed_while_it_waited_is_not_waited_for(temporary: Path) -> None:
    assert is_free(1, is_upload=True)
    gone = slots_directory(temporary) / "2-1.waiting"
    gone.touch()
    os.utime(gone, (0, 0))
    assert is_free(1, is_upload=True)
    assert not gone.exists()


@pytest.mark.parametrize("cores", [2], indirect=True)
@pytest.mark.usefixtures("cores")
def test_one_that_has_its_share_is_not_waited_for(temporary: Path) -> None:
    with parse_slot(2, 0, is_upload=True):
        assert is_free(1, is_upload=True)
        second = reading_in_a_thread(2, [])
        wait_until(lambda: is_waiting(temporary, 2))
        assert is_free(1, is_upload=True)
    second.join()


def test_cores_taken_from_this_process_are_not_counted() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("cores")
def test_a_slot_is_given_back_when_reading_fails() -> None:
    with pytest.raises(ZeroDivisionError), parse_slot(wait_seconds=0):
        raise ZeroDivisionError
    with parse_slot(wait_seconds=0):
        pass


@pytest.mark.usefixtures("cores")
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


@pytest.mark.usefixtures("cores")
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


@pytest.mark.usefixtures("cores")
def test_another_process_counts_too(other_process: subprocess.Popen[str]) -> None:
    with pytest.raises(ParserBusy), parse_slot(wait_seconds=0.05):
        pass
    other_process.communicate()
    with parse_slot(wait_seconds=60):
        pass


@pytest.mark.usefixtures("cores")
def test_the_kernel_gives_back_the_slot_of_a_killed_process(other_process: subprocess.Popen[str]) -> None:
    other_process.kill()
    other_process.wait()
    with parse_slot(wait_seconds=60):
        pass


@pytest.mark.usefixtures("cores")
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
    (directory / "0.lock").symlink_to(temporary / "precious")
    with pytest.raises(OSError, match="symbolic links"), parse_slot(wait_seconds=0):
        pass
    assert not (temporary / "precious").exists()


def test_holding_a_slot_leaves_no_descriptor_open() -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = descriptors()
    with ExitStack() as held:
        for company in range(usable_cores()):
            held.enter_context(parse_slot(company, 0, is_upload=True))
        with pytest.raises(ParserBusy):
            held.enter_context(parse_slot(wait_seconds=0))
    assert descriptors() == before
