"""What a file is, told without opening a sheet of it: is it an .xlsx, and may it be unpacked?

An .xlsx is a zip with certain parts (an "OPC package", ECMA-376 part 2). Only the zip's own directory is read here;
nothing is unpacked. The bounds are far above any honest manifest and keep most bombs from costing even a process.
"""

import io
import mmap
import re
import shutil
import struct
import zipfile
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from shipments.errors import WorkbookUnreadable

MAX_PARTS = 1_000
MAX_DIRECTORY_BYTES = 1024**2
MAX_UNPACKED_BYTES = 400_000_000
MAX_RATIO = 50
"""Unpacked to packed. A manifest's sheets pack to between a fifth and a thirtieth."""
RATIO_COUNTS_ABOVE_BYTES = 64 * 1024**2
"""The ratio and this are PyPI's rule for uploaded archives."""

_OLE2 = bytes.fromhex("D0CF11E0A1B11AE1")
_ENCRYPTED_FLAG = 0x1
_SAVE_AS_XLSX = "open it in Excel or LibreOffice and save it as .xlsx"

_OTHER_BEGINNINGS = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"{\\rtf", "an RTF document"),
)
_HTML_MARKS = (b"<html", b"<!doctype html", b"<table", b"mime-version:")

# A part that only this kind of package has -> what the file is.
_OTHER_PACKAGES = (
    ("xl/workbook.bin", "a binary Excel workbook (.xlsb)"),
    ("content.xml", "an OpenDocument file (.ods)"),
    ("index/document.iwa", "an Apple Numbers file"),
    ("word/document.xml", "a Word document (.docx)"),
    ("ppt/presentation.xml", "a PowerPoint presentation (.pptx)"),
)


_NUMBERED = re.compile(r"(^|/)(workbook|sharedStrings|styles)[0-9]+(\.xml|\.xml\.rels)$", re.IGNORECASE)

# What zipfile is seen to raise for a directory that is damaged or was made to hurt.
_ZIPFILE_TROUBLES = (
    zipfile.BadZipFile,
    EOFError,
    NotImplementedError,
    OverflowError,
    ValueError,
    struct.error,
)


class _Sparing(io.FileIO):
    """A file that refuses to be read in one large piece, as zipfile reads the whole of a zip's directory."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY_BYTES:
            raise _too_many_parts()
        return super().read(size)


def check_package(path: Path) -> None:
    """Return if the file is an .xlsx within bounds.

    Raises WorkbookUnreadable, saying what the file is and what to do about it.
    """
    with path.open("rb") as file:
        beginning = file.read(4096)
    if not beginning:
        raise WorkbookUnreadable("The manifest is empty (0 bytes); send the .xlsx file again.")
    if beginning.startswith(_OLE2):
        raise _refuse_ole2(path)
    if not beginning.startswith(b"PK\x03\x04"):
        raise WorkbookUnreadable(f"The manifest is {_kind_of_file(beginning)}, not an .xlsx workbook; {_SAVE_AS_XLSX}.")
    parts = _parts(path)
    _check_kind([_folded(part.filename) for part in parts])
    _check_bounds(parts, packed_bytes=path.stat().st_size)


def place(path: Path, folder: Path) -> Path:
    """Put a checked workbook into the folder as calamine wants it, and return where it is.

    Raises WorkbookUnreadable, for a directory that can be read but not written again.

    calamine chooses its reader by the ending of the file's name, which is the sender's; and it looks for workbook.xml,
    sharedStrings.xml and styles.xml by name, where Excel for the web may write workbook22.xml. The first takes a link;
    the second a copy with another directory behind it, as a part's name in front of its content counts for nothing.
    """
    placed = folder / "workbook.xlsx"
    if not _usual_names(_parts(path)):
        placed.symlink_to(path.absolute())
        return placed
    shutil.copyfile(path, placed)
    try:
        _rename_parts(placed)
    except _ZIPFILE_TROUBLES as error:
        raise _damaged() from error
    return placed


def _rename_parts(copy: Path) -> None:
    with zipfile.ZipFile(copy, "a") as package:
        usual_names = _usual_names(package.infolist())
        for part in package.infolist():
            part.filename = usual_names.get(part.filename, part.filename)
        package.comment = b"renamed"  # has zipfile write the directory anew


def _usual_names(parts: list[zipfile.ZipInfo]) -> dict[str, str]:
    """Return the usual name of each numbered part that is the only one to want it."""
    usual_names = {part.filename: _NUMBERED.sub(r"\1\2\3", part.filename) for part in parts}
    wanted = Counter(_folded(name) for name in usual_names.values())
    return {name: usual for name, usual in usual_names.items() if usual != name and wanted[_folded(usual)] == 1}


def _refuse_ole2(path: Path) -> WorkbookUnreadable:
    """Tell what an OLE2 file is: Excel keeps both an old workbook and one with a password in that container."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        is_encrypted = content.find("EncryptedPackage".encode("utf-16-le")) != -1
        is_excel = any(content.find(stream.encode("utf-16-le")) != -1 for stream in ("Workbook", "Book"))
    if is_encrypted:
        return WorkbookUnreadable("The manifest is protected with a password; save it as .xlsx without a password.")
    if is_excel:
        return WorkbookUnreadable(f"The manifest is a legacy Excel workbook (.xls); {_SAVE_AS_XLSX}.")
    return WorkbookUnreadable(f"The manifest is a legacy Office file, not an .xlsx workbook; {_SAVE_AS_XLSX}.")


def _kind_of_file(beginning: bytes) -> str:
    for magic, kind in _OTHER_BEGINNINGS:
        if beginning.startswith(magic):
            return kind
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "a text file"
    text = beginning.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if any(mark in text for mark in _HTML_MARKS):
        return "a web page (HTML)"
    if text.startswith(b"<"):
        return "an XML document"
    if b"\0" not in text:
        return "a text or CSV file"
    return "another kind of file"


def _parts(path: Path) -> list[zipfile.ZipInfo]:
    try:
        with _Sparing(path) as file, zipfile.ZipFile(file) as package:
            return package.infolist()
    except (*_ZIPFILE_TROUBLES, OSError) as error:
        raise _damaged() from error


def _folded(name: str) -> str:
    """Part names are equal without case (ECMA-376 part 2, 6.2.2.3); some writers use backslashes."""
    return name.replace("\\", "/").lower()


def _check_kind(names: Collection[str]) -> None:
    if "[content_types].xml" in names and any(re.search(r"(^|/)workbook[0-9]*\.xml$", name) for name in names):
        return
    for mark, kind in _OTHER_PACKAGES:
        if mark in names:
            raise WorkbookUnreadable(f"The manifest is {kind}, not an .xlsx workbook; {_SAVE_AS_XLSX}.")
    if any(name.endswith((".xlsx", ".xls")) for name in names):
        raise WorkbookUnreadable("The manifest is a zip archive with a workbook inside; send the .xlsx file itself.")
    raise WorkbookUnreadable("The manifest is a zip archive that holds no Excel workbook; send an .xlsx file.")


def _check_bounds(parts: list[zipfile.ZipInfo], packed_bytes: int) -> None:
    if len(parts) > MAX_PARTS:
        raise _too_many_parts()
    if len({_folded(part.filename) for part in parts}) < len(parts):
        raise WorkbookUnreadable(f"The manifest is damaged (two parts of one name); {_SAVE_AS_XLSX} again.")
    if any(part.flag_bits & _ENCRYPTED_FLAG for part in parts):
        raise WorkbookUnreadable("The manifest's parts are encrypted; save it as .xlsx without a password.")
    unpacked_bytes = sum(part.file_size for part in parts)
    if unpacked_bytes > MAX_UNPACKED_BYTES or (
        unpacked_bytes > RATIO_COUNTS_ABOVE_BYTES and unpacked_bytes > MAX_RATIO * packed_bytes
    ):
        raise WorkbookUnreadable(
            "The manifest is too large when unpacked; delete what is outside the table, such as formatted empty rows "
            "and pictures, or copy the table into a new workbook."
        )


def _too_many_parts() -> WorkbookUnreadable:
    return WorkbookUnreadable(
        f"The manifest has more than {MAX_PARTS} parts inside; copy the table into a new workbook and send that."
    )


def _damaged() -> WorkbookUnreadable:
    return WorkbookUnreadable(
        "The manifest is damaged or was cut off on its way: its zip directory cannot be read. Send the file again, or "
        f"{_SAVE_AS_XLSX} again."
    )
