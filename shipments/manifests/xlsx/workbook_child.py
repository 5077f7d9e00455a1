"""Open one workbook and write its cells as JSON: a short-lived process, under limits, without access to secrets.

    python -I -S workbook_child.py FOLDER PARENT WORKBOOK

FOLDER is where python_calamine is installed. The interpreter runs without site-packages: it starts sooner, and no .pth
file runs. PARENT is the process that started this one, WORKBOOK a path that ends in `.xlsx`. Standard output must be a
file that can be rewound. Linux only.

Output: one line for each row that is not empty, `[number, [cell, ...]]`; after the rows of all sheets the index,
`[[[name, start, end, is_cut, merged ranges], ...], [name of a hidden sheet, ...]]`, with offsets in bytes; finally the
offset of the index, in `TRAILER_BYTES` digits, which shows that the output is complete. Dates and times are objects
with one key (`{"date":"2026-11-20"}`), so they cannot be mistaken for text.

A refusal is the exit status: `UNREADABLE`, with the reason as the only output, `TOO_LARGE` or `NO_ROOM`. A hostile file
may also end the process by a signal: calamine aborts when memory runs out (github.com/tafia/calamine/issues/693).

For a small workbook most of the time is this process's start, so it imports little: `json` alone (it imports `re` and
`enum`) would add a third, `typing` a seventh.
"""

import ctypes
import errno
import os
import resource
import sys
from datetime import date, datetime, time, timedelta

try:
    from _json import encode_basestring as quoted
except ImportError:  # an interpreter without json's accelerator
    from json.encoder import encode_basestring as quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from python_calamine import CalamineSheet

MAX_ROWS = 60_000
"""Rows read from one sheet. More than a manifest may have, so that the manifest's own limit is the one reported."""
MAX_COLUMNS = 256  # as cells.MAX_COLUMNS: this process imports nothing of ours
MAX_MERGED = 100_000
MAX_ROW_BYTES = 1024**2
MAX_INDEX_BYTES = 4 * 1024**2
"""Size of one row and of the index as JSON, which the reading process has to hold in memory at once."""

MAX_TEXT = 32_767
"""Characters in one cell: Excel's own limit, as are the two below."""
SPREADSHEET_ROWS = 1_048_576
SPREADSHEET_COLUMNS = 16_384

MEMORY_BYTES = 1024**3
CPU_SECONDS = 20
OUTPUT_BYTES = 128 * 1024**2
OPEN_FILES = 64

UNREADABLE = 3
TOO_LARGE = 4
NO_ROOM = 5

MAX_REASON = 160
TRAILER_BYTES = 20

STANDARD_OUTPUT = 1
PR_SET_PDEATHSIG = 1
SIGKILL = 9

CalamineCell = str | float | bool | date | time | timedelta


class TooLarge(Exception):
    """More than any real manifest needs."""


def die_with(parent: int) -> None:
    """Have the kernel end this process as soon as its parent is gone."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        sys.exit(NO_ROOM)


def limit_resources() -> None:
    """Set limits that this process cannot raise again."""
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, OUTPUT_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, allowed))


def cell_json(cell: CalamineCell) -> str:
    """Return the JSON of what a spreadsheet shows in the cell.

    calamine returns an empty cell and an error as "", and every number as a float. NUL is dropped, because databases do
    not accept it. (A lone surrogate cannot occur: calamine's text is Rust's.) A number in the XML that is not finite,
    such as nan or 1e999, becomes an empty cell. A duration (`[h]:mm`) under a day becomes a time of day, a longer one
    the number of days, which is what its cell holds.
    """
    if isinstance(cell, str):
        if len(cell) > MAX_TEXT or "\0" in cell:
            cell = cell[:MAX_TEXT].replace("\0", "")
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


def write_rows(sheet: "CalamineSheet", output: "BinaryIO") -> bool:
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
    return is_cut


def index_entry(sheet: "CalamineSheet", start: int, end: int, *, is_cut: bool) -> str:
    merged = sheet.merged_cell_ranges or []
    is_cut = is_cut or len(merged) > MAX_MERGED
    ranges = (f"[{top + 1},{left},{bottom + 1},{right}]" for (top, left), (bottom, right) in merged[:MAX_MERGED])
    name = quoted(sheet.name.replace("\0", ""))
    return f"[{name},{start},{end},{str(is_cut).lower()},[{','.join(ranges)}]]"


def write_workbook(path: str, output: "BinaryIO") -> None:
    """Write the rows of every visible worksheet, the index, and the offset of the index."""
    from python_calamine import (  # noqa: PLC0415 - found once the command line has said where
        CalamineError,
        CalamineWorkbook,
        SheetTypeEnum,
        SheetVisibleEnum,
    )

    workbook = CalamineWorkbook.from_path(path)
    if not workbook.sheets_metadata:
        raise CalamineError("no sheets")
    index, hidden = [], []
    for position, about in enumerate(workbook.sheets_metadata):
        if about.typ != SheetTypeEnum.WorkSheet:
            continue
        if about.visible != SheetVisibleEnum.Visible:
            hidden.append(quoted(about.name.replace("\0", "")))
            continue
        sheet = workbook.get_sheet_by_index(position)
        start = output.tell()
        is_cut = write_rows(sheet, output)
        index.append(index_entry(sheet, start, output.tell(), is_cut=is_cut))
    index_json = f"[[{','.join(index)}],[{','.join(hidden)}]]".encode()
    if len(index_json) > MAX_INDEX_BYTES:
        raise TooLarge
    index_start = output.tell()
    output.write(index_json)
    output.write(f"{index_start:0{TRAILER_BYTES}d}".encode())


def refuse(reason: str) -> int:
    """Write the reason as the only output."""
    os.ftruncate(STANDARD_OUTPUT, 0)
    os.pwrite(STANDARD_OUTPUT, reason[:MAX_REASON].encode("ascii", "replace"), 0)
    return UNREADABLE


def run(path: str) -> int:
    """Run and return the exit status."""
    from python_calamine import (  # noqa: PLC0415 - found once the command line has said where
        CalamineError,
        XmlError,
    )

    try:
        with open(STANDARD_OUTPUT, "wb", closefd=False) as output:
            write_workbook(path, output)
    except (TooLarge, MemoryError):
        return TOO_LARGE
    except XmlError:
        return refuse("its XML is damaged")  # calamine's own messages quote the text around the damage
    except CalamineError as error:
        return refuse(str(error))
    except OSError as error:
        if error.errno is None:  # calamine's own: a part of the zip could not be unpacked
            return refuse(str(error))
        return TOO_LARGE if error.errno == errno.EFBIG else NO_ROOM
    return 0


if __name__ == "__main__":
    folder, parent, workbook = sys.argv[1:]
    die_with(int(parent))
    limit_resources()
    sys.path.append(folder)
    os._exit(run(workbook))  # there is nothing to clean up, and freeing a large sheet takes time
