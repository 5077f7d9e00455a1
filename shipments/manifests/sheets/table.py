"""A table's headings and cells: what the values of each column are, and which fields they can be."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import chain, islice, pairwise, permutations

from shipments.manifests.cells import Cell, text_of, tokens, yes_or_no
from shipments.manifests.guide_fields import CHARGES, MONEY
from shipments.manifests.sheets import candidates as are
from shipments.manifests.words.amounts import is_dollars, read_money, read_weight, reads_as_number
from shipments.manifests.words.headings import Heading
from shipments.manifests.words.lexicon import NOUNS, UNITS, Field, has, party_of, words_of
from shipments.manifests.words.nouns import is_unit_price
from shipments.manifests.words.spelling import fold

FEWEST_CONSTANT = 3
"""Values that a column must have to be called constant."""
VALUE_FIELDS: frozenset[Field] = tokens("fob_usd product_value")
"""The fields that a column of a guide's value can serve."""
IDENTITY: frozenset[Field] = tokens("consignee_document consignee_name")
OTHER_PARTIES = frozenset({"other", "shipper"})
"""Whom a heading may name instead of the consignee."""

_TRIED = 100
"""Values of a column that are tested, spread over all."""
_SHARED = 25
"""Values by which it is remembered what a column can be."""
_MULTIPLIED_ROWS, _MOST_COMPARED = 50, 8
_DETAILS: frozenset[Field] = tokens("consignee_document consignee_address consignee_phone consignee_email")


class Fit(IntEnum):
    """Whether the values can be the field's."""

    UNFIT = 0
    PART = 1
    EMPTY = 2
    FIT = 3


@dataclass(frozen=True, slots=True)
class Facts:
    """What the values of a column are, for whichever field.

    counts: whether they are short whole numbers one after the other, wherever they begin. runs: the same for long ones.
    """

    filled: int
    distinct: int
    counts: bool
    runs: bool

    @property
    def is_constant(self) -> bool:
        return self.filled >= FEWEST_CONSTANT and self.distinct == 1


def facts_of(values: Sequence[Cell]) -> Facts:
    texts = [text_of(value) for value in values]
    distinct = len({text.upper() for text in texts})
    runs = False
    if texts and all(text.isascii() and text.isdigit() and len(text) <= 14 for text in texts):
        numbers = [int(text) for text in texts]
        runs = distinct > 1 and all(0 <= after - before <= 1 for before, after in pairwise(numbers))
    counts = (runs and max(map(len, texts)) <= 6) or texts == ["1"] or are.count_rows(values, texts)
    return Facts(len(texts), distinct, counts, runs and len(texts) > 2)


def sample_values(values: Sequence[Cell]) -> Sequence[Cell]:
    return values[:: max(1, len(values) // _TRIED)]


def fit_of(name: Field, values: Sequence[Cell], facts: Facts, party: str) -> Fit:
    """Whether the values of a column can be a field's; party: whom its heading names."""
    if not values:
        return Fit.EMPTY
    sample = sample_values(values)
    test = _FITS.get(name)
    passed = sum(map(test, sample)) if test else len(sample)
    fit = Fit.FIT if passed * 5 >= len(sample) * 4 else Fit.PART if passed * 10 >= len(sample) * 3 else Fit.UNFIT
    if name == "hawb" and fit:
        if facts.distinct == 1 and facts.filled > 1:
            return Fit.UNFIT
        if facts.counts or facts.distinct * 2 < facts.filled:
            return Fit.PART
    if name == "consignee_name" and fit < Fit.FIT and sum(map(are.may_be_named, sample)) * 2 > len(sample):
        return Fit.PART  # `Ana Soto 10452`, `Importadora 3000 EIRL`
    if name in IDENTITY and facts.is_constant and party != "consignee":
        return min(fit, Fit.PART)
    return fit


def fits_of(table: "Table", column: int, fields: Iterable[Field]) -> dict[Field, float]:
    """Field -> the share of a column's first values that can be its; empty without values."""
    values = table.values[column][:_SHARED]
    tests = {name: test for name in fields if values and (test := _FITS.get(name))}
    return {name: round(sum(map(test, values)) / len(values), 2) for name, test in sorted(tests.items())}


_FITS: Mapping[Field, Callable[[Cell], bool]] = {
    "hawb": are.is_house,
    "consignee_name": lambda value: not are.is_not_a_name(value),
    **dict.fromkeys(("given_name", "middle_name", "surname", "second_surname"), are.has_letter),
    "consignee_document": are.is_document_number,
    "consignee_address": lambda value: are.has_letter(value) and not are.is_email(value),
    "consignee_city": are.may_be_place_name,
    "consignee_region": lambda value: are.is_region(value) or not are.is_status(value),
    "consignee_phone": are.may_be_phone,
    "consignee_email": are.is_email,
    **dict.fromkeys(("weight_kg", *MONEY), reads_as_number),
    "packages_count": are.is_count,
    "description_original": are.has_letter,
    "shipper_name": lambda value: are.has_letter(value) and not are.is_email(value),
    "check_digit": lambda value: len(text_of(value)) == 1,
    "vat_collected": lambda value: yes_or_no(value) is not None,
    "consignee_document_type": lambda value: len(text_of(value)) <= 12,
    "address_number": lambda value: len(text_of(value)) <= 10,
    "flight_number": lambda value: are.has_letter(value) or {".", ","}.isdisjoint(text_of(value)),
    "origin": are.is_place,
    **dict.fromkeys(("scheduled_departure", "scheduled_arrival"), lambda value: not are.is_place(value)),
}  # fmt: skip
"""Field -> whether a cell can be its. A field without a test takes any text."""


class Table:
    """The headings of a table and the cells of its first guides, padded to the width of the headings; people's data.

    headings: as the rows of headings were understood. texts: column -> its heading as written, without its group.
    """

    def __init__(
        self, headings: Mapping[int, Heading], texts: Mapping[int, str], sample: Sequence[Sequence[Cell]]
    ) -> None:
        self.headings = headings
        self.texts = texts
        self.sample = sample
        self.values = {column: are.values_of(sample, column) for column in headings}
        self.facts = {column: facts_of(values) for column, values in self.values.items()}
        self.words = {column: words_of(heading.text) for column, heading in headings.items()}

    def values_in(self, column: int) -> Sequence[Cell]:
        """The filled cells of a column, also of one without a heading."""
        return self.values[column] if column in self.values else are.values_of(self.sample, column)

    def fit(self, name: Field, column: int) -> Fit:
        return fit_of(name, self.values[column], self.facts[column], self.headings[column].party)

    def party_left_of(self, column: int) -> str:
        """Whom the nearest heading to the left that names a party is about."""
        lefts = (self.headings[left].party for left in sorted(self.headings, reverse=True) if left < column)
        return next(filter(None, lefts), "")

    def is_anothers(self, column: int) -> bool:
        """Whether a column is about the shipper or a third party."""
        return (self.headings[column].party or self.party_left_of(column)) in OTHER_PARTIES

    def names_others(self, column: int) -> bool:
        """Whether a heading names the shipper or a third party, among others."""
        return any(party_of((word,)) in OTHER_PARTIES for word in self.words[column])

    def is_divided(self, one: int, other: int) -> bool:
        """Whether a column without heading and values is between two columns."""
        return any(min(one, other) < gap < max(one, other) for gap in self._gaps)

    @cached_property
    def _gaps(self) -> Sequence[int]:
        between = range(min(self.headings, default=0), max(self.headings, default=0))
        return [each for each in between if each not in self.headings and not self.values_in(each)]

    @cached_property
    def has_charges(self) -> bool:
        return any(
            has(words, "freight", "charge", "subtotal")
            and self.headings[column].fields() <= {"unused", "fob_usd", *CHARGES}
            and are.are_mostly(sample_values(self.values[column]), reads_as_number)
            for column, words in self.words.items()
        )

    @cached_property
    def is_in_dollars(self) -> bool:
        """Whether a value's heading or a column of currencies says that the values are dollars."""
        return any(
            (each.fields() & VALUE_FIELDS and each.currency == "USD")
            or (
                "currency" in each.fields()
                and (cells := self.values[column])
                and all(map(is_dollars, map(text_of, cells)))
            )
            for column, each in self.headings.items()
        )

    @cached_property
    def counts_goods(self) -> bool:
        """Whether a quantity counts goods: beside a unit price, an article number or a unit of goods."""
        no_goods = UNITS.keys() | NOUNS["packages_count"]
        for column, words in self.words.items():
            if not self.values[column]:
                continue
            is_article = set(words) == {"item", "numero"} and not self.facts[column].counts
            if is_unit_price(words) or has(words, "sku") or is_article:
                return True
            units = {fold(text_of(value)) for value in self.values[column]} if has(words, "unit_word") else set()
            if units and all(len(unit) == 1 and unit[0] not in no_goods for unit in units):
                return True
        return False

    @cached_property
    def has_quantities(self) -> bool:
        """Whether a bare quantity is more than one anywhere."""
        return any(
            any(meaning.field == "packages_count" and meaning.rank for meaning in heading.meanings)
            and any(text_of(value) not in {"", "1"} for value in self.values[column])
            for column, heading in self.headings.items()
        )

    @cached_property
    def of_pieces(self) -> Sequence[tuple[int, int, int]]:
        """The values and weights that a count turns into others: the column of one piece, of the whole, the count."""
        rows = self.sample[:_MULTIPLIED_ROWS]
        counts = self._numeric(tokens("packages_count unused"))
        return [
            (one, whole, count)
            for names, read in ((VALUE_FIELDS, read_money), (tokens("weight_kg"), read_weight))
            for one, whole in permutations(self._numeric(names), 2)
            for count in counts
            if count not in {one, whole} and are.multiplies(rows, count, one, whole, read)
        ]

    def _numeric(self, names: frozenset[Field]) -> Sequence[int]:
        """The first columns of numbers whose headings may mean one of these fields."""
        found = (
            column
            for column, each in self.headings.items()
            if each.fields() & names and are.are_mostly(sample_values(self.values[column]), reads_as_number)
        )
        return list(islice(found, _MOST_COMPARED))

    @cached_property
    def contact_words(self) -> frozenset[str]:
        """The words of the headings for documents, addresses, phones and e-mails."""
        fields = (each.fields() for each in self.headings.values())
        details = (words for words, each in zip(self.words.values(), fields, strict=True) if each & _DETAILS)
        return frozenset(chain.from_iterable(details))

    def is_door(self, column: int) -> bool:
        """Whether a bare `N°` stands right of a street, or a `House number` of short numbers beside one."""
        words = {*self.words[column]} - {"de"}
        is_house = words == {"house", "numero"} and are.are_mostly(
            sample_values(self.values[column]), are.is_short_number
        )
        if words != {"numero"} and not is_house:
            return False
        beside = (column - 1, column + 1) if is_house else (column - 1,)
        return any("consignee_address" in self.headings[each].fields() for each in beside if each in self.headings)

    def most_distinct(self, name: Field) -> int:
        """How many different values the consignees' columns for a field have at most."""
        theirs = (column for column, each in self.headings.items() if each.party not in OTHER_PARTIES)
        return max((self.facts[each].distinct for each in theirs if name in self.headings[each].fields()), default=0)

    @cached_property
    def people(self) -> int:
        """How many different consignees there are."""
        return self.most_distinct("consignee_name")

    @cached_property
    def identifying(self) -> Sequence[int]:
        """The columns, which no other field needs, that differ on nearly every row, as house numbers do."""
        return [
            column
            for column, heading in self.headings.items()
            if not heading.fields() - {"hawb", "unused", "mawb"}
            and not self.is_door(column)
            and heading.party not in {"shipper", "other"}
            and (facts := self.facts[column]).filled >= 2  # one row tells nothing
            and facts.distinct * 4 >= facts.filled * 3
            and not facts.counts
            and self.fit("hawb", column) >= Fit.PART
        ]

    def another_identifies(self, column: int) -> bool:
        """Whether another column is filled as well, and differs on every row."""
        fewest = self.facts[column].filled - 3
        return any(other != column and self.facts[other].filled >= fewest for other in self.identifying)
