"""Which column is read for which field: the matching with the best total, without what is in doubt.

A doubt is a question to a person; what is filled and not read is kept in extra data.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from shipments.manifests.cells import Cell, text_of, tokens
from shipments.manifests.sheets.answers import NOTHING_TOLD, Told
from shipments.manifests.sheets.candidates import (
    are_mostly,
    has_house_number,
    has_words_only,
    is_code,
    is_contact,
)
from shipments.manifests.sheets.evidence import CORE, THIN, Evidence, Strength, all_evidence, best_of
from shipments.manifests.sheets.measures import measures_of
from shipments.manifests.sheets.surveys import CellRules, Columns, Doubt, DoubtReason, normal_value
from shipments.manifests.sheets.table import Fit, Table
from shipments.manifests.waybills import find_labelled_mawbs, has_valid_check_digit, join_mawb
from shipments.manifests.words.amounts import read_weight
from shipments.manifests.words.levels import Level
from shipments.manifests.words.lexicon import NOUNS, UNITS, Field
from shipments.manifests.words.nouns import UNREADABLE, is_excluded
from shipments.manifests.words.spelling import fold

_MARGIN_OF_PEOPLE = 60
"""Instead of `THIN`, between a column that names anybody and a customer's: `Nombre`, `Cliente`."""
_SAME_WEIGHT = 50
"""Weights whose difference is less than this part of them are the same, rounded in another unit."""
_MEASURES = tokens("weight_kg packages_count fob_usd product_value")
_NAME_PARTS: tuple[Field, ...] = ("given_name", "middle_name", "surname", "second_surname")
_SOUGHT: Sequence[tuple[Field, frozenset[str]]] = (
    ("weight_kg", NOUNS["weight_kg"] | {unit for unit in UNITS if len(unit) > 1}),
    ("fob_usd", NOUNS["fob_usd"] | {"usd", "dolares"}),
    ("packages_count", NOUNS["packages_count"]),
    ("consignee_document", NOUNS["consignee_document"]),
    ("consignee_name", NOUNS["consignee_name"]),
)
"""Core fields that are asked if nothing serves them, with the words of headings that may mean them."""


def assign(table: Table, labelled: Collection[str] = (), told: Told = NOTHING_TOLD) -> Columns:
    """Choose the columns of a table.

    labelled: MAWBs labelled in cells outside the table. told: what a person has said of the layout.
    """
    return _Assignment(table, labelled, told).settle()


def find_parted_mawbs(values: Mapping[int, Sequence[Cell]]) -> Iterator[tuple[int, str]]:
    """The MAWBs of which two columns beside each other have the parts on every row, each with the left column.

    values: column -> its filled cells.
    """
    for column, cells in values.items():
        beside = values.get(column + 1, ())
        mawb = join_mawb(text_of(cells[0]), text_of(beside[0])) if cells and beside else None
        if mawb and all(len(set(map(text_of, each))) == 1 for each in (cells, beside)):
            yield column, mawb


class _Assignment:
    def __init__(self, table: Table, labelled: Collection[str], told: Told) -> None:
        self.table = table
        self.labelled = labelled
        self.answers = dict(sorted(told.of(table.headings).items()))
        self.single: dict[Field, int] = {}
        self.taken: set[int] = set()
        self.doubts: list[Doubt] = []
        self.strengths: dict[int, Strength] = {}
        self.offered: dict[Field, list[Evidence]] = {}
        for each in all_evidence(table, told):
            self.offered.setdefault(each.field, []).append(each)
        self._drop_the_shippers()

    def _find_told(self, name: Field) -> tuple[int, ...]:
        """The columns told for a field, from left to right."""
        return tuple(column for column, answer in self.answers.items() if answer.field == name)

    def settle(self) -> Columns:
        mawb = self._waybills()
        self.taken.update(mawb)
        best = best_of(each for found in self.offered.values() for each in found if each.column not in mawb)
        self._part_the_swapped(best)
        for name, chosen in best.items():
            rivals = self._rivals(chosen, {*mawb, *(each.column for each in best.values())})
            if doubt := self._doubt(chosen, rivals):
                self.doubts.append(doubt)
            if not doubt or name == "hawb":  # without a HAWB there is nothing to ask about
                self.single[name] = chosen.column
                self.strengths[chosen.column] = chosen.strength
        self.strengths |= dict.fromkeys((c for c, answer in self.answers.items() if answer.field), Strength.TOLD)
        names = self._names()
        self._ask_for_what_is_missing(names)
        address = self._address()
        self._share_contact()
        self._settle_value()
        rules = self._rules()
        self.taken.update(self.single.values(), mawb, address, rules.weights)
        measures = measures_of(self.single, self.table.headings, self.taken, self.table.sample, ())
        self.taken.update(measures.columns())
        return Columns(
            single=self.single,
            names=names,
            address=address,
            mawb=mawb,
            measures=measures,
            loose=tuple(column for column in self.table.headings if column not in self.taken),
            doubts=tuple(self.doubts),
            strengths=self.strengths,
            rules=rules,
            counts_goods=self.table.counts_goods,
        )

    def _rules(self) -> CellRules:
        """What was told of the cells of these columns."""
        answers = {column: answer for column, answer in self.answers.items() if answer.field}
        weights = self._find_told("weight_kg")[1:]
        return CellRules(
            decimals={each.field: each.decimals for each in answers.values() if each.decimals},
            values={
                column: {normal_value(text): meaning for text, meaning in each.values.items()}
                for column, each in answers.items()
                if each.values
            },
            keys={column: each.key for column, each in self.answers.items() if each.key and not each.field},
            weights={column: self.table.headings[column].unit or "kg" for column in weights},
            month_first=frozenset(each.field for each in answers.values() if each.month_first),
            zones={each.field: each.zone for each in answers.values() if each.zone},
        )

    # --- doubts ---------------------------------------------------------------------------------------------------

    def _rivals(self, chosen: Evidence, taken: Collection[int]) -> list[Evidence]:
        """Other filled columns for the same field that serve nothing, best first."""
        free = (each for each in self.offered[chosen.field] if each.column not in taken and each.strength)
        return sorted((each for each in free if self.table.values[each.column]), key=lambda each: -each.score)

    def _doubt(self, chosen: Evidence, rivals: Sequence[Evidence]) -> Doubt | None:
        """Why a column is not read although nothing is better."""
        name, column = chosen.field, chosen.column
        if chosen.strength == Strength.TOLD:
            return None
        if chosen.strength == Strength.DOUBTFUL:
            reason: DoubtReason = "values_unlike" if chosen.fit == Fit.UNFIT else "weak_heading"
            others = [each.column for each in rivals] + [*(self.table.identifying if name == "hawb" else ())]
            others = [other for other in others if other not in self.answers]
            return Doubt(name, tuple(dict.fromkeys((column, *others))), reason)
        if name == "hawb":
            better = (each for each in rivals if each.meaning.rank < chosen.meaning.rank and each.fit == Fit.FIT)
            if found := next((each for each in better if each.is_strong()), None):
                return Doubt(name, (column, found.column), "rival")
        if name == "weight_kg" and (found := next((each for each in rivals if self._goes_on(chosen, each)), None)):
            return Doubt(name, (column, found.column), "rival")
        if name in _MEASURES and chosen.meaning.rank >= 3:  # a net weight, a total or an item's beside a better one
            readable = (each for each in rivals if self.table.headings[each.column].currency in {"", "USD", UNREADABLE})
            fitting = (each for each in readable if each.fit == Fit.FIT)
            if found := next((e for e in fitting if e.words.level > Level.UNIT or name == "weight_kg"), None):
                return Doubt(name, (column, found.column), "rival")
        if rivals and self._is_close(chosen, rivals[0]):
            return Doubt(name, (column, rivals[0].column), "rival")
        return None

    def _is_close(self, chosen: Evidence, rival: Evidence) -> bool:
        """Whether nothing tells two columns apart, and their values differ on a row that has both."""
        parties = {self.table.headings[each.column].party for each in (chosen, rival)}
        are_bare = chosen.field == "consignee_name" and parties == {"", "customer"} and rival.fit == Fit.FIT
        margin = _MARGIN_OF_PEOPLE if are_bare else THIN
        if rival.strength < chosen.strength or chosen.score - rival.score >= margin or rival.words.level < Level.KNOWN:
            return False
        if chosen.field not in CORE and not self._are_alike(chosen.column, rival.column):
            return False  # `Teléfono` beside `Celular`: the first is as good
        return any(self._differ(chosen, rival, row) for row in self.table.sample)

    def _are_alike(self, one: int, other: int) -> bool:
        """Whether two headings say the same. Programs number equal ones."""
        left, right = ([word for word in self.table.words[column] if not word.isdigit()] for column in (one, other))
        return left == right

    def _goes_on(self, chosen: Evidence, rival: Evidence) -> bool:
        """Whether a weight is written in two columns, such as pounds and ounces."""
        units = {self.table.headings[each.column].unit for each in (chosen, rival)}
        is_pair = units in ({"lb", "oz"}, {"kg", "g"}) and rival.fit == Fit.FIT
        return is_pair and any(self._differ(chosen, rival, row) for row in self.table.sample)

    def _differ(self, one: Evidence, other: Evidence, row: Sequence[Cell]) -> bool:
        """Whether a row has both values, and they differ. The same weight in two units does not."""
        left, right = text_of(row[one.column]), text_of(row[other.column])
        if not left or not right or left == right:
            return False
        if one.field != "weight_kg":
            return True
        weights = [read_weight(row[each.column], self.table.headings[each.column].unit).value for each in (one, other)]
        return None in weights or abs(weights[0] - weights[1]) * _SAME_WEIGHT > weights[0]  # type: ignore[operator]

    def _part_the_swapped(self, best: dict[Field, Evidence]) -> None:
        """Leave names and addresses out that are under each other's headings."""
        name, street = best.get("consignee_name"), best.get("consignee_address")
        if not name or not street or Strength.TOLD in {name.strength, street.strength}:
            return
        values = self.table.values
        if are_mostly(values[name.column], has_house_number) and are_mostly(values[street.column], has_words_only):
            self.doubts.append(Doubt("consignee_name", (name.column, street.column), "values_unlike"))
            del best["consignee_name"], best["consignee_address"]

    def _ask_for_what_is_missing(self, names: Sequence[tuple[int, ...]]) -> None:
        """Ask for each core field without a column if one that serves nothing has a word of it and fitting values."""
        table = self.table
        served = {*self.single, *(["consignee_name"] if names else []), *(doubt.field for doubt in self.doubts)}
        if "product_value" in served:
            served.add("fob_usd")
        judged = {(each.field, each.column) for found in self.offered.values() for each in found if not each.strength}
        for name, of_field in _SOUGHT:
            if name in served:
                continue
            found = [
                column
                for column, heading in table.headings.items()
                if column not in self.taken
                and column not in self.answers
                and column not in self.single.values()
                and not of_field.isdisjoint(table.words[column])
                and not is_excluded(name, table.words[column])
                and (name, column) not in judged
                and heading.party not in {"shipper", "other"}
                and heading.currency in {"", "USD", UNREADABLE}
                and table.fit(name, column) == Fit.FIT
            ]
            if found:
                self.doubts.append(Doubt(name, tuple(found), "no_column"))

    # --- before the matching ----------------------------------------------------------------------------------------

    def _drop_the_shippers(self) -> None:
        """Of columns that do not say whose they are, drop those in the shipper's block, and those far from the HAWB's.

        Where headings repeat each other's words, after the shipper's and after the consignee's, there are such blocks.
        """
        table = self.table

        def is_theirs(each: Evidence) -> bool:
            return each.meaning.is_anybodys and table.is_anothers(each.column)

        def words(found: Iterable[Evidence]) -> set[frozenset[str]]:
            return {frozenset(table.words[each.column]) for each in found}

        are_blocks = any(
            words(filter(is_theirs, found)) & words(each for each in found if not is_theirs(each))
            for found in self.offered.values()
        )
        house = max(self.offered.get("hawb", ()), key=lambda each: each.score, default=None)
        for name, found in self.offered.items():
            left = found
            if are_blocks or any(each.is_strong() and not is_theirs(each) for each in found):
                left = [each for each in found if each.strength == Strength.TOLD or not is_theirs(each)]
            inside = [
                each
                for each in left
                if each.strength == Strength.TOLD or not house or not table.is_divided(each.column, house.column)
            ]
            self.offered[name] = inside if inside and name != "hawb" else left

    # --- waybills ---------------------------------------------------------------------------------------------------

    def _waybills(self) -> tuple[int, ...]:
        """The columns that can carry the MAWB."""
        headings, values = self.table.headings, self.table.values
        for column, mawb in find_parted_mawbs(values):
            is_named = any("mawb" in headings[each].fields() for each in (column, column + 1))
            if is_named and has_valid_check_digit(mawb) and not self.answers.keys() & {column, column + 1}:
                return column, column + 1
        masters = self._find_told("mawb") or [
            column
            for column, heading in headings.items()
            if column not in self.answers
            and any(meaning.field == "mawb" and not meaning.rank for meaning in heading.meanings)
        ]
        maybe = [
            column
            for column, heading in headings.items()
            if column not in {*masters, *self.answers} and "mawb" in heading.fields() and self._repeats_a_mawb(column)
        ]
        houses = (each.column for each in self.offered.get("hawb", ()) if values[each.column])
        if any(values[column] for column in masters) and not set(houses) - {*masters, *maybe}:
            maybe = []  # many carriers number their houses alike
        return (*masters, *maybe)

    def _repeats_a_mawb(self, column: int) -> bool:
        texts = {text_of(value) for value in self.table.values[column]}
        mawbs = find_labelled_mawbs(texts.pop()) if len(texts) == 1 else []
        return bool(mawbs) and (not self.labelled or mawbs[0] in self.labelled)

    # --- fields of several columns ----------------------------------------------------------------------------------

    def _names(self) -> tuple[tuple[int, ...], ...]:
        """The columns of the consignee's name: those to join, then others for rows that leave the first ones empty."""
        headings = self.table.headings
        if len(told := self._find_told("consignee_name")) > 1:
            self.taken.update(told)
            return (told,)
        whole = self.single.get("consignee_name")
        parts = {name: self.single[name] for name in _NAME_PARTS if name in self.single}
        if whole is not None and headings[whole].party == "consignee":
            for name in [name for name, column in parts.items() if headings[column].party == "customer"]:
                del self.single[name], parts[name]
        given = parts.get("given_name")
        if whole is not None and given is not None and headings[whole].party == "customer" != headings[given].party:
            whole = None
            del self.single["consignee_name"]
        others = self._further_names()
        if whole is not None and given is None and parts and not self._says_name(whole):
            # `CONSIGNATARIO` beside `NOMBRE` and `APELLIDO` is the whole name.
            given = next((column for column in others if self._says_name(column)), None)
        numbered = self._find_numbered(whole)
        joined = tuple(
            column for column in (given, *(parts.get(name) for name in _NAME_PARTS[1:])) if column is not None
        )
        first = () if whole is None else (whole, *numbered)
        if given is None and whole is not None:
            for name, column in [*parts.items()]:
                words = [({*fold(text_of(row[column]))}, {*fold(text_of(row[whole]))}) for row in self.table.sample]
                if all(part < every for part, every in words if part or every):  # the whole name has it already
                    del self.single[name], parts[name]
            joined = tuple(parts.values())
        names = [first, joined] if given is not None else [(*first, *joined)]
        used = {*chain.from_iterable(names)}
        gaps = [row for row in self.table.sample if whole is not None and not text_of(row[whole])]
        more = [(each,) for each in others if each not in used and any(text_of(row[each]) for row in gaps)]
        self.taken.update(used, *more, parts.values())
        return tuple(name for name in (*names, *more) if name)

    def _further_names(self) -> list[int]:
        """Other columns that name a consignee, best first."""
        taken = {*self.single.values(), *self.taken, *chain.from_iterable(d.columns for d in self.doubts)}
        found = sorted(self.offered.get("consignee_name", ()), key=lambda each: -each.score)
        return [
            each.column
            for each in found
            if each.column not in taken
            and each.is_strong()
            and each.fit >= Fit.PART
            and self.table.headings[each.column].party in {"consignee", ""}
        ]

    def _says_name(self, column: int) -> bool:
        return any(meaning.says_name for meaning in self.table.headings[column].meanings)

    def _find_numbered(self, whole: int | None) -> tuple[int, ...]:
        """The columns that go on with a name: `Nombre 2` after `Nombre 1`. Programs write equal headings `Name.1`.

        Not if both are whole names by themselves.
        """
        table, used = self.table, {*self.single.values(), *self.taken, *self.answers}

        def is_numbered(column: int) -> bool:
            is_repeated = _REPEATED_BY_PROGRAM.search(table.headings[column].text) is not None
            return any(map(str.isdigit, table.words[column])) and not is_repeated and bool(table.values[column])

        if whole is None or not is_numbered(whole):
            return ()
        return tuple(
            each
            for each in table.headings
            if each not in used
            and is_numbered(each)
            and self._are_alike(whole, each)
            and not all(are_mostly(table.values[c], lambda cell: len(text_of(cell).split()) > 2) for c in (whole, each))
        )

    def _address(self) -> tuple[int, ...]:
        """The address columns: street first, then further parts; last a destination that is more than a place."""
        table, street = self.table, self.single.get("consignee_address")
        if len(told := self._find_told("consignee_address")) > 1:
            return told
        used = {*self.single.values(), *self.taken}
        more = [
            column
            for column, heading in table.headings.items()
            if column not in used | self.answers.keys() - {*self._find_told("address_more")}
            and "address_more" in heading.fields()
            and table.values[column]
            and not table.is_anothers(column)
            and (len(heading.meanings) == 1 or any(_DIGIT.search(text_of(value)) for value in table.values[column]))
        ]
        self.taken.update(more)
        parts = [*([] if street is None else [street]), *sorted(more)]
        destination = self.single.get("destination")
        if destination is not None and not are_mostly(table.values[destination], is_code):
            parts.append(destination)
        return tuple(parts)

    def _share_contact(self) -> None:
        """Read the phone and the e-mail address from one column whose cells hold both."""
        table = self.table
        named = [self.single[name] for name in ("consignee_phone", "consignee_email") if name in self.single]
        used = {*self.single.values(), *self.taken, *self.answers}
        free = [column for column in sorted(table.headings) if column not in used and not table.is_anothers(column)]
        shared = next((each for each in (*named, *free) if are_mostly(table.values[each], is_contact)), None)
        if shared is not None:
            self.single |= {"consignee_phone": shared, "consignee_email": shared}

    def _settle_value(self) -> None:
        """Use the product's value as FOB when there is no FOB, or none in dollars."""
        fob, product, headings = self.single.get("fob_usd"), self.single.get("product_value"), self.table.headings
        if product is None or product in self.answers or any(doubt.field == "fob_usd" for doubt in self.doubts):
            return
        is_better = headings[product].currency in {"", "USD"}
        if fob is None or (headings[fob].currency not in {"", "USD"} and is_better):
            self.single["fob_usd"] = self.single.pop("product_value")


_REPEATED_BY_PROGRAM = re.compile(r"\.[0-9]$")
_DIGIT = re.compile(r"[0-9]")
