"""Open one workbook and write its cells as JSON: a short-lived process, under limits, without access to secrets.

    python -I -S workbook_child.py FOLDER PARENT WORKBOOK

FOLDER is where python_calamine is installed. The interpreter runs without site-packages: it starts sooner, and no .pth
file runs. PARENT is the process that started this one, WORKBOOK a path that ends in `.xlsx`. Standard output must be a
file that can be rewound. Linux only.

Output: one line for each row that is not empty, `[number, [cell, ...]]`; after the rows of all sheets the index as
`Index` has it, with offsets in bytes and the processor time of this process; finally the offset of the index, in
`TRAILER_BYTES` digits, which shows that the output is complete. Dates and times are objects with one key
(`{"date":"2026-11-20"}`), so they cannot be mistaken for text.

What calamine cannot open is mended as spreadsheet programs mend it, if they do (`mending`), and opened again.

A refusal is the exit status: `UNREADABLE`, with the reason as the only output, `TOO_SLOW`, with the rows that were
written and the characters of the longest cell, `TOO_LARGE` or `NO_ROOM`. A hostile file may also end the process by a
signal: calamine aborts when memory runs out (github.com/tafia/calamine/issues/693), and hears none until it is done.

For a small workbook most of the time is this process's start, so it imports little: `json` alone (it imports `re` and
`enum`) would add a third, `typing` a seventh. Of ours it imports only modules that do the same.
"""

import ctypes
import errno
import os
import resource
import sys
from _signal import SIGXCPU, signal  # type: ignore[import-not-found]  # `signal` itself imports `enum`
from datetime import date, datetime, time, timedelta
from time import process_time

try:
    from _json import encode_basestring as quoted
except ImportError:  # an interpreter without json's accelerator
    from json.encoder import encode_basestring as quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import BinaryIO

    from python_calamine import CalamineSheet

MAX_ROWS = 60_000
"""Rows read from one sheet. More than a manifest may have, so that the manifest's own limit is the one reported."""
MAX_COLUMNS = 256  # as cells.MAX_COLUMNS, which this process does not import
MAX_MERGED = 100_000
MAX_ROW_BYTES = 1024**2
MAX_INDEX_BYTES = 4 * 1024**2
"""Size of one row and of the index as JSON, which the reading process has to hold in memory at once."""

LONGEST_CELL = 2_000  # as cells.LONGEST_CELL
SPREADSHEET_ROWS = 1_048_576
"""Excel's own limits."""
SPREADSHEET_COLUMNS = 16_384

MEMORY_BYTES = 1024**3
CPU_SECONDS = 20
"""After these a signal ends the reading in words, as the parent's own signal does; a second later the kernel kills."""
OUTPUT_BYTES = 128 * 1024**2
OPEN_FILES = 64

UNREADABLE = 3
TOO_LARGE = 4
NO_ROOM = 5
TOO_SLOW = 6

MAX_REASON = 160
TRAILER_BYTES = 20

STANDARD_OUTPUT = 1
PR_SET_PDEATHSIG = 1
SIGKILL = 9

CalamineCell = str | float | bool | date | time | timedelta
Index = list[list[object]]
"""Of each visible sheet: name, start, end, is_cut, merged ranges, and the attributes of its `sheet_marks.Marks`."""


class TooLarge(Exception):
    """More than any real manifest needs."""


class TooSlow(Exception):
    """The time for reading has run out."""


class Seen:
    """What was written so far. longest: characters of the longest cell, before it was cut."""

    rows = 0
    longest = 0


def die_with(parent: int) -> None:
    """Have the kernel end this process as soon as its parent is gone."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        sys.exit(NO_ROOM)


def limit_resources() -> None:
    """Set limits that this process cannot raise again."""
    for kind, most, last in (
        (resource.RLIMIT_AS, MEMORY_BYTES, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + 1),
        (resource.RLIMIT_FSIZE, OUTPUT_BYTES, OUTPUT_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _, hard = resource.getrlimit(kind)
        allowed = last if hard == resource.RLIM_INFINITY else min(last, hard)
        resource.setrlimit(kind, (min(most, allowed), allowed))


def cell_json(cell: CalamineCell) -> str:
    """Return the JSON of what a spreadsheet shows in the cell: of a text its first `LONGEST_CELL` characters.

    Of a longer text blanks are collapsed first. One that is cut ends in an ellipsis: it is longer than any field, so
    that its reader says that it was cut.
    calamine returns an empty cell and an error as "", and every number as a float. NUL is dropped, because databases do
    not accept it. (A lone surrogate cannot occur: calamine's text is Rust's.) A number in the XML that is not finite,
    such as nan or 1e999, becomes an empty cell. A duration (`[h]:mm`) under a day becomes a time of day, a longer one
    the number of days, which is what its cell holds.
    """
    if isinstance(cell, str):
        if len(cell) > LONGEST_CELL and len(cell := " ".join(cell.split(None, LONGEST_CELL))) > LONGEST_CELL:
            cell = f"{cell[:LONGEST_CELL]}…"
        if "\0" in cell:
            cell = cell.replace("\0", "")
        return quoted(cell) if cell else "null"
    if isinstance(cell, float):
        digits = repr(cell)
        if digits.endswith(".0"):
            return digits[:-2]
        return digits if digits[-1].isdigit() else "null"
    if isinstance(cell, (date, time)):
        return f'{{"{type(cell).__name__}":"{cell.isoformat()}"}}'
    if isinstance(cell, timedelta):
        if timedelta(0) <= cell < timedelta(days=1):
            return cell_json((datetime.min + cell).time())  # noqa: DTZ901 - only the time of day is kept
        return cell_json(cell / timedelta(days=1))
    return str(cell).lower()  # True, False or a whole number


def write_rows(sheet: "CalamineSheet", output: "BinaryIO", seen: Seen) -> bool:
    """Write the rows that are not empty; return whether rows or columns past the limits were left out."""
    if sheet.start is None or sheet.end is None:
        return False
    if sheet.end[0] >= SPREADSHEET_ROWS or sheet.end[1] >= SPREADSHEET_COLUMNS:
        raise TooLarge
    margin = ["null"] * sheet.start[1]
    is_cut = False
    written = 0
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if row.count("") == len(row):
            continue
        cells = margin + [cell_json(cell) for cell in row]
        if len(cells) > MAX_COLUMNS:
            is_cut = is_cut or any(cell != "null" for cell in cells[MAX_COLUMNS:])
            del cells[MAX_COLUMNS:]
        while cells and cells[-1] == "null":
            cells.pop()
        if not cells:
            continue
        if written == MAX_ROWS:
            return True
        line = f"[{number},[{','.join(cells)}]]\n".encode()
        if len(line) > MAX_ROW_BYTES:
            raise TooLarge
        output.write(line)
        written += 1
        seen.rows += 1
        if max(map(len, cells)) > seen.longest + 2:  # in quotation marks; a quick exit for most rows
            seen.longest = max(seen.longest, max((len(cell) for cell in row if isinstance(cell, str)), default=0))
    return is_cut


def as_json(value: object) -> str:
    """Return the JSON of a text, a number, or a list of such."""
    if isinstance(value, str):
        return quoted(value.replace("\0", ""))
    if isinstance(value, list | tuple):
        return f"[{','.join(map(as_json, value))}]"
    return str(value).lower()


def write_workbook(sent: str, opened: str, mended: list[str], output: "BinaryIO", seen: Seen) -> None:
    """Write the rows of every visible worksheet, the index, and the offset of the index.

    opened: the workbook that was sent, or a copy of it in which these places were mended.
    """
    from python_calamine import (  # noqa: PLC0415 - found once the command line has said where
        CalamineError,
        CalamineWorkbook,
        SheetTypeEnum,
        SheetVisibleEnum,
    )

    workbook = CalamineWorkbook.from_path(opened)
    if not workbook.sheets_metadata:
        raise CalamineError("no sheets")
    index, hidden = [], []
    for position, about in enumerate(workbook.sheets_metadata):
        if about.typ != SheetTypeEnum.WorkSheet:
            continue
        if about.visible != SheetVisibleEnum.Visible:
            hidden.append(about.name)
            continue
        sheet = workbook.get_sheet_by_index(position)
        start = output.tell()
        is_cut = write_rows(sheet, output, seen)
        ranges = sheet.merged_cell_ranges or []
        merged = [(top + 1, left, bottom + 1, right) for (top, left), (bottom, right) in ranges]
        is_cut = is_cut or len(merged) > MAX_MERGED
        index.append([about.name, start, output.tell(), is_cut, merged[:MAX_MERGED]])
    is_1904 = add_marks(sent, index)
    index_json = as_json([index, hidden, mended, is_1904, [seen.rows, seen.longest, process_time()]]).encode()
    if len(index_json) > MAX_INDEX_BYTES:
        raise TooLarge
    index_start = output.tell()
    output.write(index_json)
    output.write(f"{index_start:0{TRAILER_BYTES}d}".encode())


def add_marks(path: str, index: "Index") -> bool:
    """Add to each sheet of the index what its cells show; return whether dates are counted from 1904."""
    from shipments.manifests.xlsx.parts import TROUBLES, Package  # noqa: PLC0415 - as above
    from shipments.manifests.xlsx.sheet_marks import Marks, Scanner  # noqa: PLC0415

    scanner = None
    package = Package(path)
    try:
        package.open()
        scanner = Scanner(package)
    except TROUBLES:
        pass
    for entry in index:
        marks = scanner.marks(str(entry[0])) if scanner else Marks(is_whole=False)
        entry += [list(marks.words.items()), list(marks.runs.items()), marks.hidden, marks.uncalculated, marks.is_whole]
    return package.is_1904


def refuse(reason: str, status: int = UNREADABLE) -> int:
    """Write the reason as the only output."""
    os.ftruncate(STANDARD_OUTPUT, 0)
    os.pwrite(STANDARD_OUTPUT, reason[:MAX_REASON].encode("ascii", "replace"), 0)
    return status


def stop(_signal: int, _frame: "FrameType | None") -> None:
    raise TooSlow


def run(path: str) -> int:
    """Run and return the exit status."""
    from python_calamine import CalamineError, XmlError  # noqa: PLC0415 - found once the command line has said where

    def attempt(opened: str, mended: list[str]) -> str:
        """Return the reason why calamine cannot open a workbook; empty if it can."""
        try:
            with open(STANDARD_OUTPUT, "wb", closefd=False) as output:
                write_workbook(path, opened, mended, output, seen)
        except XmlError:
            return "its XML is damaged"  # calamine's own messages quote the text around the damage
        except CalamineError as error:
            return str(error) or "its content is damaged"
        except OSError as error:
            if error.errno is None:  # calamine's own: a part of the zip could not be unpacked
                return str(error) or "its content is damaged"
            raise
        return ""

    seen = Seen()
    try:
        signal(SIGXCPU, stop)
        reason = attempt(path, [])
        if reason and (mended := mend(path)):
            os.ftruncate(STANDARD_OUTPUT, 0)
            os.lseek(STANDARD_OUTPUT, 0, os.SEEK_SET)
            seen = Seen()
            reason = attempt(*mended)
    except TooSlow:
        return refuse(f"{seen.rows} {seen.longest}", TOO_SLOW)
    except (TooLarge, MemoryError):
        return TOO_LARGE
    except OSError as error:
        return TOO_LARGE if error.errno == errno.EFBIG else NO_ROOM
    return refuse(reason) if reason else 0


def mend(path: str) -> tuple[str, list[str]] | None:
    """Return a mended copy of a workbook and what was mended; None if no spreadsheet program would open it either."""
    from shipments.manifests.xlsx.mending import write_mended_copy  # noqa: PLC0415 - rarely needed, and imports more
    from shipments.manifests.xlsx.parts import TROUBLES  # noqa: PLC0415

    try:
        return write_mended_copy(path)
    except TROUBLES as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        return None


if __name__ == "__main__":
    folder, parent, workbook = sys.argv[1:]
    die_with(int(parent))
    limit_resources()
    sys.path += [folder, __file__.rsplit("/", 4)[0]]
    os._exit(run(workbook))  # there is nothing to clean up, and freeing a large sheet takes time
