"""Telling guides from what else stands under the headings: totals, instructions, repeated headings, footers."""

import re
from collections.abc import Sequence
from typing import Literal

from shipments.manifests.headings.columns import Columns
from shipments.manifests.headings.guide_words import Field
from shipments.manifests.headings.header_rows import HeaderBlock, is_heading_row
from shipments.manifests.headings.headers import read_heading
from shipments.manifests.headings.labelled_cells import has_label
from shipments.manifests.workbook.amounts import reads_as_number
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.xlsx.opening import Cell

RowKind = Literal["guide", "hawb_missing", "example", "nothing"]
"""`example`: it would be a guide, were it not marked as an example of how to fill the columns."""

FEWEST_FIELDS = 3
"""Known fields that have to be filled; a row with fewer is a footer."""

_TOTAL = re.compile(r"\W*(?:(?:gran|grand|sub)[\s-]*)?(?:total|suma\b|sumatoria\b)", re.IGNORECASE)
_PLAIN_HAWB = re.compile(r"[^\s:]+(?: [^\s:]+)?")
_DIGIT = re.compile(r"[0-9]")
_EXAMPLE = re.compile(r"\W*(?:(?:ejemplos?|example|sample)(?![a-z])|(?:ej|e\.g|eg)(?=[.:)\s]))", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"""\W*(?:instruc\w+|obligatori[oa]s?|mandatory|required|requerid[oa]|opcional|optional|formato?|texto?|num[eé]rico|numeric|
    alfanum[eé]rico|alphanumeric|string|varchar|char|m[aá]x(?:imo|imum)?|sin|con|only|s[oó]lo)(?=\W|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_COLUMN_NUMBER = re.compile(r"\(?([0-9]{1,3})\)?")

_COUNTED: tuple[Field, ...] = (
    "consignee_document",
    "consignee_document_type",
    "consignee_city",
    "consignee_region",
    "consignee_postal_code",
    "consignee_phone",
    "consignee_email",
    "shipper_name",
    "description_original",
    "hs_code",
    "weight_kg",
    "packages_count",
    "fob_usd",
    "product_value",
)
_MEASURES: tuple[Field, ...] = ("weight_kg", "fob_usd", "packages_count")


def is_total(text: str) -> bool:
    """Whether a text begins as the label of totals or subtotals does."""
    return _TOTAL.match(text) is not None


class RowKinds:
    """Tells what a row under these headings is; it remembers whether a guide was seen yet."""

    def __init__(self, header: HeaderBlock, columns: Columns) -> None:
        single = columns.single
        self._header = header
        self._measures = [single[name] for name in _MEASURES if name in single]
        self._names = [column for name in columns.names for column in name]
        self._document = single.get("consignee_document")
        self._description = single.get("description_original")
        # A name in three columns and an address in two are one field each.
        address = [column for column in columns.address if column != single.get("destination")]
        counted = [*self._names[:1], *address[:1], *(single[name] for name in _COUNTED if name in single)]
        self._counted = counted
        # Where headings know three fields only, one of them may be empty.
        self._fewest = min(FEWEST_FIELDS, max(2, len(counted)))
        self._seen_guide = False

    def kind(self, hawb: str, cells: Sequence[Cell]) -> RowKind:
        """What the row is.

        hawb: the text where the HAWBs stand. cells: the whole row, as wide as the headings at least.
        """
        filled = 1 if hawb else 0
        for column in self._counted:
            if filled >= self._fewest:
                break
            filled += not _is_blank(cells[column])
        if filled < self._fewest:
            return "nothing"
        if self._seen_guide and _PLAIN_HAWB.fullmatch(hawb) and _DIGIT.search(hawb) and not is_total(hawb):
            return "guide"  # nearly every row takes this way
        kind = self._unusual(hawb, cells)
        self._seen_guide = self._seen_guide or kind == "guide"
        return kind

    def _unusual(self, hawb: str, cells: Sequence[Cell]) -> RowKind:
        has_measure = any(reads_as_number(cells[column]) for column in self._measures)
        if not has_measure and is_heading_row(cells, self._header.headings):
            return "nothing"
        if not self._seen_guide and _numbers_columns(cells):
            return "nothing"
        has_consignee = self._has_consignee(cells)
        if not hawb:
            return self._without_hawb(cells, has_consignee=has_consignee, has_measure=has_measure)
        if is_total(hawb) and not has_consignee:
            return "nothing"
        if not self._seen_guide and _EXAMPLE.match(hawb):
            return "example" if has_measure else "nothing"
        if not has_measure and self._is_remark(hawb, cells):
            return "nothing"
        return "guide"

    def _without_hawb(self, cells: Sequence[Cell], *, has_consignee: bool, has_measure: bool) -> RowKind:
        if not has_measure and not self._seen_guide:
            return "nothing"  # a row of instructions
        if has_consignee:
            return "hawb_missing"
        if any(isinstance(cell, str) and is_total(cell) for cell in cells):
            return "nothing"
        # Content and a value, but whose? It may be a guide's second product, so it is not passed over in silence.
        describes = self._description is not None and not _is_blank(cells[self._description])
        return "hawb_missing" if describes and has_measure else "nothing"

    def _is_remark(self, hawb: str, cells: Sequence[Cell]) -> bool:
        """Whether what stands where the HAWBs stand, in a row without a number, is wording of a form."""
        if not self._seen_guide and self._instructs(hawb, cells):
            return True
        has_digit = _DIGIT.search(hawb) is not None
        return ":" in hawb or (not has_digit and (" " in hawb or _is_wording(hawb)))

    def _instructs(self, hawb: str, cells: Sequence[Cell]) -> bool:
        """Whether a row before the first guide tells people how to fill the columns."""
        if _INSTRUCTION.match(hawb):
            return True
        has_words = any(isinstance(cells[column], str) and not _is_blank(cells[column]) for column in self._measures)
        return has_words and (" " in hawb or not _DIGIT.search(hawb))

    def _has_consignee(self, cells: Sequence[Cell]) -> bool:
        if (
            self._document is not None
            and not _is_blank(cells[self._document])
            and not is_total(text_of(cells[self._document]))
        ):
            return True
        # The count of guides under a column of names is nobody's name.
        names = [cells[column] for column in self._names]
        return any(isinstance(cell, str) and cell.strip() and not is_total(cell) for cell in names)


def _is_blank(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _is_wording(text: str) -> bool:
    return has_label(text) or bool(read_heading(text).meanings)


def _numbers_columns(cells: Sequence[Cell]) -> bool:
    """Whether a row does nothing but number the columns: (1) (2) (3) ..."""
    texts = [text for cell in cells if (text := text_of(cell))]
    matches = [_COLUMN_NUMBER.fullmatch(text) for text in texts]
    numbers = [int(match[1]) for match in matches if match]
    return len(numbers) == len(texts) >= 4 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
