"""What Excel passes over never makes a workbook unreadable; what it cannot open is refused as before."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

from shipments.errors import WorkbookUnreadable
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB_LABEL, noticed
from tests.shipments.manifests.xlsx_files import edit, read_file, utf_16

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")

SHEET, BOOK, STYLES, RELATIONS = (
    "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels",
)  # fmt: skip
Edit = Callable[[str], str | bytes]


def replacing(old: str, new: str) -> Edit:
    def replace(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return replace


def cell(xml: str) -> Edit:
    """Puts a cell far right of the first row."""
    return replacing("</row>", f"{xml}</row>")


@pytest.fixture
def book(xlsx: Path) -> Path:
    """Two guides on a visible sheet, and a hidden one."""
    workbook = Workbook()
    for cells in (MAWB_LABEL, FEW_HEADINGS, ANA, BETO):
        workbook.worksheets[0].append(list(cells))
    hidden = workbook.create_sheet("Listas")
    hidden.append(["HAWB", "Consignatario"])
    hidden.sheet_state = "hidden"
    workbook.save(xlsx)
    return xlsx


FAULTS: dict[str, dict[str, Edit]] = {
    "errors of other programs, of Google Sheets and of a new Excel": {
        SHEET: cell("".join(f'<c r="{at}1" t="e"><v>{error}</v></c>'
                            for at, error in (("Z", "ERROR"), ("AA", "#ERROR!"), ("AB", "#SPILL!"))))
    },
    "a kind of cell and an element in a cell that nobody knows": {
        SHEET: cell('<c r="Z1" t="money"><v>5</v></c><c r="AA1"><x>1</x><v>5</v></c>')
    },
    "a number that is none": {SHEET: cell('<c r="Z1" t="n"><v>doce</v></c>')},
    "a cell without a row in its place": {SHEET: cell('<c r="Z"><v>5</v></c>')},
    **{f"a merged range of {what}": {
        SHEET: replacing("</sheetData>", f'</sheetData><mergeCells><mergeCell ref="{ref}"/></mergeCells>')
    } for what, ref in (("columns", "K:L"), ("rows", "9:10"), ("three", "K1:L2:M3"))},
    "a dimension of rows": {SHEET: lambda text: re.sub('<dimension ref="[^"]*"', '<dimension ref="1:4"', text)},
    "a dimension without a range": {SHEET: lambda text: re.sub('<dimension ref="[^"]*"', "<dimension", text)},
    "all in UTF-16": {SHEET: utf_16, BOOK: utf_16, STYLES: utf_16, RELATIONS: utf_16},
    "a state that nobody knows": {BOOK: replacing('state="visible"', 'state="show"')},
    "a macro sheet": {
        BOOK: replacing("</sheets>", '<sheet name="Macro1" sheetId="9" r:id="rId99"/></sheets>'),
        RELATIONS: replacing(
            "</Relationships>",
            '<Relationship Id="rId99" Type="http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet" '
            'Target="macrosheets/sheet1.xml"/></Relationships>',
        ),
    },
    "a hidden sheet without a relation": {
        BOOK: replacing("</sheets>", '<sheet name="X" sheetId="9" state="hidden" r:id="rId99"/></sheets>')
    },
}  # fmt: skip


@pytest.mark.parametrize("edits", FAULTS.values(), ids=FAULTS)
def test_what_excel_passes_over_is_mended_and_said_once(book: Path, edits: dict[str, Edit]) -> None:
    edit(book, edits)
    manifest = read_file(book)
    assert [(guide.hawb, str(guide.weight_kg)) for guide in manifest.guides] == [("H1", "1.500"), ("H2", "2.000")]
    assert noticed(manifest) == ["workbook_repaired"]


@pytest.mark.parametrize("part", ["xl/worksheets/sheet2.xml", "xl/theme/theme1.xml", STYLES])
def test_a_missing_part_that_is_not_read_is_not_missed(book: Path, part: str) -> None:
    edit(book, {}, without=part)
    assert len(read_file(book).guides) == 2


@pytest.mark.parametrize(
    "edits",
    [
        {SHEET: lambda text: text[: len(text) // 2]},
        {SHEET: cell('<c r="Z1" t="s"><v>7</v></c>')},  # its text is lost
        {BOOK: replacing('r:id="rId1"', 'r:id="rId98"')},
    ],
    ids=["half a sheet", "a text that is not there", "a visible sheet that is not there"],
)
def test_what_excel_cannot_open_either_is_refused(book: Path, edits: dict[str, Edit]) -> None:
    edit(book, edits)
    with pytest.raises(WorkbookUnreadable):
        read_file(book)


def test_mending_keeps_formats_dates_texts_and_merged_headings(xlsx: Path) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for cells in (MAWB_LABEL, ("ETA", 46355.25), FEW_HEADINGS, (42, "Ana <Rojas> & Co ", *ANA[2:]), BETO):
        sheet.append(list(cells))
    sheet["B2"].number_format = "dd/mm/yyyy hh:mm"
    sheet["A4"].number_format = '"YT"0000"CN"'
    workbook.save(xlsx)
    edit(xlsx, {SHEET: cell('<c r="Z1" t="e"><v>ERROR</v></c>')})
    manifest = read_file(xlsx)
    assert (manifest.guides[0].hawb, manifest.guides[0].consignee_name) == ("YT0042CN", "Ana <Rojas> & Co")
    assert f"{manifest.flight.scheduled_arrival:%Y-%m-%d %H:%M}" == "2026-11-29 06:00"


def test_the_cells_that_were_mended_are_named(book: Path) -> None:
    edit(book, {SHEET: cell('<c r="Z1" t="e"><v>ERROR</v></c><c r="AA1" t="e"><v>#OTHER</v></c>')})
    (notice,) = read_file(book).notices
    assert notice.reason.params == {"places": "Sheet!Z1, Sheet!AA1"}
