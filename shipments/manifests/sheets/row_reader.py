"""Read one row of a guide table: its values, and a warning for each value that cannot be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from shipments.manifests.cells import Cell, cell_at, text_of, yes_or_no
from shipments.manifests.destinations import find_country
from shipments.manifests.field_kinds import normal_hs_codes
from shipments.manifests.findings import Findings
from shipments.manifests.guide_fields import COUNTRIES, LONGEST, MONEY, WORKBOOK_TEXTS
from shipments.manifests.places import names_place
from shipments.manifests.sheets.candidates import contact_in
from shipments.manifests.sheets.evidence import CORE
from shipments.manifests.sheets.surveys import Columns, normal_value
from shipments.manifests.waybills import HAWB_LENGTH, visible
from shipments.manifests.words.amounts import (
    Amount,
    decimal_mark,
    is_dollars,
    read_money,
    read_packages,
    read_weight,
    unit_of,
)
from shipments.manifests.words.lexicon import CELL_WORDS
from shipments.manifests.words.nouns import UNREADABLE


@dataclass(slots=True)
class GuideLine:
    """The content given in one row: the part of a guide that can be summed.

    unreadable: measures whose cells cannot be read; each has a warning.
    """

    row_index: int
    description: str
    hs_code: str
    weight_kg: Decimal | None
    fob_usd: Decimal | None
    product_value: Decimal | None
    freight_usd: Decimal | None
    insurance_usd: Decimal | None
    packages_count: int | None
    unreadable: frozenset[str] = frozenset()


@dataclass(slots=True)
class GuideDraft:
    """One row as read, before rows with the same HAWB are merged and documents are checked.

    texts: field of `GuideRow` -> text, without empty ones. document: as written; the country's rules join two columns.
    category: as claimed. platform_name: only if a person told its column. extra_data: key -> text of columns that no
    field reads. sheet: the name of its sheet. once: measures that all rows of a guide repeat, by their headings. vat:
    whether VAT was charged at the sale, as any of its rows says. others: the lines after the first, for a guide of
    several rows; others_extra: their extra data. has_unnamed: whether one of them leaves the HAWB out.
    is_doubtful: whether a core field of its table is in doubt. lacks_check_digit: whether the document may.
    """

    row_index: int
    hawb: str
    texts: dict[str, str]
    document: str
    check_digit: str
    line: GuideLine
    category: int | None = None
    platform_name: str | None = None
    extra_data: Mapping[str, str] | None = None
    sheet: str = ""
    once: frozenset[str] = frozenset()
    vat: frozenset[bool] = frozenset()
    others: list[GuideLine] | None = None
    others_extra: list[Mapping[str, str]] | None = None
    has_unnamed: bool = False
    is_doubtful: bool = False
    lacks_check_digit: bool = False


class RowReader:
    """Reads rows of one table.

    columns: as the survey chose them. doubts: HAWB -> reasons for review. filled: keys of extra data that a row has.
    """

    def __init__(self, columns: Columns, findings: Findings) -> None:
        self.doubts: dict[str, dict[str, None]] = {}
        single = columns.single
        self._findings = findings
        self._columns = columns
        self._house = single["hawb"]
        self._read_house = _whole_number if "hawb" in columns.spoilt else _identifier
        self._read_document = _whole_number if "consignee_document" in columns.spoilt else _identifier
        phone = single.get("consignee_phone")
        self._contact = phone if phone == single.get("consignee_email") else None
        plain = (name for name in WORKBOOK_TEXTS if name in single and single[name] != self._contact)
        self._plain = [(name, single[name], LONGEST[name]) for name in plain]
        self._document = single.get("consignee_document")
        self._check_digit = single.get("check_digit")
        self._destination = single.get("destination")
        self._hs_code = single.get("hs_code")
        self._weight = single.get("weight_kg") if columns.measures.has_unit() else None
        self._measures = columns.measures
        self._packages = single.get("packages_count")
        self._vat = single.get("vat_collected")
        self._money = [
            (name, single[name]) for name in MONEY if name in single and name not in columns.measures.foreign
        ]
        self._marks: dict[str, set[str]] = {name: set() for name in ("weight_kg", *MONEY)}
        self._undecided: list[tuple[GuideLine, str, str, str, str]] = []
        rules = columns.rules
        self._decimals = rules.decimals.keys() & self._marks.keys() & single.keys()
        for name in self._decimals:
            self._marks[name] = {*filter(None, [_MARKS.get(rules.decimals[name])])}
        self._numeric = [single[name] for name in self._decimals if rules.decimals[name] == "numeric"]
        self._weights = rules.weights if self._weight is not None else {}
        self._translated = [
            (name, single[name], rules.values.get(single[name], {}))
            for name in ("consignee_document_type", "category")
            if name in single and (name == "category" or single[name] in rules.values)
        ]
        self._has_extras = self._contact is not None or bool({"category", "platform_name"} & single.keys())
        self._countries = [(name, single[name]) for name in COUNTRIES if name in single]
        self._kept = sorted(columns.kept.items(), key=lambda kept: not kept[1].startswith(ASKED))
        self.filled: set[str] = set()
        self._is_doubtful = any(doubt.field in CORE for doubt in columns.doubts)

    def hawb(self, cells: Sequence[Cell]) -> str:
        """The content of the HAWB column, trimmed and in capitals."""
        return visible(self._read_house(cells[self._house])).strip().upper()

    def read(self, number: int, hawb: str, cells: Sequence[Cell]) -> GuideDraft:
        if self._translated or self._numeric:
            cells = self._with_meanings(number, hawb, cells)
        row = _Row(number, hawb, self._findings)
        if len(hawb) > HAWB_LENGTH:
            row.hawb = self._findings.fit(number, hawb[:HAWB_LENGTH], "hawb", hawb)
        texts: dict[str, str] = {}
        for name, column, longest in self._plain:
            cell = cells[column]
            if cell is not None and (text := text_of(cell)) and text not in NOTHING:
                texts[name] = text if len(text) <= longest else row.fit(name, text)
        if name_text := self._name(cells):
            texts["consignee_name"] = row.fit("consignee_name", name_text)
        if address := self._address(cells):
            texts["consignee_address"] = row.fit("consignee_address", address)
        description = texts.pop("description_original", "")
        document = self._read_document(cells[self._document]) if self._document is not None else ""
        check_digit = text_of(cells[self._check_digit]) if self._check_digit is not None else ""
        amounts = self._amounts(row, cells)
        codes, count = self._hs_codes(row, cells), self._count(row, cells)
        line = GuideLine(number, description, codes, packages_count=count, unreadable=row.unreadable, **amounts)
        if row.undecided:
            self._undecided += [(line, row.hawb, *each) for each in row.undecided]
        draft = GuideDraft(
            number, row.hawb, texts, document, check_digit, line, sheet=self._findings.sheet, once=self._columns.once,
            is_doubtful=self._is_doubtful,
            lacks_check_digit=self._columns.lacks_check_digits and document.replace(".", "").isdigit(),
        )  # fmt: skip
        if self._vat is not None:
            draft.vat = self._vat_of(row, cells[self._vat])
        if self._has_extras:
            self._add_extras(draft, cells)
        if self._kept:
            self._keep(draft, cells)
        if self._countries:
            self._add_countries(row, draft, cells)
        return draft

    def measures(self, number: int, hawb: str, cells: Sequence[Cell]) -> GuideLine:
        """Only the weight, the money and the packages of a row."""
        if self._translated or self._numeric:
            cells = self._with_meanings(number, hawb, cells)
        row = _Row(number, hawb, self._findings)
        amounts, count = self._amounts(row, cells), self._count(row, cells)
        return GuideLine(number, "", "", packages_count=count, unreadable=row.unreadable, **amounts)

    def _add_countries(self, row: "_Row", draft: GuideDraft, cells: Sequence[Cell]) -> None:
        """Add the countries that are named. A text that names none is kept as it is, in the extra data."""
        for name, column in self._countries:
            text = text_of(cells[column])
            if not text or text in NOTHING:
                continue
            if code := find_country(text):
                draft.texts[name] = code
            else:
                row.warn(name, f"{name}_invalid")
                draft.extra_data = {**(draft.extra_data or {}), name: text[:_LONGEST_EXTRA]}

    def _keep(self, draft: GuideDraft, cells: Sequence[Cell]) -> None:
        width = len(cells)
        kept = {
            key: text
            for column, key in self._kept
            if column < width and cells[column] is not None and (text := text_of(cells[column]))
        }
        if kept:
            draft.extra_data = kept
            self.filled |= kept.keys()

    def finish(self) -> None:
        """Resolve the numbers with two possible readings, after all rows of the table have been read.

        Where a person has told the decimal mark nothing is guessed: against it, or without one, they are left out.
        """
        contradicted = [name for name, marks in self._marks.items() if len(marks) > 1 and name in self._decimals]
        for line, hawb, name, cell, unit in self._undecided:
            marks = self._marks[name]
            if name in self._decimals and len(marks) != 1:
                self._findings.warn(line.row_index, hawb, name, "ambiguous_number", f"{name}_ambiguous_left_out")
                line.unreadable |= {name}
                doubt = "values_unlike_format" if name in contradicted else "ambiguous_number"
                self.doubts.setdefault(hawb, {})[doubt] = None
                continue
            mark = next(iter(marks)) if len(marks) == 1 else ""
            amount = read_weight(cell, unit, mark) if name == "weight_kg" else read_money(cell, mark)
            if len(marks) > 1 and name == "weight_kg":
                amount = amount._replace(problem="ambiguous")
            row = _Row(line.row_index, hawb, self._findings)
            found, further = row.amount(name, amount), getattr(line, name)
            setattr(line, name, found if found is None or further is None else found + further)
            line.unreadable |= row.unreadable
        self._undecided.clear()
        for name in contradicted:
            self._findings.notice("values_unlike_format", f"decimals_unlike_format_{name}")

    def _with_meanings(self, number: int, hawb: str, cells: Sequence[Cell]) -> Sequence[Cell]:
        """The row with the meanings of translated cells. A value that nobody has told is left out."""
        changed: dict[int, Cell] = {
            column: _UNREADABLE for column in self._numeric if isinstance(cells[column], str) and text_of(cells[column])
        }
        for name, column, values in self._translated:
            text = normal_value(text_of(cells[column]))
            if not text:
                continue
            known = _CATEGORIES if name == "category" and not values else frozenset(values.values())
            meaning = values.get(text) or (text if text in known else None)
            if meaning is None:
                self._findings.warn(number, hawb, name, "value_not_in_format")
                self.doubts.setdefault(hawb, {})["value_not_in_format"] = None
            changed[column] = meaning
        return [changed.get(column, cell) for column, cell in enumerate(cells)] if changed else cells

    def _add_extras(self, draft: GuideDraft, cells: Sequence[Cell]) -> None:
        """What is read only where a person has said so, and a phone number and an e-mail address that share a cell."""
        single = self._columns.single
        if self._contact is not None:
            parts = zip(("consignee_phone", "consignee_email"), contact_in(text_of(cells[self._contact])), strict=True)
            draft.texts |= {name: text[: LONGEST[name]] for name, text in parts if text}
        if "category" in single and (claimed := text_of(cells[single["category"]])):
            draft.category = int(claimed)
        if "platform_name" in single and (platform := text_of(cells[single["platform_name"]])):
            draft.platform_name = self._findings.fit(draft.row_index, draft.hawb, "platform_name", platform)

    @staticmethod
    def _vat_of(row: "_Row", cell: Cell) -> frozenset[bool]:
        said = yes_or_no(cell)
        if said is None and (text := text_of(cell)) and text not in NOTHING:
            row.warn("vat_collected", "vat_collected_invalid")
        return frozenset() if said is None else frozenset({said})

    def _name(self, cells: Sequence[Cell]) -> str:
        for columns in self._columns.names:
            if name := " ".join(_texts(cells, columns)):
                return name
        return ""

    def _address(self, cells: Sequence[Cell]) -> str:
        """Street and number, and the parts added to them. A destination counts if it is more than a place name."""
        number = self._columns.single.get("address_number")
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
        amounts: dict[str, Decimal | None] = dict.fromkeys(("weight_kg", *MONEY))
        if self._weight is not None:
            amounts["weight_kg"] = self._weight_kg(row, cells, cells[self._weight])
        for column, unit in self._weights.items():  # kilograms and grams, pounds and ounces
            mark = _MARKS.get(self._columns.rules.decimals.get("weight_kg", ""), "")
            more = row.amount("weight_kg", read_weight(cells[column], unit, mark))
            if more is not None:
                amounts["weight_kg"] = (amounts["weight_kg"] or Decimal(0)) + more
        if self._weights and "weight_kg" in row.unreadable:
            amounts["weight_kg"] = None  # half of it is no weight
        is_foreign = False
        if self._measures.currency_column is not None:  # the row's currency cell may say that its values are foreign
            text = text_of(cell_at(cells, self._measures.currency_column))
            is_foreign = not is_dollars(text) if text else not self._measures.is_in_dollars
        for name, column in self._money:
            cell = cells[column]
            if is_foreign or type(cell) is not str or not self._is_undecided(row, name, cell):
                amount = read_money(cell)
                amounts[name] = row.amount(name, _FOREIGN if is_foreign and amount.value is not None else amount)
        return amounts

    def _weight_kg(self, row: "_Row", cells: Sequence[Cell], cell: Cell) -> Decimal | None:
        unit = self._measures.unit
        if self._measures.unit_column is not None and (text := text_of(cell_at(cells, self._measures.unit_column))):
            unit = unit_of(text) or UNREADABLE
        if unit == UNREADABLE:
            return row.amount("weight_kg", _NO_UNIT if text_of(cell) else _NOTHING)
        if type(cell) is str and self._is_undecided(row, "weight_kg", cell, unit):
            return None
        return row.amount("weight_kg", read_weight(cell, unit))

    def _is_undecided(self, row: "_Row", name: str, cell: str, unit: str = "") -> bool:
        """Whether a number typed as text has two possible readings and must wait for the other cells of its column."""
        if not ("." in cell or "," in cell):
            return False
        seen = self._marks[name]
        if cell[-3:-2] in seen or cell[-2:-1] in seen:
            return False  # nearly every number: one or two digits after a mark already seen in other cells
        mark = decimal_mark(cell)
        if mark == "either":
            row.undecided += ((name, cell, unit),)
            return True
        if mark:
            seen.add(mark)
        return False

    def _count(self, row: "_Row", cells: Sequence[Cell]) -> int | None:
        if self._packages is None:
            return None
        count = row.amount("packages_count", read_packages(cells[self._packages]))
        return None if count is None else int(count)


ASKED = "asked_"
"""Begins the key of a column in doubt, whose values are kept before others."""
_LONGEST_EXTRA = 255
_UNREADABLE = "?"
"""In place of a text in a column where only numeric cells are read."""
_MARKS = {"comma": ",", "point": "."}
_CATEGORIES = frozenset("1234")
NOTHING = frozenset(
    form for word in CELL_WORDS["nothing"] for form in (word, word.upper(), word.capitalize(), word.title())
)
"""Texts that programs write into empty cells, in the usual cases."""
_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
"""Letters and digits in full width -> as they are typed elsewhere."""

_FOREIGN = Amount(None, "currency")
_NOTHING = Amount(None)
_NO_UNIT = Amount(None, "unit")


@dataclass(slots=True)
class _Row:
    """The row being read, for its warnings."""

    number: int
    hawb: str
    findings: Findings
    undecided: tuple[tuple[str, str, str], ...] = ()
    unreadable: frozenset[str] = frozenset()

    def warn(self, name: str, code: str, sentence: str = "") -> None:
        self.findings.warn(self.number, self.hawb, name, code, sentence)

    def fit(self, name: str, text: str) -> str:
        if len(text) <= LONGEST[name]:
            return text  # nearly every text
        return self.findings.fit(self.number, self.hawb, name, text)

    def amount(self, name: str, amount: Amount) -> Decimal | None:
        if amount.problem:
            code = "ambiguous_number" if amount.problem == "ambiguous" else f"{name}_invalid"
            self.warn(name, code, f"{name}_{amount.problem}")
            if amount.value is None:
                self.unreadable |= {name}
        return amount.value


def _identifier(cell: Cell) -> str:
    """The text of an identifier, without the apostrophe that makes a spreadsheet keep a number as text."""
    text = text_of(cell)
    if not text.isascii():
        text = text.translate(_NARROW)
    return "" if text in NOTHING else text.lstrip("'`\u2019")


def _whole_number(cell: Cell) -> str:
    return _identifier(cell).removesuffix(".0")  # of a column in which all end so


def _texts(cells: Sequence[Cell], columns: tuple[int, ...]) -> list[str]:
    return [text for column in columns if (text := text_of(cells[column])) and text not in NOTHING]
