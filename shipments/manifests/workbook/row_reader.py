"""One row of a table of guides, read: every value it has, and a warning for each that could not be taken."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from shipments.manifests.findings import Findings
from shipments.manifests.headings.columns import Columns
from shipments.manifests.headings.guide_words import Field
from shipments.manifests.hs_codes import normal_hs_codes
from shipments.manifests.manifest import LONGEST
from shipments.manifests.waybills import HAWB_LENGTH
from shipments.manifests.workbook.amounts import Amount, is_dollars, read_money, read_packages, read_weight, unit_of
from shipments.manifests.workbook.cell_text import EXACT_DIGITS, text_of
from shipments.manifests.workbook.flight_values import names_place
from shipments.manifests.xlsx.opening import Cell

_PLAIN_TEXTS: tuple[Field, ...] = (
    "consignee_document_type",
    "consignee_city",
    "consignee_region",
    "consignee_postal_code",
    "consignee_phone",
    "consignee_email",
    "shipper_name",
    "description_original",
)


@dataclass(slots=True)
class GuideLine:
    """What one row says of a guide's content: the summable half of a guide."""

    row_index: int
    description: str
    hs_code: str
    weight_kg: Decimal | None
    fob_usd: Decimal | None
    product_value: Decimal | None
    packages_count: int | None


@dataclass(slots=True)
class GuideDraft:
    """One row as it was read, before rows of one HAWB come together and documents are checked.

    texts: field of `GuideRow` -> text, for those that are not empty. document: as it stands; two columns are joined by
    the country's format.
    """

    row_index: int
    hawb: str
    texts: dict[str, str]
    document: str
    check_digit: str
    line: GuideLine


class RowReader:
    """Reads rows of one table. columns: as the survey settled them."""

    def __init__(self, columns: Columns, findings: Findings) -> None:
        single = columns.single
        self._findings = findings
        self._columns = columns
        self._house = single["hawb"]
        self._plain = [(name, single[name], LONGEST[name]) for name in _PLAIN_TEXTS if name in single]
        self._document = single.get("consignee_document")
        self._check_digit = single.get("check_digit")
        self._destination = single.get("destination")
        self._hs_code = single.get("hs_code")
        self._weight = single.get("weight_kg")
        self._weight_unit = single.get("weight_unit")
        self._packages = single.get("packages_count")
        self._money = [(name, single[name]) for name in ("fob_usd", "product_value") if name in single]
        self._currency = single.get("currency")
        self._rounded_hawbs = 0

    def hawb(self, cells: Sequence[Cell]) -> str:
        """What stands where the HAWBs stand, trimmed and in capitals."""
        return _identifier(cells[self._house]).upper()

    def read(self, number: int, hawb: str, cells: Sequence[Cell]) -> GuideDraft:
        """Read a row that is a guide."""
        hawb_cell = cells[self._house]
        if type(hawb_cell) is not str and len(hawb) > EXACT_DIGITS:
            self._rounded_hawbs += 1
        row = _Row(number, self._findings.fit(number, hawb[:HAWB_LENGTH], "hawb", hawb), self._findings)
        texts: dict[str, str] = {}
        for name, column, longest in self._plain:
            cell = cells[column]
            if cell is not None and (text := text_of(cell)):
                texts[name] = text if len(text) <= longest else row.fit(name, text)
        if name_text := self._name(cells):
            texts["consignee_name"] = row.fit("consignee_name", name_text)
        if address := self._address(cells):
            texts["consignee_address"] = row.fit("consignee_address", address)
        description = texts.pop("description_original", "")
        document = _identifier(cells[self._document]) if self._document is not None else ""
        check_digit = text_of(cells[self._check_digit]) if self._check_digit is not None else ""
        amounts = self._amounts(row, cells)
        line = GuideLine(
            number, description, self._hs_codes(row, cells), **amounts, packages_count=self._count(row, cells)
        )
        return GuideDraft(number, row.hawb, texts, document, check_digit, line)

    def finish(self) -> None:
        """Tell what concerns the manifest as a whole, once all rows are read."""
        if self._rounded_hawbs:
            self._findings.notice("hawb_digits_rounded", count=self._rounded_hawbs, digits=EXACT_DIGITS)

    def _name(self, cells: Sequence[Cell]) -> str:
        for columns in self._columns.names:
            if name := " ".join(_texts(cells, columns)):
                return name
        return ""

    def _address(self, cells: Sequence[Cell]) -> str:
        """Street and number, and what is added to them: a destination only where it is more than a place."""
        number = self._columns.address_number
        parts = _texts(cells, self._columns.address)
        if self._destination is not None and parts and names_place(text_of(cells[self._destination])):
            parts.pop()
        if number is not None and (text := text_of(cells[number])):
            parts[:1] = [f"{parts[0]} {text}" if parts else text]
        return ", ".join(parts)

    def _hs_codes(self, row: "_Row", cells: Sequence[Cell]) -> str:
        text = text_of(cells[self._hs_code]) if self._hs_code is not None else ""
        if not text:
            return ""
        codes = normal_hs_codes(text)
        if codes is None:
            row.warn("hs_code", "hs_code_invalid")
            codes = text
        return row.fit("hs_code", codes)

    def _amounts(self, row: "_Row", cells: Sequence[Cell]) -> dict[str, Decimal | None]:
        amounts: dict[str, Decimal | None] = {"weight_kg": None, "fob_usd": None, "product_value": None}
        if self._weight is not None:
            unit = self._columns.weight_unit
            if self._weight_unit is not None:
                unit = unit_of(text_of(cells[self._weight_unit])) or unit
            amounts["weight_kg"] = row.amount("weight_kg", read_weight(cells[self._weight], unit))
        is_foreign = self._currency is not None and not is_dollars(text_of(cells[self._currency]))
        for name, column in self._money:
            amount = read_money(cells[column])
            amounts[name] = row.amount(name, _FOREIGN if is_foreign and amount.value is not None else amount)
        return amounts

    def _count(self, row: "_Row", cells: Sequence[Cell]) -> int | None:
        if self._packages is None:
            return None
        count = row.amount("packages_count", read_packages(cells[self._packages]))
        return None if count is None else int(count)


_FOREIGN = Amount(None, "currency")


@dataclass(slots=True)
class _Row:
    """The row being read, for its warnings."""

    number: int
    hawb: str
    findings: Findings

    def warn(self, name: str, code: str, sentence: str = "") -> None:
        self.findings.warn(self.number, self.hawb, name, code, sentence)

    def fit(self, name: str, text: str) -> str:
        return self.findings.fit(self.number, self.hawb, name, text)

    def amount(self, name: str, amount: Amount) -> Decimal | None:
        if amount.problem:
            code = "ambiguous_number" if amount.problem == "ambiguous" else f"{name}_invalid"
            self.warn(name, code, f"{name}_{amount.problem}")
        return amount.value


def _identifier(cell: Cell) -> str:
    """The text of an identifier, without the apostrophe that keeps a spreadsheet from making a number of it."""
    return text_of(cell).lstrip("'`\u2019")


def _texts(cells: Sequence[Cell], columns: tuple[int, ...]) -> list[str]:
    return [text for column in columns if (text := text_of(cells[column]))]
