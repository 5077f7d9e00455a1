"""Malicious and damaged files: each gives rows or a plain refusal, and leaves nothing behind."""

import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from shipments.errors import WorkbookUnreadable
from shipments.manifests.cells import LONGEST_CELL, Row
from shipments.manifests.xlsx.opening import reading
from tests.shipments.manifests import hostile
from tests.shipments.manifests.hostile import MEGABYTE, Part, part, repeated, row, sheet_of, workbook_parts
from tests.shipments.manifests.xlsx_files import rows_of

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")

GOOD_ROW = row("HAWB1", "Maria")
GOOD_ROWS: list[list[Row]] = [[(1, ["HAWB1", "Maria"])]]
CORNERS = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


def refusal_of(path: Path) -> str:
    with pytest.raises(WorkbookUnreadable) as refused, reading(path):
        pass
    return refused.value.message


# --- files that are something else ------------------------------------------------------------------------------

OLE2 = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(1016)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (OLE2 + "EncryptedPackage".encode("utf-16-le") + bytes(400), "without a password"),
        (OLE2 + "Workbook".encode("utf-16-le") + bytes(400), "legacy Excel workbook"),
        (OLE2[:8], "legacy Office file"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
        (b"\n<!DOCTYPE html>\n<html><table><tr><td>HAWB</td></tr></table></html>", "a web page"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><Workbook/>", "an XML document"),
        ("guía;peso\nH1;1,5\n".encode(), "a text or CSV file"),
        ("guía;peso\nH1;1,5\n".encode("utf-16"), "a text file"),
        (b"{\\rtf1 HAWB}", "an RTF document"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        (zlib.compress(b"HAWB", wbits=31), "a gzip archive"),
        (b"PK\x05\x06" + bytes(18), "an empty zip archive"),
        (b"\x00\x01\x02\x03", "another kind of file"),
        (b"PK\x03\x04", "damaged or was cut off"),
    ],
)
def test_a_file_of_another_kind_is_called_by_its_name(xlsx: Path, content: bytes, reason: str) -> None:
    xlsx.write_bytes(content)
    assert reason in refusal_of(xlsx)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["mimetype", "content.xml", "META-INF/manifest.xml"], "(.ods)"),
        (["[Content_Types].xml", "word/document.xml"], "(.docx)"),
        (["[Content_Types].xml", "xl/workbook.bin"], "(.xlsb)"),
        (["Index/Document.iwa"], "Apple Numbers"),
        (["Manifiesto Noviembre.XLSX"], "with a workbook inside"),
        (["xl/workbook.xml"], "no Excel workbook"),
    ],
)
def test_a_zip_of_another_kind_is_called_by_its_name(xlsx: Path, names: list[str], reason: str) -> None:
    hostile.pack(xlsx, [part(name, "<x/>") for name in names])
    assert reason in refusal_of(xlsx)


def test_a_workbook_behind_the_beginning_of_a_pdf_is_a_pdf(xlsx: Path) -> None:
    hostile.pack(xlsx, workbook_parts(GOOD_ROW), before=b"%PDF-1.4\n%\xe2\xe3\n")
    assert zipfile.is_zipfile(xlsx)
    assert "a PDF document" in refusal_of(xlsx)


@pytest.mark.parametrize("kept", [0.2, 0.999])
def test_a_workbook_cut_off_on_its_way_is_refused(xlsx: Path, kept: float) -> None:
    content = hostile.pack(xlsx, workbook_parts(GOOD_ROW)).read_bytes()
    xlsx.write_bytes(content[: int(len(content) * kept)])
    assert "cut off" in refusal_of(xlsx)


def test_a_file_that_is_not_there_is_our_own_mistake_and_not_the_senders(xlsx: Path) -> None:
    with pytest.raises(FileNotFoundError), reading(xlsx):
        pass


# --- packages that lie ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([*workbook_parts(GOOD_ROW), part("xl/WORKBOOK.xml", "<x/>")], "two parts of one name"),
        ([*workbook_parts(GOOD_ROW), part("xl\\workbook.xml", "<x/>")], "two parts of one name"),
        ([*workbook_parts(GOOD_ROW), *workbook_parts(GOOD_ROW)], "two parts of one name"),
        ([replace(each, flags=1) for each in workbook_parts(GOOD_ROW)], "without a password"),
        ([*workbook_parts(GOOD_ROW), *(part(f"x{n}", "") for n in range(1000))], "more than 1000 parts"),
        (workbook_parts(replace(sheet_of(GOOD_ROW, 1_000_000), unpacked_size=1_000)), "cannot be read as a workbook"),
        (workbook_parts(replace(sheet_of(GOOD_ROW, 1), unpacked_size=300 * MEGABYTE)), "too large when unpacked"),
        (workbook_parts(replace(sheet_of(GOOD_ROW, 1), crc=1)), "cannot be read as a workbook"),
        (workbook_parts(replace(sheet_of(GOOD_ROW, 1), packed=b"\xff" * 99)), "cannot be read as a workbook"),
    ],
)
def test_a_package_that_lies_is_refused(xlsx: Path, parts: list[Part], reason: str) -> None:
    assert reason in refusal_of(hostile.pack(xlsx, parts))


def test_a_directory_of_sixty_thousand_parts_is_not_even_read(xlsx: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = part("", "")
    monkeypatch.setattr("zipfile.ZipInfo", None)
    hostile.pack(xlsx, [*workbook_parts(GOOD_ROW), *(replace(empty, name=f"x{n}") for n in range(60_000))])
    assert "more than 1000 parts" in refusal_of(xlsx)


@pytest.mark.parametrize("number", ["", "22"])
def test_a_directory_that_points_before_the_file_is_refused(xlsx: Path, number: str) -> None:
    parts = [
        replace(each, name=each.name.replace("book.xml", f"book{number}.xml")) for each in workbook_parts(GOOD_ROW)
    ]
    content = bytearray(hostile.pack(xlsx, parts).read_bytes())
    (offset,) = struct.unpack("<L", content[-6:-2])
    content[-6:-2] = struct.pack("<L", offset + 1_000)
    xlsx.write_bytes(content)
    assert "again" in refusal_of(xlsx)


# --- bombs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sheet", "shared_strings"),
    [
        (GOOD_ROW, repeated("", "<sst>", "<si><t>HAWB00</t></si>", 50_000_000, "</sst>")),
        (sheet_of("<row></row>", 50_000_000), ""),
        (sheet_of("a" * 1_000, 70_000, before='<row r="1" x="', after='"></row>'), ""),
    ],
    ids=["a gigabyte of shared strings", "empty rows", "70 MB that packed too well"],
)
def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    xlsx: Path, monkeypatch: pytest.MonkeyPatch, sheet: Part | str, shared_strings: Part | str
) -> None:
    monkeypatch.setattr("subprocess.Popen", None)
    hostile.pack(xlsx, workbook_parts(sheet, shared_strings=shared_strings))
    assert "too large when unpacked" in refusal_of(xlsx)


AS_LONG_AS_READ = "<sst><si><t>" + "中" * LONGEST_CELL + "</t></si></sst>"
SHARED_CELL = '<c t="s"><v>0</v></c>'
SHARED = f"<row>{SHARED_CELL}</row>"


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (workbook_parts(GOOD_ROW, CORNERS), "stray cell far below"),
        (workbook_parts(f'{GOOD_ROW}<row r="99999999"><c r="A99999999"><v>1</v></c></row>'), "stray cell far below"),
        (workbook_parts('<row><c r="ZZZZZZ1"><v>1</v></c></row>'), "stray cell far below"),
        (workbook_parts(sheet_of(SHARED, 25_000), shared_strings=AS_LONG_AS_READ), "too large when unpacked"),
        (workbook_parts(f"<row>{SHARED_CELL * 200}</row>", shared_strings=AS_LONG_AS_READ), "too large when unpacked"),
        (workbook_parts(GOOD_ROW, shared_strings='<sst uniqueCount="99999999999"></sst>'), "too large when unpacked"),
        (workbook_parts('<row><c t="s"><v>7</v></c></row>'), "shared strings table"),
        (workbook_parts(Part("", b"\x03\x00", 0, 0)), "cannot be read as a workbook"),
        (workbook_parts(), "no sheets"),
        (
            [*workbook_parts()[:-2], part("xl/workbook1.xml", "<x/>"), part("xl/workbook2.xml", "<x/>")],
            "File not found",
        ),
    ],
    ids=[
        "corner cells on a second sheet",
        "row 99999999",
        "column ZZZZZZ",
        "one long text twenty-five thousand times: output",
        "one row of long texts",
        "a promise of strings",
        "no such shared string",
        "an empty sheet part",
        "no sheets",
        "two numbered workbooks",
    ],
)
def test_a_workbook_that_hurts_its_reader_hurts_only_the_child(xlsx: Path, parts: list[Part], reason: str) -> None:
    assert reason in refusal_of(hostile.pack(xlsx, parts))


LAUGHS = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))


@pytest.mark.parametrize(
    ("doctype", "text"),
    [
        (f'<!DOCTYPE x [<!ENTITY a "lol">{LAUGHS}]>', "&j;"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "&e;"),
        (f'<!DOCTYPE x [<!ENTITY e "{"a" * 100_000}">]>', "&e;" * 100_000),
    ],
    ids=["billion laughs", "external entity", "quadratic blow-up"],
)
def test_no_entity_is_ever_expanded(xlsx: Path, doctype: str, text: str) -> None:
    sheet = part("", f"{doctype}<worksheet><sheetData>{row(text)}</sheetData></worksheet>")
    assert "declares a DOCTYPE" in refusal_of(hostile.pack(xlsx, workbook_parts(sheet)))


@pytest.mark.parametrize(
    "before",
    ["\n ", '<?xml version="1.0"?>', f"<!--{'y' * 5_000}--><?z?>", f"<!--{'y' * 200_000}-->"],
)
def test_a_doctype_is_refused_wherever_it_comes_before_the_content(xlsx: Path, before: str) -> None:
    sheet = part("", f"{before}<!DOCTYPE x><worksheet><sheetData>{GOOD_ROW}</sheetData></worksheet>")
    assert "DOCTYPE" in refusal_of(hostile.pack(xlsx, workbook_parts(sheet)))


def test_the_word_in_a_cell_is_only_a_word(xlsx: Path) -> None:
    sheet = part("", f"<!-- <!DOCTYPE x> --><worksheet><sheetData>{GOOD_ROW}</sheetData></worksheet>")
    assert rows_of(hostile.pack(xlsx, workbook_parts(sheet))) == GOOD_ROWS


@pytest.mark.parametrize(
    ("parts", "rows"),
    [
        (
            workbook_parts(
                part("", f'<x><dimension ref="A1:XFD1048576"/><sheetData>{GOOD_ROW}</sheetData></x>'),
            ),
            GOOD_ROWS,
        ),
        (workbook_parts(part("", f"<x>{'<a>' * 500_000}<sheetData>{GOOD_ROW}</sheetData></x>")), GOOD_ROWS),
        (workbook_parts(sheet_of("<row></row>", 3_000_000), more=[hostile.ballast(1)]), [[]]),
        (
            workbook_parts(sheet_of("<row>" + "<c><v>1</v></c>" * 300 + "</row>", 500)),
            [[(n, [1] * 256) for n in range(1, 501)]],
        ),
        ([*workbook_parts(GOOD_ROW), part("xl/externalLinks/externalLink1.xml", "<x/>")], GOOD_ROWS),
    ],
    ids=[
        "a lying dimension",
        "deep nesting",
        "empty rows with ballast",
        "wide rows",
        "links",
    ],
)
def test_what_only_looks_dangerous_gives_its_rows(xlsx: Path, parts: list[Part], rows: list[list[Row]]) -> None:
    assert rows_of(hostile.pack(xlsx, parts)) == rows
