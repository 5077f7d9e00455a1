"""Workbooks made to hurt whoever opens them, built in milliseconds.

A gigabyte costs nothing to pack when it repeats itself: one block is deflated to a byte boundary and written down as
often as it takes. Nothing is checked on the way, so that a package may lie about its sizes, its names and its flags.
"""

import random
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

MEGABYTE = 1_000_000

CONTENT_TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/></Types>"""
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
_SHEET_HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
_SHEET_TAIL = "</sheetData></worksheet>"


@dataclass(frozen=True)
class Part:
    """One member of a zip as it is going to be written, true or not."""

    name: str
    packed: bytes
    unpacked_size: int
    crc: int
    method: int = zlib.DEFLATED
    flags: int = 0


def part(name: str, content: str | bytes) -> Part:
    return repeated(name, content, "", 0, "")


def repeated(name: str, head: str | bytes, unit: str | bytes, times: int, tail: str | bytes = "") -> Part:
    """Return a part that unpacks to head + unit x times + tail; past half a gigabyte without its true checksum."""
    head, unit, tail = (text.encode() if isinstance(text, str) else text for text in (head, unit, tail))
    per_block = max(1, MEGABYTE // max(1, len(unit)))
    blocks, rest = divmod(times, per_block)
    block = unit * per_block
    size = len(head) + len(unit) * times + len(tail)
    crc = 0
    if size < 500 * MEGABYTE:
        for piece in (head, *[block] * blocks, unit * rest, tail):
            crc = zlib.crc32(piece, crc)
    packed = _deflated(head) + _deflated(block) * blocks + _deflated(unit * rest) + _deflated(tail, is_last=True)
    return Part(name, packed, size, crc)


def _deflated(content: bytes, *, is_last: bool = False) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(content) + deflate.flush(zlib.Z_FINISH if is_last else zlib.Z_FULL_FLUSH)


def pack(path: Path, parts: Iterable[Part], *, before: bytes = b"") -> Path:
    """Write a zip with `before` prepended and all offsets adjusted."""
    directory = bytearray()
    count = 0
    with path.open("wb") as file:
        file.write(before)
        for each in parts:
            name = each.name.encode()
            crc_and_sizes = struct.pack("<3L", each.crc, len(each.packed), each.unpacked_size & 0xFFFFFFFF)
            about = struct.pack("<2H4x", each.flags, each.method) + crc_and_sizes + struct.pack("<2H", len(name), 0)
            directory += b"PK\x01\x02" + struct.pack("<2H", 20, 20) + about
            directory += struct.pack("<3H2L", 0, 0, 0, 0, file.tell()) + name
            file.write(b"PK\x03\x04" + struct.pack("<H", 20) + about + name)
            file.write(each.packed)
            count += 1
        start = file.tell()
        file.write(directory)
        file.write(
            b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, count & 0xFFFF, count & 0xFFFF, len(directory), start, 0)
        )
    return path


def workbook_parts(*sheets: Part | str, shared_strings: Part | str = "", more: Iterable[Part] = ()) -> list[Part]:
    """Return the parts of a workbook whose sheets hold the given rows (XML), or are the given parts."""
    names = [f"worksheets/sheet{number}.xml" for number in range(1, len(sheets) + 1)]
    listed = "".join(f'<sheet name="Sheet{n}" sheetId="{n}" r:id="rId{n}"/>' for n in range(1, len(sheets) + 1))
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="{name}"/>'
        for n, name in enumerate(names, start=1)
    )
    parts = [
        part("[Content_Types].xml", CONTENT_TYPES),
        part(
            "_rels/.rels",
            f'<Relationships xmlns="{_RELATIONSHIPS}"><Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        ),
        part(
            "xl/workbook.xml",
            f'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{_OFFICE}">'
            f"<sheets>{listed}</sheets></workbook>",
        ),
        part("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_RELATIONSHIPS}">{related}</Relationships>'),
    ]
    for name, sheet in zip(names, sheets, strict=True):
        whole = sheet if isinstance(sheet, Part) else part("", _SHEET_HEAD + sheet + _SHEET_TAIL)
        parts.append(replace(whole, name=f"xl/{name}"))
    if shared_strings:
        whole = shared_strings if isinstance(shared_strings, Part) else part("", shared_strings)
        parts.append(replace(whole, name="xl/sharedStrings.xml"))
    return [*parts, *more]


def sheet_of(unit: str, times: int, *, before: str = "", after: str = "") -> Part:
    """Return a worksheet whose rows are one piece of XML over and over."""
    return repeated("", _SHEET_HEAD + before, unit, times, after + _SHEET_TAIL)


def row(*cells: str, number: int | None = None) -> str:
    """Return a row of inline texts."""
    position = f' r="{number}"' if number else ""
    return f"<row{position}>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in cells) + "</row>"


def ballast(megabytes: int) -> Part:
    """Return a part that does not pack, with which a bomb hides its ratio."""
    noise = random.Random(1).randbytes(megabytes * MEGABYTE)  # noqa: S311 - noise, not a secret
    return Part("xl/media/image1.png", noise, len(noise), zlib.crc32(noise), method=0)


def mutants(good: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Give copies of a file, each with a few bytes changed, cut out, doubled or moved."""
    chance = random.Random(seed)  # noqa: S311 - the same mutants every time
    for _ in range(count):
        yield _mutant(good, chance)


def _mutant(good: bytes, chance: random.Random) -> bytes:
    mutant = bytearray(good)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(mutant))
        piece = mutant[at : at + chance.randint(1, 40)]
        match chance.randrange(5):
            case 0:
                mutant[at] = chance.randrange(256)
            case 1:
                mutant[at] ^= 1 << chance.randrange(8)
            case 2 if len(mutant) > 2 * len(piece):
                del mutant[at : at + len(piece)]
            case 3:
                mutant[at:at] = piece * chance.randint(1, 30)
            case _:
                to = chance.randrange(len(mutant))
                mutant[to : to + len(piece)] = piece
    return bytes(mutant)
