"""Distinguish guides from other rows under the headings: totals, instructions, repeated headings, footers."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Literal

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.sheets.candidates import (
    ValueColumns,
    has_letter,
    has_own_values,
    is_identifier,
    is_instruction,
    may_count_guides,
    numbers_columns,
)
from shipments.manifests.sheets.headers import HeaderBlock, is_heading_row
from shipments.manifests.sheets.surveys import Columns
from shipments.manifests.waybills import normal_mawb
from shipments.manifests.words.amounts import reads_as_number
from shipments.manifests.words.headings import heads_field
from shipments.manifests.words.labels import has_label, is_wording
from shipments.manifests.words.lexicon import CELL_WORDS, Field, has
from shipments.manifests.words.spelling import fold, spell

RowKind = Literal[
    "guide", "product", "hawb_missing", "no_consignee", "hawb_unlike_others", "too_few_values", "measures", "total",
    "example", "heading", "instructions", "note",
]  # fmt: skip
"""The kinds of rows.

`product`: content without HAWB and consignee. `measures`: nothing but numbers. `example`: a guide marked as an example
of how to fill the columns. `no_consignee`: a HAWB without consignee, RUT or description. `note`: a footer, a signature,
a remark.
"""

_FEWEST_ALIKE = 5
"""HAWBs of one make by which another with digits is judged. Fewer may differ by chance."""

_LOWEST_DOCUMENT = 100_000

FEWEST_FIELDS = 3
"""Known fields that must be filled. A row with fewer is not a guide."""

_TOTAL = re.compile(r"\W*(?:(?:gran|grand|sub)[\s-]*)?(?:total|suma\b|sumatoria\b)", re.IGNORECASE)
_SUMS = re.compile(
    r"\W*(?:(?:gran|grand|sub|page|pagina|página|importe|monto|overall)[\s-]*)?"
    r"(?:total(?:es|s|en)?|ttl|suma|sumas|sumatoria|sum|somme|acumulado|vienen|viene de|van|pasan?|transporte|"
    r"carried forward|brought forward|carry forward|合计|总计|小计|總計|合計)(?![^\W_])|^(?:合计|总计|小计|總計|合計)",
    re.IGNORECASE,
)
_MAY_BE_TOTAL = re.compile(r"[\W_]|ac|br|ca|gr|im|mo|ov|p[aá]|s[uo]|t[ort]|v[ai]|[合总小總]", re.IGNORECASE)
"""How texts begin that `_TOTAL` and `_SUMS` may match."""

_LONGEST_TITLE = 6
_PLAIN_HAWB = re.compile(r"(?=[^0-9]*[0-9])[^\s:]+(?: [^\s:]+)?")
_DIGIT = re.compile(r"[0-9]")
_CHINESE = re.compile("[\u3400-\u9fff]")
_EXAMPLE = re.compile(r"\W*(?:(?:ejemplos?|example|sample)(?![a-z])|(?:ej|e\.g|eg)(?=[.:)\s]))", re.IGNORECASE)

_JOINED = {"consignee_name", "consignee_address"}
"""Fields that several columns may share. They are counted by their columns."""
_COUNTED = tuple(field.name for field in GUIDE_FIELDS if field.is_content and field.name not in _JOINED)
_MEASURES: tuple[Field, ...] = ("weight_kg", "fob_usd", "packages_count")
_PERSONAL: tuple[Field, ...] = ("consignee_document", "consignee_city", "consignee_phone", "consignee_email")


def is_total(text: str) -> bool:
    """Whether a text begins like the label of totals or subtotals."""
    if _MAY_BE_TOTAL.match(text) is None:
        return False  # called for every HAWB and name, mostly twice: keep it fast
    return _TOTAL.match(text) is not None or names_sums(text)


def names_sums(text: str) -> bool:
    """Whether a text is only a label for sums: `Gran total`, `TOTAL 2 GUIAS`, `Suma y sigue`."""
    match = _SUMS.match(text)
    if match is None:
        return False
    # A product's name has other words (`Total Repair shampoo`).
    return all(word in CELL_WORDS["sum_fillers"] or word.isdigit() for word in fold(text[match.end() :]))


def names_no_goods(words: Sequence[str]) -> bool:
    """Whether a description names a charge, or only what goods are packed or weighed in: `SACA 2`."""
    return not CELL_WORDS["charges"].isdisjoint(words[:2]) or _are_of(words, CELL_WORDS["packing"])


def may_be_packing(words: Sequence[str]) -> bool:
    """Whether a description may name what keeps goods rather than goods: `Hielo seco`, `Film`, `ULD AKE12345`."""
    return _are_of(words, CELL_WORDS["packing"] | CELL_WORDS["packing_or_goods"])


def _are_of(words: Sequence[str], listed: frozenset[str]) -> bool:
    plain = [word for word in words if not word.isdigit()]
    return not listed.isdisjoint(plain) and (listed | CELL_WORDS["sum_fillers"]).issuperset(plain)


def says_not_shipped(text: str) -> bool:
    """Whether a title says that the guides below it do not travel: `PENDIENTES`, `Guías no embarcadas`."""
    words = spell(text)  # `no` is no number here
    return len(words) <= _LONGEST_TITLE and _are_of_staying(words)


def says_some_stay(text: str, hawbs: Collection[str]) -> bool:
    """Whether a remark says that guides do not travel: those of a colour, which is not read, or one of these HAWBs."""
    words = spell(text) if " " in text else []
    return _are_of_staying(words) and (
        not CELL_WORDS["colours"].isdisjoint(words)
        or any(each.strip(".,:;()\"'").upper() in hawbs for each in text.split())
    )


_OF_STAYING = frozenset().union(*(CELL_WORDS[name] for name in ("cancelled", "not_shipped", "later")))
_MAY_STAY = re.compile("(?i:not?|não)(?![a-z])|(?i:próx)")
_NEAR_A_NOT = 4


def count_staying(texts: Sequence[str], *, is_goods: bool = False) -> int:
    """How many cells of guides say that theirs does not travel: `no viajó`. A `válvula de retorno` does."""
    joined = "\n".join(texts)
    lower = joined.casefold()
    if not _MAY_STAY.search(joined) and not any(word in lower for word in _OF_STAYING):
        return 0  # nearly every column
    return sum(_marks_as_staying(spell(text), is_goods=is_goods) for text in texts)


def _marks_as_staying(words: Sequence[str], *, is_goods: bool) -> bool:
    shipped = CELL_WORDS["shipped"]
    if not CELL_WORDS["not_shipped" if not shipped.isdisjoint(words) else "cancelled"].isdisjoint(words):
        return not is_goods or len(words) == 1  # `Pendiente de embarque`
    return any(
        not shipped.isdisjoint(words[at : at + _NEAR_A_NOT] if has((word,), "not") else words)
        for at, word in enumerate(words)
        if word in CELL_WORDS["later"] or has((word,), "not")
    )


def _are_of_staying(words: Sequence[str]) -> bool:
    return not CELL_WORDS["not_shipped"].isdisjoint(words) or (
        not CELL_WORDS["shipped"].isdisjoint(words)
        and (has(words, "negation") or not CELL_WORDS["later"].isdisjoint(words))
    )


class RowKinds:
    """Classifies the rows under these headings. It remembers the form of the HAWBs seen so far."""

    def __init__(self, header: HeaderBlock, columns: Columns) -> None:
        single = columns.single
        self._header = header
        self._measures = [single[name] for name in _MEASURES if name in single]
        self._names = list(chain.from_iterable(columns.names))
        self._house = single.get("hawb")
        self._document = single.get("consignee_document")
        self._content = [single[name] for name in ("description_original", "hs_code") if name in single]
        self._personal = [single[name] for name in _PERSONAL if name in single]
        self._values = ValueColumns(
            house=None,  # the HAWB is judged separately
            documents=() if self._document is None else (self._document,),
            measures=tuple(self._measures),
            names=tuple(self._names),
        )
        # A name in three columns and an address in two are one field each.
        address = [column for column in columns.address if column != single.get("destination")]
        self._counted = [*self._names[:1], *address[:1], *(single[name] for name in _COUNTED if name in single)]
        # With only three known headings, one field may be empty.
        self._fewest = min(FEWEST_FIELDS, max(2, len(self._counted)))
        houses = columns.houses
        shapes = Counter(map(_shape, houses)).items()
        self._usual = {shape for shape, count in shapes if count * 2 > len(houses)}
        with_digits, chinese = (sum(bool(each.search(hawb)) for hawb in houses) for each in (_DIGIT, _CHINESE))
        self._have_usually_digits = with_digits * 2 > len(houses)
        self._are_rarely_chinese = len(houses) > 0 and chinese * 2 <= len(houses)
        self._guides: list[str] = []
        self._compared = 0
        self._shapes: dict[tuple[bool, ...], int] = {}
        self._lengths: set[int] = set()
        self._beginnings: set[str] = set()
        self._all_have_digits = True

    @property
    def names_consignees(self) -> bool:
        """Whether there is a column for the consignee's name or document."""
        return bool(self._names) or self._document is not None

    def kind(self, hawb: str, cells: Sequence[Cell], *, is_after_end: bool = False) -> RowKind:
        """The kind of a row.

        hawb: the text in the HAWB column. cells: the whole row, padded to the width of the headings. is_after_end:
        whether a blank row or totals separate it from the guides, so that a HAWB of another make is none.
        """
        missing = self._fewest - (1 if hawb else 0)
        for column in self._counted:
            cell = cells[column]
            if cell is not None and (type(cell) is not str or cell.strip()):
                missing -= 1
                if missing <= 0:
                    break
        if missing > 0:
            return self._scant(hawb, cells)
        if self._guides and _PLAIN_HAWB.fullmatch(hawb) and self._has_consignee(cells) and not is_total(hawb):
            kind: RowKind = "guide"  # nearly every row
        else:
            kind = self._unusual(hawb, cells)
        if kind == "guide":
            if is_after_end and self._is_made_otherwise(hawb, cells):
                return "hawb_unlike_others"
            if not _DIGIT.search(hawb) and (self._have_usually_digits or self._is_wording(hawb)):
                return "hawb_missing"  # a word: `ANULADA`
            if self._is_line_of_sums(hawb, cells, is_after_end=is_after_end):
                return "hawb_unlike_others"
            self._guides.append(hawb)
        return kind

    def _is_wording(self, hawb: str) -> bool:
        """Whether a text without digits is no HAWB: `PENDIENTE`, or below a guide a label or words, `Recibido por`."""
        return _are_of_staying(spell(hawb)) or (len(self._guides) > 0 and (" " in hawb or is_wording(hawb)))

    def _is_line_of_sums(self, hawb: str, cells: Sequence[Cell], *, is_after_end: bool) -> bool:
        """Whether a text unlike the HAWBs stands among numbers alone, or with a label: `Bultos | 40 | Peso | 383.2`."""
        are_numbers = not any(map(has_letter, cells)) and not self._has_document(cells)
        may_be_labelled = is_after_end or may_count_guides(hawb) or normal_mawb(hawb) is not None
        if not self._guides or not (are_numbers or may_be_labelled) or not self._is_unlike(hawb):  # nearly every guide
            return False
        is_complete = not any(_is_blank(cells[column]) for column in self._counted)
        if not are_numbers and (is_complete or has_own_values(cells, self._values._replace(measures=()))):
            return False  # a guide beside a word that could be a label, such as a city called Guía
        left = self._house - 1 if self._house else None
        before = "" if left is None or left in (*self._names, *self._content) else text_of(cells[left])
        return are_numbers or any(is_wording(text) and not _DIGIT.search(text) for text in (before, hawb))

    def _is_made_otherwise(self, hawb: str, cells: Sequence[Cell]) -> bool:
        """Whether a text has no digit where all HAWBs have one, or differs from all in its length and its letters."""
        if not self._guides:
            return False
        is_unlike = self._is_unlike(hawb)
        if not _DIGIT.search(hawb):
            return self._all_have_digits
        is_other = len(hawb) not in self._lengths and _letters(hawb) not in self._beginnings
        are_enough = len(self._guides) >= _FEWEST_ALIKE or not self._has_measure(cells)
        return are_enough and is_other and is_unlike

    def has_content(self, cells: Sequence[Cell]) -> bool:
        """Whether a row describes goods, or gives a measure of them."""
        return self._describes(cells) or self._has_measure(cells)

    def _scant(self, hawb: str, cells: Sequence[Cell]) -> RowKind:
        """The kind of a row that is almost empty."""
        if is_heading_row(cells, self._header.headings):
            return "heading"
        if any(isinstance(cell, str) and names_sums(text_of(cell)) for cell in cells):
            return "total"
        may_be_house = is_identifier(hawb) or not (self._have_usually_digits or self._is_wording(hawb))
        if hawb and may_be_house and not self._is_unlike(hawb):
            return "too_few_values"
        has_number = self._has_measure(cells) or (self._describes(cells) and any(map(reads_as_number, cells)))
        return self._without_hawb(cells, has_measure=True) if not hawb and has_number else "note"

    def _unusual(self, hawb: str, cells: Sequence[Cell]) -> RowKind:
        has_measure = self._has_measure(cells)
        if not has_measure and is_heading_row(cells, self._header.headings):
            return "heading"
        if not self._guides and numbers_columns(cells):
            return "instructions"
        if not any(map(str.isalnum, hawb)) or hawb.endswith(":") or "".join(spell(hawb)) in CELL_WORDS["no_house"]:
            is_line = hawb and not any(map(str.isalnum, "".join(text_of(cells[column]) for column in self._counted)))
            return "note" if is_line else self._without_hawb(cells, has_measure=has_measure)
        has_consignee = self._has_consignee(cells)
        if (names_sums(hawb) and (self._document is None or _is_blank(cells[self._document]))) or (
            is_total(hawb) and not has_consignee
        ):
            return "total"
        if not self._guides and _EXAMPLE.match(hawb):
            return "example" if has_measure else "instructions"
        is_rule = not self._guides and self._are_rarely_chinese and _CHINESE.search(hawb)
        if is_rule or (not has_measure and self._is_remark(hawb, cells)):
            return "note" if self._guides else "instructions"
        if has_consignee or (self._names_company(cells) and not self._is_unlike(hawb)):
            return "guide"
        if not self._describes(cells):
            return "no_consignee"
        return "hawb_unlike_others" if self._is_unlike(hawb) else "guide"

    def _without_hawb(self, cells: Sequence[Cell], *, has_measure: bool) -> RowKind:
        if not has_measure and not self._guides and not has_own_values(cells, self._values):
            return "instructions"
        if any(isinstance(cell, str) and names_sums(text_of(cell)) for cell in cells):
            return "total"
        if self._has_consignee(cells):
            return "hawb_missing"
        if has_measure and self._describes(cells):
            # Content and a value without a HAWB: it belongs to the guide above, unless the row says otherwise.
            return "hawb_missing" if any(not _is_blank(cells[column]) for column in self._personal) else "product"
        return "measures" if has_measure else "note"

    def _is_remark(self, hawb: str, cells: Sequence[Cell]) -> bool:
        """Whether the HAWB column of a row without a number holds wording of a form."""
        if not self._guides and self._instructs(hawb, cells):
            return True
        if ":" in hawb:
            return True
        if _DIGIT.search(hawb) or has_own_values(cells, self._values._replace(names=())):
            return False
        return " " in hawb or has_label(hawb) or heads_field(hawb)

    def _instructs(self, hawb: str, cells: Sequence[Cell]) -> bool:
        """Whether a row before the first guide explains how to fill the columns."""
        if is_instruction(hawb):
            return True
        if has_own_values(cells, self._values):
            return False
        has_words = any(isinstance(cells[column], str) and not _is_blank(cells[column]) for column in self._measures)
        return has_words and (" " in hawb or not _DIGIT.search(hawb))

    def _is_unlike(self, hawb: str) -> bool:
        """Whether a text differs in form from the HAWBs so far: other kinds of characters, or half the length."""
        if not self._guides:
            return bool(self._usual) and _shape(hawb) not in self._usual
        for guide in self._guides[self._compared :]:  # rarely needed, so left until it is
            shape = _shape(guide)
            self._shapes[shape] = min(len(guide), self._shapes.get(shape, len(guide)))
            self._lengths.add(len(guide))
            self._beginnings.add(_letters(guide))
            self._all_have_digits = self._all_have_digits and _DIGIT.search(guide) is not None
        self._compared = len(self._guides)
        shortest = self._shapes.get(_shape(hawb))
        return shortest is None or len(hawb) * 2 < shortest

    def _has_measure(self, cells: Sequence[Cell]) -> bool:
        return any(reads_as_number(cells[column]) for column in self._measures)

    def _describes(self, cells: Sequence[Cell]) -> bool:
        return any(not _is_blank(cells[column]) for column in self._content)

    def _has_consignee(self, cells: Sequence[Cell]) -> bool:
        for column in self._names:
            # A count of guides under a column of names is not a name.
            cell = cells[column]
            if isinstance(cell, str) and cell.strip() and not is_total(cell):
                return True
        return self._has_document(cells)

    def _has_document(self, cells: Sequence[Cell]) -> bool:
        document = None if self._document is None else cells[self._document]
        if isinstance(document, int | float) and (document < _LOWEST_DOCUMENT or document % 1):
            return False  # a sum under a column of documents is none
        return not _is_blank(document) and not is_total(text_of(document))

    def _names_company(self, cells: Sequence[Cell]) -> bool:
        """Whether a name begins as totals do, and goes on: `Total Chile S.A.`, but `TOTAL ARICA` as well."""
        names = (text_of(cells[column]) for column in self._names)
        return any(is_total(name) and not names_sums(name) for name in names)


def _letters(hawb: str) -> str:
    return hawb.rstrip("0123456789-/. ").upper()  # those that it begins with


def _shape(hawb: str) -> tuple[bool, ...]:
    """The kinds of characters in a HAWB."""
    return hawb.isdigit(), hawb.isupper(), hawb.isalpha(), " " in hawb


def _is_blank(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())
