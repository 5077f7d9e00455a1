"""Open an .xlsx safely: whatever the file contains, this process gets rows or a plain refusal.

First the zip's directory is checked (`workbook_package`). Then, in a slot of the machine's (`parse_slots`), a
short-lived child process opens the workbook under limits of memory, time and output (`workbook_child`) and writes the
cells to an unnamed temporary file, from which they are read back row by row. A hostile workbook can make any parser
abort or run forever; here it affects only the child. Child and reader together have one `ReadingTime`.
"""

import errno
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, time as time_of_day
from pathlib import Path
from time import monotonic, sleep, thread_time
from typing import BinaryIO, Final

import structlog

from base.errors import Translatable
from shipments.errors import ParserBusy, ReadingTooLong, WorkbookUnreadable
from shipments.manifests.cells import Row, Sheet, Workbook
from shipments.manifests.xlsx import workbook_child
from shipments.manifests.xlsx.number_formats import format_number
from shipments.manifests.xlsx.parse_slots import parse_slot
from shipments.manifests.xlsx.workbook_package import check_package, place

log = structlog.get_logger(__name__)

WALL_SECONDS = 40
"""Twice the limit of processor time, to allow for a busy machine."""


class ReadingTime:
    """The time of one reading: `CPU_SECONDS` of processor for the child and this thread, `WALL_SECONDS` by the clock.

    rows, longest: what `ReadingTooLong` says, as far as it is known.
    """

    def __init__(self) -> None:
        self.rows = self.longest = 0
        self._began_at = monotonic()
        self._processor_ends_at = thread_time() + workbook_child.CPU_SECONDS

    def measure_seconds(self) -> float:
        """Return the seconds by the clock."""
        return monotonic() - self._began_at

    def spend(self, seconds: float) -> None:
        """Count the processor time of another process."""
        self._processor_ends_at -= seconds

    def check(self) -> None:
        """Raises `ReadingTooLong` if no time is left."""
        if thread_time() > self._processor_ends_at or self.measure_seconds() > WALL_SECONDS:
            raise ReadingTooLong(self.rows, self.longest)


@contextmanager
def reading(
    path: Path,
    *,
    for_company: int | None = None,
    wait_seconds: float = 30,
    is_upload: bool = False,
    observe: Callable[[float], object] | None = None,
) -> Iterator[Workbook]:
    """Give the workbook's visible sheets; rows can be read, in this thread, until the context ends.

    for_company, wait_seconds, is_upload: as in `parse_slot`. A reading leaves a slot to uploads unless it is one.
    observe: is told the seconds that the reading took, however it ended, without the wait for a slot.

    Raises WorkbookUnreadable, with the reason and how to fix it, for any problem in the file, `ReadingTooLong` also
    while rows are read; ParserBusy when no slot is released in time or the machine is short of processes, memory or
    disk; OSError when the file does not exist.
    """
    check_package(path)
    with parse_slot(for_company, wait_seconds, is_upload=is_upload):
        time = ReadingTime()
        try:
            with _busy_when_nothing_is_spare():
                output = tempfile.TemporaryFile(prefix="workbook-")  # noqa: SIM115 - closed below
            with output:
                status = _run_child(path, output)
                if status != 0:
                    log.info("workbook_refused", status=status)
                    raise _refusal(status, output)
                yield _workbook(output, time)
        finally:
            if observe:
                observe(time.measure_seconds())


# --- the child --------------------------------------------------------------------------------------------------

_CHILD = workbook_child.__file__

# Text that calamine quotes from the file: it may be part of a row, and a message may be logged.
_QUOTED = re.compile(r"\"[^\"]*(\"|$)|`[^`]*(`|$)")

_TOO_LARGE_SIGNALS = (signal.SIGABRT, signal.SIGKILL, signal.SIGXCPU, signal.SIGXFSZ)
_STOPPED_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_NOTHING_TO_SPARE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT)


@contextmanager
def _busy_when_nothing_is_spare() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NOTHING_TO_SPARE:
            raise ParserBusy from error
        raise


def _run_child(path: Path, output: BinaryIO) -> int:
    """Return the child's exit status; a negative one is the signal that ended it."""
    with _busy_when_nothing_is_spare(), tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        placed = place(path, Path(folder))
        child = subprocess.Popen(  # noqa: S603 - our own script; the path is an argument, never a command
            [sys.executable, "-I", "-S", _CHILD, _folder_of_calamine(), str(os.getpid()), str(placed)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env=_child_environment(),
        )
        return _wait(child)


def _folder_of_calamine() -> str:
    found = importlib.util.find_spec("python_calamine")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("python_calamine is not installed")
    return str(Path(found.origin).parent.parent)


def _child_environment() -> dict[str, str]:
    """An environment without this process's secrets. A shared libpython may need the path of its libraries."""
    environment = {"LC_ALL": "C.UTF-8", "RUST_BACKTRACE": "0"}
    if libraries := os.environ.get("LD_LIBRARY_PATH"):
        environment["LD_LIBRARY_PATH"] = libraries
    return environment


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Wait for the child and reap it. `Popen.wait` with a timeout would sleep past the end of a short one."""

    def end() -> None:
        child.send_signal(signal.SIGXCPU)  # on which it says how far it came, unless it is deep in calamine
        sleep(1)
        child.kill()

    deadline = threading.Timer(WALL_SECONDS, end)
    try:
        deadline.start()
        return child.wait()
    except RuntimeError as error:  # no thread available
        raise ParserBusy from error
    finally:
        deadline.cancel()
        child.kill()
        child.wait()


def _refusal(status: int, output: BinaryIO) -> WorkbookUnreadable | ParserBusy:
    """Raise the error that the child's exit status means for the sender."""
    if status == workbook_child.NO_ROOM or -status in _STOPPED_SIGNALS:
        return ParserBusy()
    if status == workbook_child.TOO_LARGE or -status in _TOO_LARGE_SIGNALS:
        return WorkbookUnreadable(
            "The manifest is too large when unpacked, or a stray cell far below or beside the table stretches a sheet. "
            "Delete what is outside the table, or copy the table into a new workbook."
        )
    message = os.pread(output.fileno(), workbook_child.MAX_REASON, 0).decode("ascii", "replace")
    if status == workbook_child.TOO_SLOW:
        rows, _, longest = message.partition(" ")
        return ReadingTooLong(int(rows), int(longest))
    reason: str = Translatable("its content is damaged")
    if status == workbook_child.UNREADABLE:
        reason = "".join(filter(str.isprintable, _QUOTED.sub("...", message))) or reason
    return _unreadable(reason)


def _unreadable(reason: str) -> WorkbookUnreadable:
    return WorkbookUnreadable(
        Translatable(
            "The manifest cannot be read as a workbook (%(reason)s). Open it in Excel or LibreOffice and save it as "
            ".xlsx again.",
            reason=reason,
        )
    )


# --- the child's output -----------------------------------------------------------------------------------------

_BLOCK_BYTES: Final = 256 * 1024
_MOST_KEPT_BYTES: Final = 2 * 1024 * 1024
"""Output of a child whose rows stay in memory, some ten times as large, once they have been read: 5,000 guides."""
_ROWS_AT_ONCE: Final = 64
"""Rows that are read between two looks at the time."""
_LONGEST_SIGN: Final = 6
_MOMENTS: dict[str, Callable[[str], date | time_of_day]] = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time_of_day.fromisoformat,
}


def _moment(cell: dict[str, str]) -> date | time_of_day:
    ((kind, text),) = cell.items()
    return _MOMENTS[kind](text)


_decode = json.JSONDecoder(object_hook=_moment).decode


class _Rows:
    """The rows between two offsets of the child's output. Each iteration reads them again, unless they are kept.

    runs: as `sheet_marks.Marks` has them.
    """

    def __init__(
        self,
        output: BinaryIO,
        start: int,
        end: int,
        runs: Mapping[int, list[tuple[int, str]]],
        time: ReadingTime,
        *,
        are_kept: bool,
    ) -> None:
        self._output = output
        self._time = time
        self._start = start
        self._end = end
        self._runs = [(column, [row for row, _ in of_column], of_column) for column, of_column in runs.items()]
        self._are_kept = are_kept
        self._kept: list[Row] | None = None

    def __iter__(self) -> Iterator[Row]:
        if self._are_kept and self._kept is None:
            self._kept = [row for rows in self._read() for row in rows]
        for rows in self._read() if self._kept is None else [self._kept]:
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                self._time.check()
                yield from rows[start : start + _ROWS_AT_ONCE]

    def _read(self) -> Iterator[list[Row]]:
        for block in self._blocks():
            rows = map(tuple, _decode(block.decode()))
            yield [*map(self._as_shown, rows)] if self._runs else [*rows]

    def _as_shown(self, row: Row) -> Row:
        number, cells = row[0], list(row[1])
        for column, starts, of_column in self._runs:
            cell = cells[column] if column < len(cells) else None
            if type(cell) is int:
                code = of_column[max(bisect_right(starts, number) - 1, 0)][1]
                cells[column] = (format_number(cell, code) or cell) if code else cell
        return number, cells

    def _blocks(self) -> Iterator[bytes]:
        """Give whole lines, many at once, as one JSON array. A line break occurs only at the end of a line."""
        position, rest = self._start, b""
        while position < self._end:
            # pread does not use the file's position, so any number of iterations may run at once.
            read = os.pread(self._output.fileno(), min(_BLOCK_BYTES, self._end - position), position)
            position += len(read)
            lines, _, rest = (rest + read).rpartition(b"\n")
            yield b"[" + lines.replace(b"\n", b",") + b"]"


def _workbook(output: BinaryIO, time: ReadingTime) -> Workbook:
    index_end = os.fstat(output.fileno()).st_size - workbook_child.TRAILER_BYTES
    try:
        index_start = int(os.pread(output.fileno(), workbook_child.TRAILER_BYTES, index_end))
        written = json.loads(os.pread(output.fileno(), index_end - index_start, index_start))
        index, hidden, mended, is_1904, (time.rows, time.longest, seconds) = written
        time.spend(seconds)
    except (OSError, ValueError) as error:  # status 0 but incomplete output
        raise _unreadable(Translatable("its reader was interrupted")) from error
    if mended:
        log.info("workbook_mended", places=len(mended))
    sheets = (
        Sheet(
            name=name,
            rows=_Rows(output, start, end, dict(runs), time, are_kept=index_start <= _MOST_KEPT_BYTES),
            merged=tuple(map(tuple, merged)),
            is_cut=is_cut,
            may_be_misread=_may_be_misread(output, start, end),
            formats=dict(words),
            identifiers=frozenset(column for column, _ in runs),
            hidden_rows=tuple(hidden_rows),
            uncalculated=frozenset(map(tuple, uncalculated)),
            is_seen_whole=is_whole,
        )
        for name, start, end, is_cut, merged, words, runs, hidden_rows, uncalculated, is_whole in index
    )
    return Workbook(tuple(sheets), tuple(hidden), tuple(mended), is_1904)


# Every misread text has one of these: the first byte of a UTF-8 letter as Windows-1252, MacRoman and code page 850 show
# it, followed by another non-ASCII character or preceded by a small letter; or the replacement character.
_LEADS = "ÂÃÄÅâäåæï¬√ƒ≈‚┬├"
_MISREAD = re.compile(f"(?:{'|'.join(_LEADS)})".encode() + rb"[\x80-\xff]|[a-z]" + "Ã|\ufffd".encode())
_MAY_HOLD_MISREAD = tuple(letter.encode() for letter in (*_LEADS, "\ufffd"))
_ASCII = bytes(range(0x80))


def _may_be_misread(output: BinaryIO, start: int, end: int) -> bool:
    """Search the bytes of a sheet for such a sequence."""
    position = start
    while position < end:
        read = os.pread(output.fileno(), min(_BLOCK_BYTES, end - position), position)
        letters = read.translate(None, _ASCII)  # accented letters are few: looking through them alone is quick
        if any(sign in letters for sign in _MAY_HOLD_MISREAD) and _MISREAD.search(read):
            return True
        position += max(len(read) - _LONGEST_SIGN, 1)  # a sequence may cross two blocks
    return False
