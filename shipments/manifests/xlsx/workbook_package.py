"""Identify a file without opening a sheet: whether it is an .xlsx, and whether it may be unpacked.

An .xlsx is a zip with certain parts (an "OPC package", ECMA-376 part 2). Only the beginnings of its parts are unpacked
here. The limits are far above any real manifest and stop most zip bombs before a process is started.
"""

import io
import mmap
import re
import shutil
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from base.errors import Translatable
from shipments.errors import WorkbookUnreadable

MAX_PARTS = 1_000
MAX_DIRECTORY_BYTES = 1024**2
MAX_UNPACKED_BYTES = 400_000_000
MAX_RATIO = 50
"""Unpacked to packed. A manifest's sheets pack to between a fifth and a thirtieth."""
RATIO_COUNTS_ABOVE_BYTES = 64 * 1024**2
"""The ratio and this are PyPI's rule for uploaded archives."""

PROLOG_BYTES = 64 * 1024
"""Bytes read of each XML part to see whether it declares a DOCTYPE. The root element of a spreadsheet comes at once."""

PARTS_LIST = ".parts"
"""How the list of a workbook's parts is named beside it."""

_OLE2 = bytes.fromhex("D0CF11E0A1B11AE1")
_ENCRYPTED_FLAG = 0x1
_OTHER_BEGINNINGS = (
    (b"%PDF-", Translatable("a PDF document")),
    (b"PK\x05\x06", Translatable("an empty zip archive")),
    (b"Rar!", Translatable("a RAR archive")),
    (b"7z\xbc\xaf", Translatable("a 7-Zip archive")),
    (b"\x1f\x8b", Translatable("a gzip archive")),
    (b"\x89PNG", Translatable("an image")),
    (b"\xff\xd8\xff", Translatable("an image")),
    (b"{\\rtf", Translatable("an RTF document")),
)
_HTML_MARKS = (b"<html", b"<!doctype html", b"<table", b"mime-version:")

# A part that only this kind of package has -> what the file is.
_OTHER_PACKAGES = (
    ("xl/workbook.bin", Translatable("a binary Excel workbook (.xlsb)")),
    ("content.xml", Translatable("an OpenDocument file (.ods)")),
    ("index/document.iwa", Translatable("an Apple Numbers file")),
    ("word/document.xml", Translatable("a Word document (.docx)")),
    ("ppt/presentation.xml", Translatable("a PowerPoint presentation (.pptx)")),
)


_NUMBERED = re.compile(r"(^|/)(workbook|sharedStrings|styles)[0-9]+(\.xml|\.xml\.rels)$", re.IGNORECASE)

# What zipfile has been seen to raise for a damaged or hostile directory.
_ZIPFILE_TROUBLES = (zipfile.BadZipFile, EOFError, NotImplementedError, OverflowError, ValueError, struct.error)


class _Sparing(io.FileIO):
    """A file that refuses to be read in one large piece, which is how zipfile reads a zip's directory."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY_BYTES:
            raise _too_many_parts()
        return super().read(size)


def check_package(path: Path) -> None:
    """Check that the file is an .xlsx within the limits.

    Raises WorkbookUnreadable, with what the file is and what to do about it.
    """
    with path.open("rb") as file:
        beginning = file.read(4096)
    if not beginning:
        raise WorkbookUnreadable("The manifest is empty (0 bytes); send the .xlsx file again.")
    if beginning.startswith(_OLE2):
        raise _refuse_ole2(path)
    if not beginning.startswith(b"PK\x03\x04"):
        raise _other(_kind_of_file(beginning))
    parts = _parts(path)
    _check_kind([_fold(part.filename) for part in parts])
    _check_bounds(parts, packed_bytes=path.stat().st_size)
    _check_prologs(path)


def place(path: Path, folder: Path) -> Path:
    """Put a checked workbook into the folder in the form that its readers need, and return its path.

    Raises WorkbookUnreadable, for a directory that can be read but not written again.

    calamine chooses its reader by the file name's extension, which comes from the sender, so the file is linked under
    another name. It also looks for workbook.xml, sharedStrings.xml and styles.xml by name, while Excel for the web may
    write workbook22.xml. In that case the file is copied with a new directory; the part names in front of the contents
    do not count. Beside it is a list of its parts for `parts.Package`.
    """
    placed = folder / "workbook.xlsx"
    parts = _parts(path)
    usual_names = _usual_names(parts)
    listed = "".join(
        f"{part.header_offset} {part.compress_type} {part.compress_size} {part.CRC} {part.file_size} {name}\n"
        for part in parts
        if (name := _fold(usual_names.get(part.filename, part.filename)).lstrip("/")).isprintable()
    )
    placed.with_suffix(PARTS_LIST).write_text(listed, encoding="utf-8")
    if not usual_names:
        placed.symlink_to(path.absolute())
        return placed
    shutil.copyfile(path, placed)
    try:
        with zipfile.ZipFile(placed, "a") as package:
            for part in package.infolist():
                part.filename = usual_names.get(part.filename, part.filename)
            package.comment = b"renamed"  # makes zipfile write a new directory
    except _ZIPFILE_TROUBLES as error:
        raise _damaged() from error
    return placed


def _usual_names(parts: list[zipfile.ZipInfo]) -> dict[str, str]:
    """Return the usual name of each numbered part, if no other part has the same usual name."""
    usual_names = {part.filename: _NUMBERED.sub(r"\1\2\3", part.filename) for part in parts}
    wanted = Counter(_fold(name) for name in usual_names.values())
    return {name: usual for name, usual in usual_names.items() if usual != name and wanted[_fold(usual)] == 1}


def _refuse_ole2(path: Path) -> WorkbookUnreadable:
    """Identify an OLE2 file: Excel uses that container both for old workbooks and for those with a password."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        is_encrypted = content.find("EncryptedPackage".encode("utf-16-le")) != -1
        is_excel = any(content.find(stream.encode("utf-16-le")) != -1 for stream in ("Workbook", "Book"))
    if is_encrypted:
        return WorkbookUnreadable("The manifest is protected with a password; save it as .xlsx without a password.")
    if is_excel:
        return _other(Translatable("a legacy Excel workbook (.xls)"))
    return _other(Translatable("a legacy Office file"))


def _other(kind: Translatable) -> WorkbookUnreadable:
    return WorkbookUnreadable(
        Translatable(
            "The manifest is %(kind)s, not an .xlsx workbook; open it in Excel or LibreOffice and save it as .xlsx.",
            kind=kind,
        )
    )


def _kind_of_file(beginning: bytes) -> Translatable:
    for magic, kind in _OTHER_BEGINNINGS:
        if beginning.startswith(magic):
            return kind
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Translatable("a text file")
    text = beginning.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if any(mark in text for mark in _HTML_MARKS):
        return Translatable("a web page (HTML)")
    if text.startswith(b"<"):
        return Translatable("an XML document")
    if b"\0" not in text:
        return Translatable("a text or CSV file")
    return Translatable("another kind of file")


def _parts(path: Path) -> list[zipfile.ZipInfo]:
    try:
        with _Sparing(path) as file, zipfile.ZipFile(file) as package:
            return package.infolist()
    except (*_ZIPFILE_TROUBLES, OSError) as error:
        raise _damaged() from error


def _fold(name: str) -> str:
    """Part names are compared without case (ECMA-376 part 2, 6.2.2.3); some writers use backslashes."""
    return name.replace("\\", "/").lower()


def _check_kind(names: Collection[str]) -> None:
    if "[content_types].xml" in names and any(re.search(r"(^|/)workbook[0-9]*\.xml$", name) for name in names):
        return
    for mark, kind in _OTHER_PACKAGES:
        if mark in names:
            raise _other(kind)
    if any(name.endswith((".xlsx", ".xls")) for name in names):
        raise WorkbookUnreadable("The manifest is a zip archive with a workbook inside; send the .xlsx file itself.")
    raise WorkbookUnreadable("The manifest is a zip archive that holds no Excel workbook; send an .xlsx file.")


def _check_bounds(parts: list[zipfile.ZipInfo], packed_bytes: int) -> None:
    if len(parts) > MAX_PARTS:
        raise _too_many_parts()
    if len({_fold(part.filename) for part in parts}) < len(parts):
        raise WorkbookUnreadable(
            "The manifest is damaged (two parts of one name); open it in Excel or LibreOffice and save it as .xlsx "
            "again."
        )
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


def _check_prologs(path: Path) -> None:
    """Refuse a part that declares a DOCTYPE: spreadsheet programs neither write nor open one."""
    try:
        with zipfile.ZipFile(path) as package:
            for part in package.infolist():
                if not _fold(part.filename).endswith(_XML_ENDINGS):
                    continue
                with package.open(part) as content:
                    prolog = content.read(_FIRST_BYTES)
                    if not _has_root(prolog):
                        prolog += content.read(PROLOG_BYTES)
                if _DOCTYPE.search(_markup(prolog)) or (len(prolog) > PROLOG_BYTES and not _has_root(prolog)):
                    sentence = Translatable(
                        "The manifest's part %(part)r declares a DOCTYPE or has no content at its beginning, which no "
                        "spreadsheet program writes; open it in Excel or LibreOffice and save it as .xlsx again.",
                        part=part.filename[:80],
                    )
                    raise WorkbookUnreadable(sentence)
    except (*_ZIPFILE_TROUBLES, OSError, RuntimeError, zlib.error):
        return  # a part that cannot be unpacked is reported by its reader


def _has_root(prolog: bytes) -> bool:
    return _ROOT.search(_markup(prolog)) is not None


def _markup(prolog: bytes) -> bytes:
    """The beginning of a part without comments and instructions, one byte per character if it is in UTF-16."""
    return _MISC.sub(b"", prolog.replace(b"\0", b"") if b"\0" in prolog[:4] else prolog)


_XML_ENDINGS = (".xml", ".rels", ".vml")
_FIRST_BYTES = 1024
_MISC = re.compile(rb"<!--(?:.*?-->|.*)|<\?(?:.*?\?>|.*)", re.DOTALL)  # one that is not closed is all that follows
_ROOT = re.compile(rb"<[^!?\s]")
_DOCTYPE = re.compile(rb"^[^<]*<!DOCTYPE", re.IGNORECASE)


def _too_many_parts() -> WorkbookUnreadable:
    return WorkbookUnreadable(
        Translatable(
            "The manifest has more than %(most)s parts inside; copy the table into a new workbook and send that.",
            most=MAX_PARTS,
        )
    )


def _damaged() -> WorkbookUnreadable:
    return WorkbookUnreadable(
        "The manifest is damaged or was cut off on its way: its zip directory cannot be read. Send the file again, or "
        "open it in Excel or LibreOffice and save it as .xlsx again."
    )
