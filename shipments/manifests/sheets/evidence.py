"""The evidence that a column serves a field: what its heading says, and what its values are.

`TABLE` decides, by how clearly the words name the field and whether the values can be it. `AT_MOST` has what else
speaks against a column, one thing after the other. A strength above `DOUBTFUL` is read; a doubt is asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from shipments.manifests.cells import Cell, tokens
from shipments.manifests.destinations import is_town_abroad
from shipments.manifests.guide_fields import CHARGES, GUIDE_FIELDS
from shipments.manifests.places import names_place
from shipments.manifests.sheets import candidates as are
from shipments.manifests.sheets.answers import Told
from shipments.manifests.sheets.matching import best_total
from shipments.manifests.sheets.table import (
    FEWEST_CONSTANT,
    IDENTITY,
    OTHER_PARTIES,
    VALUE_FIELDS,
    Facts,
    Fit,
    Table,
    sample_values,
)
from shipments.manifests.words.amounts import reads_as_number
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
    words_for,
    words_of,
)
from shipments.manifests.words.nouns import UNREADABLE, currency_in, is_qualifier
from shipments.manifests.words.spelling import split_brackets


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

_NOT_CORE: frozenset[Field] = (PERSONAL | {"description_original"}) - CORE


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
        return are.are_mostly(sample_values(self.table.values[self.column]), test)


_SAYS_ELSE = ("straying", "negation", "date", "kind", "former")
"""Classes of words beside which a fitting column is asked, whatever the field."""

AT_MOST: Sequence[tuple[Strength, frozenset[Field], Callable[[_Seen], bool]]] = (
    # A name column full of addresses, documents or whole blocks; a constant one beside many documents: an agent.
    (_D, tokens("consignee_name"), lambda it: it.fit == Fit.UNFIT),
    (_D, tokens("consignee_name"), lambda it: (
        it.facts.is_constant and it.table.most_distinct("consignee_document") >= FEWEST_CONSTANT
    )),
    # `RUT agente consignatario` is the agent's; `ID (sender)` the sender's.
    (_D, IDENTITY, lambda it: it.heading.party == "consignee" and it.table.names_others(it.column)),
    (_N, PERSONAL, lambda it: it.heading.party in OTHER_PARTIES),
    # Fewer documents than people are somebody else's, unless the heading is the document's own.
    (_D, tokens("consignee_document"), lambda it: (
        it.level < Level.EXACT and it.facts.distinct * 4 < it.table.people * 3
    )),
    # `Ref`, `ID`, `Order no.`: where another column identifies every row, too. A counter, wherever it begins.
    (_D, tokens("hawb"), lambda it: it.meaning.rank >= 3 and it.table.another_identifies(it.column)),
    (_D, tokens("hawb"), lambda it: (
        it.facts.counts and (it.meaning.rank >= 2 or it.table.another_identifies(it.column))
    )),
    (_D, tokens("hawb"), lambda it: (
        it.says("house") and it.is_mostly(are.is_short_number) and it.table.another_identifies(it.column)
    )),
    # A short number under `N°` may be a row's; beside a street it is a door's.
    (_D, tokens("hawb"), lambda it: it.meaning.rank >= 3 and it.is_mostly(are.is_short_number)),
    (_N, tokens("hawb"), lambda it: it.table.is_door(it.column)),
    # Names: the headings are shifted against the values.
    (_N, tokens("hawb"), lambda it: it.is_mostly(are.has_words_only)),
    # `Tracking tienda` is the seller's own.
    (_D, tokens("hawb"), lambda it: (
        it.heading.party in {"customer", "shipper"}
        or (it.heading.party == "other" and it.level < Level.EXACT and not it.says("courier"))
    )),
    # Anything of an order, or of the way to the door; a second number.
    (_D, tokens("hawb"), lambda it: it.has("of_order", "internal", "domestic") or it.says("despacho")),
    (_D, tokens("hawb consignee_document"), lambda it: it.says("2")),
    # Beside a charge, the value for customs may include it; so may a bare total.
    (_D, VALUE_FIELDS, lambda it: it.table.has_charges and it.has("customs") and not it.says("declared", "declarado")),
    (_D, VALUE_FIELDS, lambda it: _is_bare_total(it) and (
        it.table.has_charges
        or any("product_value" in each.fields() and it.table.values[c] for c, each in it.table.headings.items())
    )),
    # What somebody else values: `Valor courier`.
    (_D, VALUE_FIELDS, lambda it: it.heading.party == "other"),
    # A price beside quantities may be of one piece.
    (_D, VALUE_FIELDS, lambda it: (
        it.has("price") and not it.has("of_guide") and not it.says("fob") and it.table.has_quantities
    )),
    # What a count turns into another column is of one piece, and the count is of goods.
    (_N, VALUE_FIELDS | {"weight_kg"}, lambda it: any(it.column == one for one, _, _ in it.table.of_pieces)),
    (_N, tokens("packages_count"), lambda it: (
        bool(it.meaning.rank) and any(it.column == by for _, _, by in it.table.of_pieces)
    )),
    (_N, tokens("packages_count"), lambda it: it.meaning.rank == 1 and it.table.counts_goods),
    (_N, tokens("packages_count"), lambda it: it.meaning.rank > 1),
    # `Teléfono bodega`, `Descripción del servicio`, `Altura (cm)`.
    (_N, _NOT_CORE, lambda it: it.level == Level.HEAD and (
        has(it.unknown, *_SAYS_ELSE, "other", "charge")
        or (it.field in PERSONAL
            and bool(find_unlisted(set(it.unknown) & {*words_of(split_brackets(it.heading.text)[0])})))
    )),
    (_N, tokens("address_number"), lambda it: it.has("length_unit")),
    # Words of other things, too: `Estado`, `Zona`, `Departamento`.
    (_N, tokens("consignee_region"), lambda it: (
        it.heading.party != "consignee"
        and (it.has("region_or_not") or it.level < Level.EXACT)
        and sum(map(are.is_region, (cells := sample_values(it.table.values[it.column])))) * 2 < len(cells)
    )),
    (_N, tokens("description_original"), lambda it: (
        bool(it.meaning.rank) and it.is_mostly(lambda value: are.is_code(value) or reads_as_number(value))
    )),
    # Of a charge the currency must be known: by its heading, or by the values' or the currency's column.
    (_N, frozenset(CHARGES), lambda it: (
        currency_in(it.table.words[it.column], words_for(it.field))[0] != "USD"
        and not (it.table.is_in_dollars and not CURRENCIES.keys() & {*it.table.words[it.column]})
    )),
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
            yield _prove(table, column, Meaning("address_number", 0, is_exact=False))
        if "hawb" not in fields and are.are_mostly(sample_values(values), are.is_postal_identifier):
            yield _prove(table, column, Meaning("hawb", 2, is_exact=False))
        is_maybe_theirs = (
            "consignee_document" not in fields and not table.is_anothers(column) and not table.names_others(column)
        )
        if (
            is_maybe_theirs
            and are.are_ruts(sample_values(values))
            and table.facts[column].distinct * 4 >= table.people * 3
        ):
            yield _prove(table, column, Meaning("consignee_document", 3, is_exact=False))


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


def _prove(table: Table, column: int, meaning: Meaning) -> Evidence:
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
    if it.field in VALUE_FIELDS:
        is_named = it.says("fob") or it.has("declared")
        is_clear = not has(it.unknown, "of_order") and all(is_qualifier(w) or _is_place(w) for w in it.unknown)
        return it.field == "fob_usd" and is_named and is_clear  # `FOB Miami`
    is_own = it.field not in IDENTITY or it.heading.party == "consignee"
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
        score += 30 * are.are_ruts(sample_values(table.values[column]))
        score -= 40 * (facts.is_constant and table.people >= FEWEST_CONSTANT)  # an agent's, beside another
    elif name == "weight_kg":
        score -= 14 * (heading.unit not in {"", "kg"}) + 240 * (heading.unit == UNREADABLE)
    elif name == "fob_usd":
        score += 14 * (heading.currency == "USD") - 240 * (heading.currency not in {"", "USD"})
    return score - column * 0.01
