"""Whose guides: a person is found by a document's number, however it was typed, with all companies."""

from collections.abc import Iterable, Iterator
from itertools import product
from uuid import UUID

from django.db.models import Q

from shipments.manifests.documents import SEPARATORS, check_rut, without_separators
from shipments.models import Guide

SHORTEST = 5
"""Characters of a document: fewer would be a slip of the hand, and mean somebody else."""

_COMPARED = 4
"""Leading characters by which the index is asked; what it gives is compared whole."""


class NotADocument(ValueError):
    """What was given cannot be a document's number. The message does not repeat it."""


class Documents:
    """Documents of one person: alike whatever dots, blanks, hyphens and small letters they are written with."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Raise `NotADocument` where there is none, or where one cannot be a single person's."""
        self._numbers: set[str] = set()
        for text in texts:
            number = without_separators(text)
            is_alike = number.isalnum() and any(map(str.isdigit, number))
            if not is_alike or not SHORTEST <= len(number) <= _LONGEST:
                raise NotADocument(f"A document has {SHORTEST} to {_LONGEST} letters and digits.")
            rut = check_rut(text)
            if rut.is_placeholder:
                raise NotADocument("This is a well-known placeholder: it stands with many people and is nobody's.")
            # A RUT's zero that only pads seven digits to eight is not kept with the guide.
            self._numbers |= {number, without_separators(rut.number)}
        if not self._numbers:
            raise NotADocument("No document was given.")

    def include(self, document: str) -> bool:
        """Whether `document`, as a guide has it, is one of these."""
        return without_separators(document) in self._numbers

    def guides(self, country: str = "") -> list[tuple[UUID, int]]:
        """(manifest id, guide id) of the person's guides in the order in which rows are locked.

        country: only manifests to it, where a number may mean somebody else in another country.
        """
        beginnings = Q()
        for number in self._numbers:
            for beginning in _beginnings(number):
                beginnings |= Q(consignee_document__startswith=beginning)
        rows = Guide.objects.filter(beginnings).order_by()
        if country:
            rows = rows.filter(manifest__country=country)
        found = rows.values_list("manifest_id", "id", "consignee_document")
        return sorted((manifest, guide) for manifest, guide, document in found.iterator() if self.include(document))


_LONGEST = Guide._meta.get_field("consignee_document").max_length or 0


def _beginnings(number: str) -> Iterator[str]:
    """How a document that is kept as it came may begin: valid ones are compact, others were never put right."""
    letters = [sorted({letter, letter.lower()}) for letter in number[:_COMPARED]]
    yield from map("".join, product(*letters))
    for length in range(_COMPARED):
        for head in product(*letters[:length]):
            yield from ("".join(head) + separator for separator in SEPARATORS)
