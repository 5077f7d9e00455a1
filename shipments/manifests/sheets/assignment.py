"""Which column is used for which field. When several compete, or one has several meanings, the values decide."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from shipments.manifests.cells import Cell, text_of, tokens, yes_or_no
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.sheets.account import MEASURES, Account
from shipments.manifests.sheets.candidates import (
    ColumnCandidate,
    are_mostly,
    are_ruts,
    count_rows,
    distinct_first,
    has_house_number,
    has_no_letter,
    has_words_only,
    is_code,
    is_code_or_number,
    is_contact,
    is_email,
    is_fraction,
    is_not_a_name,
    is_place,
    is_postal_identifier,
    is_rut_shaped,
    name_others,
    nothing_tells_apart,
    preference,
    values_of,
)
from shipments.manifests.sheets.measures import measures_of
from shipments.manifests.sheets.surveys import Columns
from shipments.manifests.waybills import labelled_mawbs
from shipments.manifests.words.amounts import reads_as_number
from shipments.manifests.words.headings import Heading
from shipments.manifests.words.lexicon import PERSONAL, Field, Meaning, without_party, words_of
from shipments.manifests.words.spelling import fold

_CHOSEN_BY_RULE = {"hawb", "consignee_name", "consignee_document", "consignee_address", "consignee_city"}
_SINGLE_FIELDS: tuple[Field, ...] = (
    *(field.name for field in GUIDE_FIELDS if field.in_workbook and field.name not in _CHOSEN_BY_RULE),
    *("check_digit", "flight_number", "origin", "scheduled_departure", "scheduled_arrival"),
)

_TOLD_APART: frozenset[Field] = PERSONAL | MEASURES | tokens("shipper_name description_original")
"""Fields left empty when two columns have the same heading. For waybills and flights the values decide."""

_MOST_TRIED = 50
_FEWEST_VARYING = 3
_DETAILS: frozenset[Field] = tokens("consignee_document consignee_address consignee_phone consignee_email")


def assign(
    headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]], labelled: Collection[str] = ()
) -> Columns:
    """Assign columns to fields; each column is used for one field.

    headings: as the header rows were understood. sample: the cells of the first guide rows under them, padded to the
    width of the headings. labelled: MAWBs labelled in cells outside the table.
    """
    return _Assignment(headings, sample, labelled).settle()


class _Assignment(Account):
    def __init__(
        self, headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]], labelled: Collection[str]
    ) -> None:
        super().__init__(headings, sample)
        self.labelled = labelled
        self.taken: set[int] = set()
        self.single: dict[Field, int] = {}
        self.alike: dict[Field, tuple[int, ...]] = {}
        self.is_swapped = False

    def settle(self) -> Columns:
        mawb = self._waybills()
        self._choose("consignee_document", self._documents())
        names = self._names()
        self._vote_for_the_document()
        address = self._address()
        destination = self._choose("destination", self._offered("destination"))
        if destination is not None and not are_mostly(self.values[destination], is_code):
            address = (*address, destination)
        self._choose("consignee_city", self._offered("consignee_city"))
        for name_of_field in _SINGLE_FIELDS:
            self._choose(name_of_field, self._fitting(name_of_field))
        self._share_contact()
        self._settle_value()
        measures = measures_of(self.single, self.headings, self.taken, self.sample, ())
        self.taken.update(measures.columns())
        columns = Columns(
            single=self.single,
            names=names,
            address=address,
            mawb=mawb,
            measures=measures,
            loose=tuple(column for column in self.headings if column not in self.taken),
            not_understood=tuple(
                column
                for column, heading in self.not_serving(self.taken)
                if not heading.is_understood() and words_of(heading.text)
            ),
            alike=self.alike,
        )
        return self.accounted(columns)

    # --- choosing ------------------------------------------------------------------------------------------------

    def _offered(self, name: Field) -> list[ColumnCandidate]:
        """The unassigned candidates of a field, best first."""
        free = [each for each in self.candidates.get(name, []) if each.column not in self.taken]
        return sorted(self._beside_the_house(self._not_the_shippers(free)), key=preference)

    def _choose(self, name: Field, candidates: Iterable[ColumnCandidate]) -> int | None:
        best = list(candidates)[:2]
        if not best:
            return None
        chosen = best[0]
        if name in _TOLD_APART and len(best) > 1 and nothing_tells_apart(*best):
            self.alike[name] = tuple(candidate.column for candidate in best)
            self.taken.update(self.alike[name])
            return None
        self.taken.add(chosen.column)
        self.single[name] = chosen.column
        return chosen.column

    def _beside_the_house(self, candidates: list[ColumnCandidate]) -> list[ColumnCandidate]:
        """Without the columns that repeat a heading in another block than the HAWB's; a blank column divides blocks."""
        house = self.single.get("hawb")
        if house is None or len(candidates) < 2:
            return candidates
        inside = [each for each in candidates if not self._is_divided(each.column, house)]
        texts = {each.heading.text.casefold() for each in inside}
        return [each for each in candidates if each in inside or each.heading.text.casefold() not in texts]

    def _is_divided(self, one: int, other: int) -> bool:
        """Whether a column without heading and values is between two columns."""
        between = range(min(one, other) + 1, max(one, other))
        return any(column not in self.headings and not values_of(self.sample, column) for column in between)

    def _not_the_shippers(self, candidates: list[ColumnCandidate]) -> list[ColumnCandidate]:
        """The headings, without unnamed ones in the shipper's block, when the sheet has such blocks."""
        return [each for each in candidates if not (self.has_blocks and self._is_the_shippers(each))]

    def _fitting(self, name: Field) -> list[ColumnCandidate]:
        """The candidates of a field, starting with those whose values fit."""
        offered = self._offered(name)
        if name == "packages_count":
            offered = [each for each in offered if each.meaning.rank <= (0 if self.counts_goods else 1)]
        if name in MEASURES:
            return sorted(offered, key=lambda each: not each.is_mostly(reads_as_number))
        if name == "description_original":
            return [
                each
                for each in offered
                if not each.is_mostly(is_code_or_number if each.meaning.rank else has_no_letter)
            ]
        if name in {"consignee_phone", "consignee_email"}:
            return [each for each in offered if not each.is_mostly(has_no_letter if "email" in name else is_email)]
        if name == "shipper_name":
            return [each for each in offered if not each.is_mostly(has_no_letter)]
        if name == "vat_collected":  # an amount of VAT under the same words is no answer
            return [each for each in offered if each.is_mostly(lambda cell: yes_or_no(cell) is not None)]
        if name in {"scheduled_departure", "scheduled_arrival", "origin"}:
            return _decided(offered, lambda each: each.is_mostly(is_place) == (name == "origin"))
        return offered

    def _share_contact(self) -> None:
        """Read the phone and the e-mail address from one column whose cells hold both."""
        named = [self.single[name] for name in ("consignee_phone", "consignee_email") if name in self.single]
        free = [column for column in sorted(self.headings) if column not in self.taken]
        shared = next((each for each in (*named, *free) if are_mostly(self.values[each], is_contact)), None)
        if shared is not None and not (self.has_blocks and self._is_anothers(shared)):
            self.single |= {"consignee_phone": shared, "consignee_email": shared}
            self.taken.add(shared)

    def _settle_value(self) -> None:
        """Use the product's value as FOB when there is no FOB, or none in dollars."""
        fob, product = self.single.get("fob_usd"), self.single.get("product_value")
        if product is None or "fob_usd" in self.alike:
            return
        if fob is None or (
            self.headings[fob].currency not in {"", "USD"} and self.headings[product].currency in {"", "USD"}
        ):
            self.single["fob_usd"] = self.single.pop("product_value")

    # --- fields with rules of their own ----------------------------------------------------------------------------

    def _waybills(self) -> tuple[int, ...]:
        """Choose the HAWB column; return those that can carry the MAWB."""
        masters = [each for each in self._offered("mawb") if each.meaning.rank == 0]
        houses = self._houses()
        maybe_masters = {each.column for each in self._offered("mawb") if each.meaning.rank}
        repeated = [each for each in houses if each.column in maybe_masters and self._repeats_a_mawb(each)]
        # A house number of that shape, alone under another master, is still a house: many carriers number them alike.
        others = [each for each in houses if each not in repeated]
        if any(each.values for each in masters) and not others:
            others, repeated = repeated, []
        blank = [each for each in self._offered("hawb") if not each.values]
        house = self._choose("hawb", distinct_first(others) or blank[: 0 if houses else 1])
        columns = [each.column for each in (*masters, *repeated) if each.column != house]
        self.taken.update(columns)
        return tuple(columns)

    def _houses(self) -> list[ColumnCandidate]:
        """The filled columns that may be the HAWB, by their headings or as identifiers of the postal union."""
        headed = [
            each
            for each in self._offered("hawb")
            if each.values
            and not (each.meaning.rank > 1 and self.is_of_another_trade(each))
            and not each.is_mostly(has_words_only)  # names: the headings are shifted against the values
        ]
        columns = {each.column for each in headed}
        postal = [
            ColumnCandidate(column, Meaning("hawb", 2, is_exact=False), self.headings[column], values)
            for column, values in self.values.items()
            if column not in columns and are_mostly(values[:_MOST_TRIED], is_postal_identifier)
        ]
        self.candidates.setdefault("hawb", []).extend(postal)
        return sorted([*headed, *postal], key=preference)

    def _repeats_a_mawb(self, candidate: ColumnCandidate) -> bool:
        if candidate.distinct() != 1:
            return False
        mawbs = labelled_mawbs(text_of(candidate.values[0]))
        return bool(mawbs) and (not self.labelled or mawbs[0] in self.labelled)

    def _documents(self) -> list[ColumnCandidate]:
        """The candidates for the consignee's document: numbers of an identity first, an agent's last."""
        offered = [each for each in self._offered("consignee_document") if not each.is_mostly(is_fraction)]
        documents = _decided(offered, lambda each: each.is_mostly(is_rut_shaped))
        return _constant_last(sorted(documents, key=lambda each: not each.is_mostly(is_rut_shaped)))

    def _vote_for_the_document(self) -> None:
        """Use an unassigned column whose values are RUTs when no filled column has a heading for them."""
        chosen = self.single.get("consignee_document")
        if chosen is not None and self.values[chosen]:
            return
        for column, heading in sorted(self.headings.items()):
            is_anothers = heading.party in {"shipper", "other"} or self._is_anothers(column)
            if column not in self.taken and not is_anothers and are_ruts(self.values[column]):
                self.single["consignee_document"] = column
                self.taken.add(column)
                return

    def _names(self) -> tuple[tuple[int, ...], ...]:
        """The columns of the consignee's name: those to join, then others for rows that leave the first ones empty."""
        parts = ("surname", "second_surname", "given_name", "middle_name")
        *chosen, given, middle = [self._choose(part, self._parts(part)) for part in parts]
        surnames = [column for column in chosen if column is not None]
        self.is_swapped = self._are_swapped()
        is_no_name = has_house_number if self.is_swapped else is_not_a_name
        named = [each for each in self._offered("consignee_name") if not each.is_mostly(is_no_name)]
        if any(self.headings[column].party == "consignee" for column in (*surnames, given) if column is not None):
            named = [each for each in named if not each.is_customers()]
        offered = self._of_the_consignee([each for each in named if each.values] or named[:1])
        whole = self._choose("consignee_name", offered)
        if "consignee_name" in self.alike:
            offered = []
        others = [
            each
            for each in offered[1:]
            if not each.is_customers() and not (whole is not None and self._name_others(whole, each.column))
        ]
        self.taken.update(each.column for each in others)
        first_name = next((each for each in others if each.meaning.says_name), None)
        if given is None and whole is not None and offered[0].meaning.rank == 0 and first_name and surnames:
            # `CONSIGNATARIO` beside `NOMBRE` and `APELLIDO` is the whole name.
            others.remove(first_name)
            given = first_name.column
        joined = tuple(part for part in (given, middle, *surnames) if part is not None)
        first = () if whole is None else (whole,)
        if given is None and whole is not None:
            joined = tuple(part for part in joined if not self._is_within(part, whole))
        names = [first, joined] if given is not None else [(*first, *joined)]
        return tuple(name for name in (*names, *((each.column,) for each in others)) if name)

    def _is_within(self, part: int, whole: int) -> bool:
        """Whether the whole name of each guide has the part already, among other words."""
        names = [({*fold(text_of(row[part]))}, {*fold(text_of(row[whole]))}) for row in self.sample]
        return all(surname < name for surname, name in names if surname or name)

    def _name_others(self, one: int, other: int) -> bool:
        return name_others([row[one] for row in self.sample], [row[other] for row in self.sample])

    def _parts(self, name: Field) -> list[ColumnCandidate]:
        """The candidates for a part of the name. A customer's does not go with the name of the consignee."""
        is_named = any(each.heading.party == "consignee" for each in self._offered("consignee_name"))
        return [each for each in self._offered(name) if not (is_named and each.is_customers())]

    def _of_the_consignee(self, candidates: list[ColumnCandidate]) -> list[ColumnCandidate]:
        """Candidates for the name, best first. Of headings for customers, the one that is about each guide comes first.

        That is the one whose values vary, then the one whose party the document and the address are of. Without
        either, the first two are alike.
        """
        candidates = sorted(_constant_last(candidates), key=_is_constant)
        customers = [
            each for each in candidates if each.heading.party in {"", "customer"} and not each.meaning.says_name
        ]
        if len(customers) < 2 or customers != candidates[: len(customers)]:
            return candidates
        details = [heading for heading in self.headings.values() if heading.fields() & _DETAILS]
        parties = {word for heading in details for word in words_of(heading.text)}

        def misfit(candidate: ColumnCandidate) -> tuple[bool, bool]:
            return _is_constant(candidate), parties.isdisjoint(words_of(candidate.heading.text))

        ordered = sorted(customers, key=misfit)
        if misfit(ordered[0]) == misfit(ordered[1]) and ordered[0].texts() != ordered[1].texts():
            if {each.heading.party for each in ordered[:2]} == {"customer"}:
                self.alike["consignee_name"] = tuple(each.column for each in ordered[:2])
                self.taken.update(self.alike["consignee_name"])
                return []
            return candidates
        return [*ordered, *candidates[len(customers) :]]

    def _address(self) -> tuple[int, ...]:
        """Choose the column of the number; return the address columns: street first, then further parts."""
        offered = self._offered("consignee_address")
        if self.is_swapped:
            offered = [each for each in offered if not each.is_mostly(has_words_only)]
        street = self._choose("consignee_address", offered)
        self._choose("address_number", self._offered("address_number") or self._street_number(street))
        parts = _decided(self._offered("address_more"), ColumnCandidate.has_digits)  # `Departamento` may be a region
        more = [each.column for each in parts if each.values]
        self.taken.update(more)
        return tuple(column for column in (street, *sorted(more)) if column is not None)

    def _are_swapped(self) -> bool:
        """Whether the columns of names hold addresses and those of addresses names."""
        return all(
            any(each.is_mostly(test) for each in self._offered(name))
            for name, test in (("consignee_name", has_house_number), ("consignee_address", has_words_only))
        )

    def _street_number(self, street: int | None) -> list[ColumnCandidate]:
        """The bare number to the right of the street, unless it counts the rows."""
        right = min((column for column in self.headings if street is not None and column > street), default=None)
        return [
            each
            for each in self.candidates.get("hawb", [])
            if each.column == right
            and each.column not in self.taken
            and without_party(words_of(each.heading.text), each.heading.party) == ("numero",)
            and not count_rows(each.values)
        ]


def _constant_last(candidates: Iterable[ColumnCandidate]) -> list[ColumnCandidate]:
    """The candidates; of several for the consignee, those that say the same of all guides last: an agent's."""
    found = list(candidates)
    if not any(each.heading.party == "consignee" and each.distinct() > 1 for each in found):
        return found
    return sorted(found, key=lambda each: each.distinct() == 1 and len(each.values) >= _FEWEST_VARYING)


def _decided(candidates: Iterable[ColumnCandidate], fits: Callable[[ColumnCandidate], bool]) -> list[ColumnCandidate]:
    """The candidates whose headings have one meaning, and those whose values decide for this one."""
    return [each for each in candidates if len(each.heading.meanings) == 1 or fits(each)]


def _is_constant(candidate: ColumnCandidate) -> bool:
    """Whether a column that does not name the consignee says the same of all guides."""
    return (
        candidate.heading.party != "consignee"
        and len(candidate.values) >= _FEWEST_VARYING
        and candidate.distinct() == 1
    )
