"""The evidence that a column serves a field: what its heading says, and what its values are.

`TABLE` decides, by how clearly the words name the field and whether the values can be it. `AT_MOST` has what else
speaks against a column, a line each. A strength above `DOUBTFUL` is read; a doubt is asked.
"""
# ruff: noqa: E501 - a piece of evidence is a line of the table

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import chain, islice, pairwise, permutations

from shipments.manifests.cells import Cell, text_of, tokens, yes_or_no
from shipments.manifests.destinations import is_town_abroad
from shipments.manifests.guide_fields import CHARGES, GUIDE_FIELDS, MONEY
from shipments.manifests.places import names_place
from shipments.manifests.sheets import candidates as are
from shipments.manifests.sheets.answers import Told
from shipments.manifests.sheets.matching import best_total
from shipments.manifests.words.amounts import is_dollars, read_money, read_weight, reads_as_number
from shipments.manifests.words.headings import Heading
from shipments.manifests.words.levels import Level, Words, changes_nothing, level_of
from shipments.manifests.words.lexicon import (
    CURRENCIES,
    NOUNS,
    PERSONAL,
    UNITS,
    Field,
    Meaning,
    Tokens,
    find_unlisted,
    has,
    party_of,
    words_for,
    words_of,
)
from shipments.manifests.words.nouns import UNREADABLE, currency_in, is_qualifier, is_unit_price
from shipments.manifests.words.spelling import fold, split_brackets


class Fit(IntEnum):
    """Whether the values can be the field's."""

    UNFIT = 0
    PART = 1
    EMPTY = 2
    FIT = 3


class Strength(IntEnum):
    """How well the evidence is for a field. `TOLD`: a person said so."""

    NO = 0
    DOUBTFUL = 1
    LIKELY = 2
    SURE = 3
    TOLD = 4


_N, _D, _L, _S = Strength.NO, Strength.DOUBTFUL, Strength.LIKELY, Strength.SURE

#                   core: UNFIT PART EMPTY FIT  other: UNFIT PART EMPTY FIT
TABLE: Mapping[Level, tuple[tuple[Strength, ...], tuple[Strength, ...]]] = {
    Level.EXACT: ((_L, _L, _L, _S), (_N, _L, _L, _S)),
    Level.KNOWN: ((_D, _L, _L, _S), (_N, _L, _L, _S)),
    Level.HEAD: ((_N, _D, _D, _D), (_N, _N, _L, _L)),
    Level.REMARK: ((_N, _D, _N, _D), (_N, _N, _N, _N)),
    Level.UNIT: ((_N, _N, _N, _D), (_N, _N, _N, _N)),
    Level.NONE: ((_N, _N, _N, _N), (_N, _N, _N, _N)),
}

CORE: frozenset[Field] = tokens("hawb consignee_name consignee_document weight_kg fob_usd product_value packages_count")
"""Fields that are left empty and asked rather than guessed."""

ASSIGNED: tuple[Field, ...] = (
    *(field.name for field in GUIDE_FIELDS if field.in_workbook),
    *("given_name", "middle_name", "surname", "second_surname", "check_digit", "address_number"),
    *("flight_number", "origin", "destination", "scheduled_departure", "scheduled_arrival"),
)
"""The fields that a column can serve."""

TOLD_ONLY: tuple[Field, ...] = ("category", "platform_name")
"""The fields that a column serves only if a person says so."""

_TRIED = 100
"""Values of a column that are tested, spread over all."""
_FEWEST_CONSTANT = 3
_MULTIPLIED_ROWS, _MOST_COMPARED = 50, 8
_MONEY: frozenset[Field] = tokens("fob_usd product_value")
_NAMED: frozenset[Field] = tokens("consignee_document consignee_name")
_OF_OTHERS = frozenset({"other", "shipper"})
_OTHERS: frozenset[Field] = (PERSONAL | {"description_original"}) - CORE
_DETAILS: frozenset[Field] = tokens("consignee_document consignee_address consignee_phone consignee_email")


# --- values -----------------------------------------------------------------------------------------------------------


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
        return self.filled >= _FEWEST_CONSTANT and self.distinct == 1


def facts_of(values: Sequence[Cell]) -> Facts:
    texts = [text_of(value) for value in values]
    distinct = len({text.upper() for text in texts})
    runs = False
    if texts and all(text.isascii() and text.isdigit() and len(text) <= 14 for text in texts):
        numbers = [int(text) for text in texts]
        runs = distinct > 1 and all(0 <= after - before <= 1 for before, after in pairwise(numbers))
    counts = (runs and max(map(len, texts)) <= 6) or texts == ["1"] or are.count_rows(values, texts)
    return Facts(len(texts), distinct, counts, runs and len(texts) > 2)


def tried(values: Sequence[Cell]) -> Sequence[Cell]:
    return values[:: max(1, len(values) // _TRIED)]


def fit_of(name: Field, values: Sequence[Cell], facts: Facts, party: str) -> Fit:
    """Whether the values of a column can be a field's; party: whom its heading names."""
    if not values:
        return Fit.EMPTY
    sample = tried(values)
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
    if name in {"consignee_document", "consignee_name"} and facts.is_constant and party != "consignee":
        return min(fit, Fit.PART)
    return fit


def fits_of(table: "Table", column: int, fields: Iterable[Field]) -> dict[Field, float]:
    """Field -> the share of a column's first values that can be its; empty without values."""
    values = table.values[column][:_SHARED]
    tests = {name: test for name in fields if values and (test := _FITS.get(name))}
    return {name: round(sum(map(test, values)) / len(values), 2) for name, test in sorted(tests.items())}


_SHARED = 25
"""Values by which it is remembered what a column can be."""

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


# --- the table as a whole ---------------------------------------------------------------------------------------------


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
        return bool({self.headings[column].party or self.party_left_of(column)} & {"shipper", "other"})

    def names_others(self, column: int) -> bool:
        """Whether a heading names the shipper or a third party, among others."""
        return any(party_of((word,)) in _OF_OTHERS for word in self.words[column])

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
            and are.are_mostly(tried(self.values[column]), reads_as_number)
            for column, words in self.words.items()
        )

    @cached_property
    def is_in_dollars(self) -> bool:
        """Whether a value's heading or a column of currencies says that the values are dollars."""
        return any(
            (each.fields() & _MONEY and each.currency == "USD")
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
            for names, read in ((_MONEY, read_money), (tokens("weight_kg"), read_weight))
            for one, whole in permutations(self._numeric(names), 2)
            for count in counts
            if count not in {one, whole} and are.multiplies(rows, count, one, whole, read)
        ]

    def _numeric(self, names: frozenset[Field]) -> Sequence[int]:
        """The first columns of numbers whose headings may mean one of these fields."""
        found = (
            column
            for column, each in self.headings.items()
            if each.fields() & names and are.are_mostly(tried(self.values[column]), reads_as_number)
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
        is_house = words == {"house", "numero"} and are.are_mostly(tried(self.values[column]), are.is_short_number)
        if words != {"numero"} and not is_house:
            return False
        beside = (column - 1, column + 1) if is_house else (column - 1,)
        return any("consignee_address" in self.headings[each].fields() for each in beside if each in self.headings)

    def most_distinct(self, name: Field) -> int:
        """How many different values the consignees' columns for a field have at most."""
        theirs = (column for column, each in self.headings.items() if each.party not in {"shipper", "other"})
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


# --- evidence ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a column and a field. score: by which columns and fields are matched."""

    field: Field
    column: int
    meaning: Meaning
    words: Words
    fit: Fit
    strength: Strength
    score: float = 0

    def is_strong(self) -> bool:
        return self.strength >= Strength.LIKELY


@dataclass(frozen=True, slots=True)
class _Seen:
    """A column beside its table, for the lines of `AT_MOST`."""

    table: Table
    column: int
    field: Field
    meaning: Meaning
    level: Level
    unknown: Tokens
    fit: Fit

    @property
    def heading(self) -> Heading:
        return self.table.headings[self.column]

    @property
    def facts(self) -> Facts:
        return self.table.facts[self.column]

    def says(self, *words: str) -> bool:
        return not set(words).isdisjoint(self.table.words[self.column])

    def has(self, *classes: str) -> bool:
        return has(self.table.words[self.column], *classes)

    def is_mostly(self, test: Callable[[Cell], bool]) -> bool:
        return are.are_mostly(tried(self.table.values[self.column]), test)


_SAYS_ELSE = ("straying", "negation", "date", "kind", "former")
"""Classes of words beside which a fitting column is asked, whatever the field."""

AT_MOST: Sequence[tuple[Strength, frozenset[Field], Callable[[_Seen], bool]]] = (
    # A name column full of addresses, documents or whole blocks; a constant one beside many documents: an agent.
    (_D, tokens("consignee_name"), lambda it: it.fit == Fit.UNFIT),
    (_D, tokens("consignee_name"), lambda it: it.facts.is_constant and it.table.most_distinct("consignee_document") >= _FEWEST_CONSTANT),
    # `RUT agente consignatario` is the agent's; `ID (sender)` the sender's.
    (_D, _NAMED, lambda it: it.heading.party == "consignee" and it.table.names_others(it.column)),
    (_N, PERSONAL, lambda it: it.heading.party in _OF_OTHERS),
    # Fewer documents than people are somebody else's, unless the heading is the document's own.
    (_D, tokens("consignee_document"), lambda it: it.level < Level.EXACT and it.facts.distinct * 4 < it.table.people * 3),
    # `Ref`, `ID`, `Order no.`: where another column identifies every row, too. A counter, wherever it begins.
    (_D, tokens("hawb"), lambda it: it.meaning.rank >= 3 and it.table.another_identifies(it.column)),
    (_D, tokens("hawb"), lambda it: it.facts.counts and (it.meaning.rank >= 2 or it.table.another_identifies(it.column))),
    (_D, tokens("hawb"), lambda it: it.says("house") and it.is_mostly(are.is_short_number) and it.table.another_identifies(it.column)),
    # A short number under `N°` may be a row's; beside a street it is a door's.
    (_D, tokens("hawb"), lambda it: it.meaning.rank >= 3 and it.is_mostly(are.is_short_number)),
    (_N, tokens("hawb"), lambda it: it.table.is_door(it.column)),
    # Names: the headings are shifted against the values.
    (_N, tokens("hawb"), lambda it: it.is_mostly(are.has_words_only)),
    # `Tracking tienda` is the seller's own.
    (_D, tokens("hawb"), lambda it: it.heading.party in {"customer", "shipper"} or (it.heading.party == "other" and it.level < Level.EXACT and not it.says("courier"))),
    # Anything of an order, or of the way to the door; a second number.
    (_D, tokens("hawb"), lambda it: it.has("of_order", "internal", "domestic") or it.says("despacho")),
    (_D, tokens("hawb consignee_document"), lambda it: it.says("2")),
    # Beside a charge, the value for customs may include it; so may a bare total.
    (_D, _MONEY, lambda it: it.table.has_charges and it.has("customs") and not it.says("declared", "declarado")),
    (_D, _MONEY, lambda it: _is_bare_total(it) and (it.table.has_charges or any("product_value" in each.fields() and it.table.values[c] for c, each in it.table.headings.items()))),
    # What somebody else values: `Valor courier`.
    (_D, _MONEY, lambda it: it.heading.party == "other"),
    # A price beside quantities may be of one piece.
    (_D, _MONEY, lambda it: it.has("price") and not it.has("of_guide") and not it.says("fob") and it.table.has_quantities),
    # What a count turns into another column is of one piece, and the count is of goods.
    (_N, _MONEY | {"weight_kg"}, lambda it: any(it.column == one for one, _, _ in it.table.of_pieces)),
    (_N, tokens("packages_count"), lambda it: bool(it.meaning.rank) and any(it.column == by for _, _, by in it.table.of_pieces)),
    (_N, tokens("packages_count"), lambda it: it.meaning.rank == 1 and it.table.counts_goods),
    (_N, tokens("packages_count"), lambda it: it.meaning.rank > 1),
    # `Teléfono bodega`, `Descripción del servicio`, `Altura (cm)`.
    (_N, _OTHERS, lambda it: it.level == Level.HEAD and (has(it.unknown, *_SAYS_ELSE, "other", "charge") or (it.field in PERSONAL and bool(find_unlisted(set(it.unknown) & {*words_of(split_brackets(it.heading.text)[0])}))))),
    (_N, tokens("address_number"), lambda it: it.has("length_unit")),
    # Words of other things, too: `Estado`, `Zona`, `Departamento`.
    (_N, tokens("consignee_region"), lambda it: it.heading.party != "consignee" and (it.has("region_or_not") or it.level < Level.EXACT) and sum(map(are.is_region, (cells := tried(it.table.values[it.column])))) * 2 < len(cells)),
    (_N, tokens("description_original"), lambda it: bool(it.meaning.rank) and it.is_mostly(lambda value: are.is_code(value) or reads_as_number(value))),
    # Of a charge the currency must be known: by its heading, or by the values' or the currency's column.
    (_N, frozenset(CHARGES), lambda it: currency_in(it.table.words[it.column], words_for(it.field))[0] != "USD" and not (it.table.is_in_dollars and not CURRENCIES.keys() & {*it.table.words[it.column]})),
    # Above the guides it is the flight's country of origin; in a column, the goods'.
    (_N, tokens("origin"), lambda it: "goods_country" in it.heading.fields()),
    (_N, tokens("destination origin"), lambda it: it.level < Level.KNOWN and not it.is_mostly(are.is_place)),
)  # fmt: skip
"""The strength that a column of these fields has at most, where the condition holds."""

_CONFIRMED_BY_VALUES: frozenset[Field] = tokens("hawb consignee_document consignee_name packages_count")


def _is_bare_total(it: _Seen) -> bool:
    is_of_parcel = it.has("of_goods_value") and not it.table.has_charges and it.says(*NOUNS["packages_count"], "guia")
    is_whole = any(it.column == whole for _, whole, _ in it.table.of_pieces)
    is_named = it.says("fob") or it.has("declared") or is_of_parcel or is_whole
    return it.meaning.rank >= 3 and it.says("total", "totales", "sum", "suma") and not is_named


def evidence_in(table: Table) -> Iterator[Evidence]:
    """What speaks for each column and each field that its heading may mean, or that its values prove."""
    for column, heading in table.headings.items():
        for meaning in heading.meanings:
            if meaning.field in ASSIGNED:
                yield _evidence(table, column, meaning)
        fields, values = heading.fields(), table.values[column]
        if table.is_door(column) and not table.facts[column].counts:
            yield _proved(table, column, Meaning("address_number", 0, is_exact=False))
        if "hawb" not in fields and are.are_mostly(tried(values), are.is_postal_identifier):
            yield _proved(table, column, Meaning("hawb", 2, is_exact=False))
        is_maybe_theirs = (
            "consignee_document" not in fields and not table.is_anothers(column) and not table.names_others(column)
        )
        if is_maybe_theirs and are.are_ruts(tried(values)) and table.facts[column].distinct * 4 >= table.people * 3:
            yield _proved(table, column, Meaning("consignee_document", 3, is_exact=False))


def all_evidence(table: Table, told: Told) -> Iterator[Evidence]:
    """The same, with what a person has said of these headings; of several columns told for a field the first."""
    of, likely = told.of(table.headings), told.likely_of(table.headings)
    fields = {answer.field for answer in of.values()}
    given: set[Field] = set()
    for column, answer in sorted(of.items()):
        if answer.field in {*ASSIGNED, *TOLD_ONLY} - given:
            given.add(answer.field)
            meaning, words = Meaning(answer.field, 0), Words(Level.EXACT)
            yield Evidence(answer.field, column, meaning, words, Fit.FIT, Strength.TOLD, _BASE[Strength.TOLD])
    for column, answer in likely.items():
        if answer.field in ASSIGNED and (fit := table.fit(answer.field, column)):
            meaning, words = Meaning(answer.field, 0), Words(Level.KNOWN)
            score = _score(table, column, meaning, words, fit, _L)
            yield Evidence(answer.field, column, meaning, words, fit, _L, score)
    for each in evidence_in(table):
        if each.column not in of and each.column not in likely and each.field not in fields:
            yield each


def _proved(table: Table, column: int, meaning: Meaning) -> Evidence:
    """Evidence by values alone: identifiers of the postal union, RUTs with right check digits.

    If the heading has the field's noun and says something else besides, it may be another's, or a former one.
    """
    name, words = meaning.field, table.words[column]
    unknown = tuple(word for word in words if not changes_nothing(word, name))
    is_qualified = bool(unknown) and (not NOUNS.get(name, frozenset()).isdisjoint(words) or has(words, *_SAYS_ELSE))
    strength = _D if is_qualified else _L
    seen = Words(Level.NONE, unknown)
    score = _score(table, column, meaning, seen, Fit.FIT, strength)
    return Evidence(name, column, meaning, seen, Fit.FIT, strength, score)


def _evidence(table: Table, column: int, meaning: Meaning) -> Evidence:
    name, heading = meaning.field, table.headings[column]
    words = level_of(heading, meaning, table.texts.get(column, heading.text))
    fit = table.fit(name, column)
    seen = _Seen(table, column, name, meaning, words.level, words.unknown, fit)
    strength = TABLE[words.level][name not in CORE][fit]
    if words.level == Level.HEAD and fit == Fit.FIT and _do_values_confirm(seen):
        strength = _L
    measured = heading.unit if name == "weight_kg" else heading.currency if name == "fob_usd" else ""
    if words.level == Level.HEAD and fit == Fit.FIT and measured not in {"", "USD", *UNITS.values()}:
        strength = _L  # the unit or the currency is in doubt, which is asked; nothing is read
    strength = min([strength, *(most for most, fields, holds in AT_MOST if name in fields and holds(seen))])
    return Evidence(name, column, meaning, words, fit, strength, _score(table, column, meaning, words, fit, strength))


def _do_values_confirm(it: _Seen) -> bool:
    """Whether fitting values confirm a heading with unknown words."""
    if it.field in _MONEY:
        is_named = it.says("fob") or it.has("declared")
        is_clear = not has(it.unknown, "of_order") and all(is_qualifier(w) or _is_place(w) for w in it.unknown)
        return it.field == "fob_usd" and is_named and is_clear  # `FOB Miami`
    is_own = it.field not in _NAMED or it.heading.party == "consignee"
    is_ranked = it.field != "packages_count" or not it.meaning.rank
    is_known = it.field != "hawb" or not find_unlisted(it.unknown)  # `Guía zafra` may be another's number
    return (
        it.field in _CONFIRMED_BY_VALUES
        and is_own
        and is_ranked
        and is_known
        and not has(it.unknown, *_SAYS_ELSE, "other")
    )


def _is_place(word: str) -> bool:
    return len(word) > 3 and (is_town_abroad(word) or names_place(word))  # no code of an airport


def best_of(found: Iterable[Evidence]) -> dict[Field, Evidence]:
    """The evidence for the column of each field, so that the total is the best."""
    offered: dict[Field, dict[int, Evidence]] = {}
    for each in found:
        if each.strength:
            offered.setdefault(each.field, {})[each.column] = each
    scores = {name: {column: each.score for column, each in columns.items()} for name, columns in offered.items()}
    return {name: offered[name][column] for name, column in best_total(scores).items()}


# --- scores -----------------------------------------------------------------------------------------------------------

_BASE = {Strength.DOUBTFUL: 250, Strength.LIKELY: 700, Strength.SURE: 1000, Strength.TOLD: 100_000}
_PARTIES = {"consignee": 60, "": 40, "customer": 20}
_OF_RANK, _OF_EXACT, _OF_FIT = 12, 20, 15
THIN = 11
"""A smaller margin between two columns whose values differ is a doubt. Less than a rank, more than a preference."""


def _score(table: Table, column: int, meaning: Meaning, words: Words, fit: Fit, strength: Strength) -> float:
    """By strength, party, rank, exactness and fit, and some preferences; of equal columns the left one is better."""
    name, heading, facts = meaning.field, table.headings[column], table.facts[column]
    rank = meaning.rank % 10 if meaning.is_anybodys or meaning.rank >= 20 else meaning.rank
    score = _BASE.get(strength, 0) - _OF_RANK * rank + _OF_EXACT * (words.level == Level.EXACT) + _OF_FIT * fit
    score += _PARTIES.get(heading.party, 0) if name in PERSONAL else 0
    unfit = 350 if strength > Strength.DOUBTFUL else 200
    score -= unfit if words.level >= Level.KNOWN and fit == Fit.UNFIT else 500 if not facts.filled else 0
    if name == "hawb":
        score -= 200 * facts.counts + 30 * facts.runs
    elif name == "consignee_name":
        score -= 60 * (heading.party != "consignee" and facts.distinct * 4 < table.people * 3)  # a client of several
        score += meaning.says_name * (24 if heading.party == "consignee" else 12)
        is_customer = heading.party == "customer" and not table.contact_words.isdisjoint(table.words[column])
        score += 14 * is_customer  # `Adquirente` beside `RUT adquirente`
    elif name == "consignee_document":
        score += 30 * are.are_ruts(tried(table.values[column]))
        score -= 40 * (facts.is_constant and table.people >= _FEWEST_CONSTANT)  # an agent's, beside another
    elif name == "weight_kg":
        score -= 14 * (heading.unit not in {"", "kg"}) + 240 * (heading.unit == UNREADABLE)
    elif name == "fob_usd":
        score += 14 * (heading.currency == "USD") - 240 * (heading.currency not in {"", "USD"})
    return score - column * 0.01
