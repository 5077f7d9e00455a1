"""Which column serves which field: where several compete, or one can mean several things, the values decide."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from shipments.manifests.headings.candidates import (
    Candidate,
    distinct_first,
    is_place,
    is_rut_shaped,
    preference,
)
from shipments.manifests.headings.guide_words import Field
from shipments.manifests.headings.headers import Heading
from shipments.manifests.waybills import labelled_mawbs
from shipments.manifests.workbook.amounts import reads_as_number
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.xlsx.opening import Cell

_SINGLE_FIELDS: tuple[Field, ...] = (
    "consignee_document_type",
    "check_digit",
    "consignee_region",
    "consignee_postal_code",
    "consignee_phone",
    "consignee_email",
    "shipper_name",
    "description_original",
    "hs_code",
    "weight_kg",
    "weight_unit",
    "packages_count",
    "fob_usd",
    "currency",
    "product_value",
    "flight_number",
    "origin",
    "scheduled_departure",
    "scheduled_arrival",
)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that serve, from 0.

    single: field -> its one column. names: the columns to join to the consignee's name, and others to take when those
    are empty. address: the columns to join; the destination's is the last, for values that are no place by themselves.
    mawb: every column that may carry the MAWB.
    weight_unit: of the weight's heading. loose: columns with a heading that serve nothing.
    """

    single: Mapping[Field, int]
    names: tuple[tuple[int, ...], ...]
    address: tuple[int, ...]
    address_number: int | None
    mawb: tuple[int, ...]
    weight_unit: str
    loose: tuple[int, ...]


def assign(
    headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]], labelled: Collection[str] = ()
) -> Columns:
    """Settle which column serves which field; one column serves one field.

    headings: as the header rows were understood. sample: the cells of the first guide rows under them, padded to the
    width of the headings. labelled: MAWBs that cells outside the table are labelled with.
    """
    return _Assignment(headings, sample, labelled).settle()


class _Assignment:
    def __init__(
        self, headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]], labelled: Collection[str]
    ) -> None:
        self.headings = headings
        self.labelled = labelled
        self.taken: set[int] = set()
        self.single: dict[Field, int] = {}
        self.values = {
            column: [row[column] for row in sample if row[column] is not None and text_of(row[column])]
            for column in headings
        }
        self.candidates: dict[Field, list[Candidate]] = {}
        for column, heading in sorted(headings.items()):
            for meaning in heading.meanings:
                candidate = Candidate(column, meaning, heading, self.values[column])
                self.candidates.setdefault(meaning.field, []).append(candidate)
        self.has_blocks = self._has_blocks()

    def settle(self) -> Columns:
        mawb = self._waybills()
        self._choose("consignee_document", self._documents())
        names = self._names()
        address_number, address = self._address()
        destination = self._choose("destination", self._offered("destination"))
        if destination is not None:
            address = (*address, destination)
        self._choose("consignee_city", self._offered("consignee_city"))
        for name_of_field in _SINGLE_FIELDS:
            self._choose(name_of_field, self._fitting(name_of_field))
        if "fob_usd" not in self.single and "product_value" in self.single:
            self.single["fob_usd"] = self.single.pop("product_value")
        weight = self.single.get("weight_kg")
        return Columns(
            single=self.single,
            names=names,
            address=address,
            address_number=address_number,
            mawb=mawb,
            weight_unit=(self.headings[weight].unit if weight is not None else "") or "kg",
            loose=tuple(column for column in self.headings if column not in self.taken),
        )

    # --- choosing ------------------------------------------------------------------------------------------------

    def _offered(self, name: Field) -> list[Candidate]:
        """The candidates of a field that are still free, best first."""
        free = [candidate for candidate in self.candidates.get(name, []) if candidate.column not in self.taken]
        return sorted(self._not_the_shippers(free), key=preference)

    def _choose(self, name: Field, candidates: Iterable[Candidate]) -> int | None:
        chosen = next(iter(candidates), None)
        if chosen is None:
            return None
        self.taken.add(chosen.column)
        self.single[name] = chosen.column
        return chosen.column

    def _not_the_shippers(self, candidates: list[Candidate]) -> list[Candidate]:
        """Without the headings that name nobody but stand in the shipper's block of a sheet that has such blocks."""
        if not self.has_blocks:
            return candidates
        return [candidate for candidate in candidates if not candidate.meaning.is_anybodys or self._is_ours(candidate)]

    def _has_blocks(self) -> bool:
        """Whether one heading stands twice, once after the shipper's and once after the consignee's."""
        for candidates in self.candidates.values():
            ours = {self._is_ours(candidate) for candidate in candidates if candidate.meaning.is_anybodys}
            if len(ours) == 2:
                return True
        return False

    def _is_ours(self, candidate: Candidate) -> bool:
        return self._neighbour(candidate.column) not in {"shipper", "other"}

    def _neighbour(self, column: int) -> str:
        """Whom the nearest heading to the left that names anybody names."""
        named = [self.headings[left].party for left in sorted(self.headings) if left < column]
        return next((party for party in reversed(named) if party), "")

    def _fitting(self, name: Field) -> list[Candidate]:
        """The candidates of a field, those whose values look like it first."""
        offered = self._offered(name)
        if name in {"weight_kg", "fob_usd", "packages_count", "product_value"}:
            return sorted(offered, key=lambda candidate: not candidate.is_mostly(reads_as_number))
        if name == "description_original":
            return [
                candidate
                for candidate in offered
                if candidate.meaning.rank < 2 or not candidate.is_mostly(reads_as_number)
            ]
        if name in {"scheduled_departure", "scheduled_arrival", "origin"}:
            return [
                candidate
                for candidate in offered
                if len(candidate.heading.meanings) == 1 or candidate.is_mostly(is_place) == (name == "origin")
            ]
        return offered

    # --- fields with rules of their own ----------------------------------------------------------------------------

    def _waybills(self) -> tuple[int, ...]:
        """Choose the HAWB column; give those that can carry the MAWB."""
        masters = [candidate for candidate in self._offered("mawb") if candidate.meaning.rank == 0]
        houses = [candidate for candidate in self._offered("hawb") if candidate.is_filled()]
        maybe_masters = {candidate.column for candidate in self._offered("mawb")} - {
            candidate.column for candidate in masters
        }
        repeated = [
            candidate for candidate in houses if candidate.column in maybe_masters and self._repeats_a_mawb(candidate)
        ]
        # A house of that shape on its own, under another master, is a house: many carriers number them alike.
        others = [candidate for candidate in houses if candidate not in repeated]
        if masters and any(candidate.is_filled() for candidate in masters) and not others:
            others, repeated = repeated, []
        house = self._choose("hawb", distinct_first(others) or self._offered("hawb")[: 0 if houses else 1])
        columns = [candidate.column for candidate in (*masters, *repeated) if candidate.column != house]
        self.taken.update(columns)
        return tuple(columns)

    def _repeats_a_mawb(self, candidate: Candidate) -> bool:
        if candidate.distinct() != 1:
            return False
        mawbs = labelled_mawbs(text_of(candidate.values[0]))
        return bool(mawbs) and (not self.labelled or mawbs[0] in self.labelled)

    def _documents(self) -> list[Candidate]:
        return [
            candidate
            for candidate in self._offered("consignee_document")
            if len(candidate.heading.meanings) == 1 or candidate.is_mostly(is_rut_shaped)
        ]

    def _names(self) -> tuple[tuple[int, ...], ...]:
        """The columns of the consignee's name: those to join, then others for rows that leave the first ones empty."""
        chosen = [self._choose(part, self._offered(part)) for part in ("surname", "second_surname")]
        surnames = [column for column in chosen if column is not None]
        given = self._choose("given_name", self._offered("given_name"))
        middle = self._choose("middle_name", self._offered("middle_name"))
        offered = [candidate for candidate in self._offered("consignee_name") if candidate.is_filled()]
        offered = offered or self._offered("consignee_name")[:1]
        whole = self._choose("consignee_name", offered)
        others = [candidate for candidate in offered[1:] if not candidate.is_customers()]
        self.taken.update(candidate.column for candidate in others)
        first_name = next((candidate for candidate in others if candidate.says_name()), None)
        if given is None and whole is not None and offered[0].meaning.rank == 0 and first_name and surnames:
            # `CONSIGNATARIO` beside `NOMBRE` and `APELLIDO` is the whole name.
            others.remove(first_name)
            given = first_name.column
        joined = tuple(part for part in (given, middle, *surnames) if part is not None)
        if given is not None:
            names = [() if whole is None else (whole,), joined]
        else:
            names = [(*(() if whole is None else (whole,)), *joined)]
        return tuple(name for name in (*names, *((candidate.column,) for candidate in others)) if name)

    def _address(self) -> tuple[int | None, tuple[int, ...]]:
        """The column of the number, and the address columns: street first, then what is added to it."""
        street = self._choose("consignee_address", self._offered("consignee_address"))
        number = self._choose("address_number", self._offered("address_number"))
        more = [candidate.column for candidate in self._offered("address_more") if candidate.is_filled()]
        self.taken.update(more)
        return number, tuple(column for column in (street, *sorted(more)) if column is not None)
